use std::path::Path;
use std::sync::Arc;

use redb::{Builder, Durability, StorageBackend};

use super::super::disk::{Disk, DiskFile, SystemDisk};
use super::super::file::DataFile;
use super::super::tables::Space;
use super::*;
use crate::error::code;

fn backend(path: &Path, faults: &Arc<Faults>) -> Backend {
    Backend::new(SystemDisk.open(path, DiskFile::Data).expect("opens"), Arc::clone(faults))
}

fn created(path: &Path) -> Pages {
    let faults = Arc::default();
    Pages::create(backend(path, &faults), faults).expect("creates")
}

fn opened(path: &Path) -> Pages {
    let faults = Arc::default();
    Pages::open(backend(path, &faults), faults).expect("opens").expect("has checksums")
}

fn flip(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).expect("reads");
    bytes[usize::try_from(at).expect("small")] ^= 4;
    std::fs::write(path, bytes).expect("writes");
}

#[test]
fn the_checksum_of_zeros_is_zero() {
    assert_eq!(sum(&[0; BLOCK]), 0);
}

#[test]
fn how_long_a_file_is_tells_how_long_the_one_inside_is() {
    for pages in [0, 1, 2, 1023, 1024, 1025, 2048, 5000] {
        assert_eq!(inner_len(outer_len(pages * BLOCK as u64)), pages * BLOCK as u64);
    }
    for page in [0, 1, 1023, 1024, 3000] {
        let len = (page + 1) * BLOCK as u64;
        assert_eq!(place_of(page) + BLOCK as u64, outer_len(len), "it is the last one");
        assert!(place_of_sums(page / GROUP) < place_of(page));
    }
}

#[test]
fn pages_read_back_across_groups_and_changed_bits_do_not() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f");
    let pages = created(&path);
    pages.set_len(3000 * BLOCK as u64).expect("grows");
    pages.write(0, &[1; HEADER]).expect("writes");
    let content: Vec<u8> = (0..8 * BLOCK).map(|at| (at / 7) as u8).collect();
    let at = 1020 * BLOCK as u64;
    pages.write(at, &content).expect("writes");
    pages.sync_data().expect("syncs");
    drop(pages);
    let read = |at: u64, len: usize| {
        let mut found = vec![1; len];
        opened(&path).read(at, &mut found).map(|()| found)
    };
    assert_eq!(read(at, content.len()).expect("reads"), content);
    assert_eq!(read(2500 * BLOCK as u64, BLOCK).expect("reads"), [0; BLOCK]);
    for place in [place_of(1022) + 77, place_of_sums(1) + 4 * 2] {
        flip(&path, place);
        assert!(read(at, content.len()).is_err());
        assert!(read(1021 * BLOCK as u64, BLOCK).is_ok(), "others are right");
        flip(&path, place);
    }
    // what a file grows by again is empty
    let pages = opened(&path);
    pages.set_len(at + BLOCK as u64).expect("shrinks");
    pages.set_len(3000 * BLOCK as u64).expect("grows");
    pages.sync_data().expect("syncs");
    drop(pages);
    assert_eq!(read(at + BLOCK as u64, BLOCK).expect("reads"), [0; BLOCK]);
}

#[test]
fn of_two_headers_the_last_counts_that_is_whole_and_one_that_was_synced_has_to_be() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f");
    let pages = created(&path);
    pages.set_len(BLOCK as u64).expect("grows");
    let header = |number: u8| [number; HEADER];
    let read = || {
        let mut found = [0; HEADER];
        opened(&path).read(0, &mut found).map(|()| found[0])
    };
    pages.write(0, &header(1)).expect("writes");
    pages.sync_data().expect("syncs");
    pages.write(0, &header(2)).expect("writes");
    pages.write(0, &header(3)).expect("writes");
    drop(pages);
    assert_eq!(read().expect("reads"), 3);
    // a power cut has torn the one that was not synced
    let torn = [512, 1024].into_iter().find(|at| {
        flip(&path, at + 50);
        let is_it = read().is_ok_and(|header| header == 1);
        flip(&path, at + 50);
        is_it
    });
    assert!(torn.is_some());
    opened(&path).read(0, &mut [0; 9]).expect("reads");
    let pages = opened(&path);
    pages.write(0, &header(4)).expect("writes");
    pages.sync_data().expect("syncs");
    drop(pages);
    assert_eq!(read().expect("reads"), 4);
    let refused = [512, 1024].into_iter().filter(|at| {
        flip(&path, at + 50);
        let is_refused = read().is_err();
        flip(&path, at + 50);
        is_refused
    });
    assert_eq!(refused.count(), 1, "an older one is not taken for it");
}

/// A data file as earlier versions made it.
fn bare(path: &Path) {
    let bare = backend(path, &Arc::default());
    let database = Builder::new().create_with_backend(bare).expect("creates");
    let file = DataFile::bare(database);
    file.write(Durability::Immediate, |tables| {
        (0..3000_u64).try_for_each(|n| tables.put(Space::Docs, &n.to_be_bytes(), &[n as u8; 300]))
    })
    .expect("writes");
}

#[test]
fn a_file_of_an_earlier_version_gets_checksums() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f");
    bare(&path);
    let file = DataFile::open(&path, 1 << 20, &SystemDisk).expect("opens");
    assert!(file.pages().is_some());
    let tables = file.read().expect("reads");
    for n in 0..3000_u64 {
        let found = tables.get(Space::Docs, &n.to_be_bytes()).expect("reads").expect("is there");
        assert_eq!(found.value(), [n as u8; 300]);
    }
}

#[test]
fn a_file_of_an_earlier_version_that_is_damaged_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f");
    bare(&path);
    let bytes = std::fs::read(&path).expect("reads");
    // also where an older version of the page is
    let places = bytes.windows(300).enumerate().filter(|(_, window)| *window == [7; 300]);
    places.for_each(|(at, _)| flip(&path, at as u64));
    let error = DataFile::open(&path, 1 << 20, &SystemDisk).map(|_| ()).expect_err("is damaged");
    assert_eq!(error.num, code::DATADIR_INVALID, "{error}");
}
