use std::path::Path;

use super::super::disk::SystemDisk;
use super::found::second;
use super::*;

const SECRET: Secret = Secret(0x5ec3_e7a1_70f7_4e10);

fn found(path: &Path) -> FoundLog {
    FoundLog::read(path, &SystemDisk).expect("reads")
}

/// An empty log behind a record.
fn empty(path: &Path, sequence: u64) -> Wal {
    let mut wal = found(path).opened(SECRET, sequence).expect("opens");
    wal.clear().expect("empties");
    wal
}

fn append(wal: &mut Wal, record: &[u8], sync: bool) {
    wal.append(std::iter::once(&LogRecord::from(record)), sync).expect("appends");
}

fn written(records: &[&[u8]], sync: bool) -> (tempfile::TempDir, std::path::PathBuf, Wal) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log");
    let mut wal = empty(&path, 0);
    for record in records {
        append(&mut wal, record, sync);
    }
    (dir, path, wal)
}

/// Writes a file with one bit of a byte changed.
fn write_damaged(path: &Path, whole: &[u8], at: usize) {
    let mut bytes = whole.to_vec();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

/// Two records in the file that was set aside, which is on disk, and one in the other.
fn rotated() -> (tempfile::TempDir, std::path::PathBuf, Wal) {
    let (dir, path, mut wal) = written(&[b"one", b"two"], false);
    wal.to_sync().sync().expect("syncs");
    wal.synced = 2;
    wal.rotate();
    append(&mut wal, b"three", false);
    assert_eq!((wal.is_empty(), wal.sequence()), (false, 3));
    (dir, path, wal)
}

fn replayed_by(secret: Option<Secret>, path: &Path, applied: u64) -> Result<Vec<Vec<u8>>> {
    let mut seen = Vec::new();
    let last = found(path).replay(secret, applied, |batch| {
        seen.push(batch.to_vec());
        Ok(())
    })?;
    assert_eq!(last, applied + seen.len() as u64);
    Ok(seen)
}

fn replayed(path: &Path, applied: u64) -> Result<Vec<Vec<u8>>> {
    replayed_by(Some(SECRET), path, applied)
}

#[test]
fn what_was_appended_is_replayed_once() {
    let (_dir, path, _) = written(&[b"one", b"two", b"three"], false);
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
    assert!(replayed(&path, 3).unwrap().is_empty());
}

#[test]
fn what_was_set_aside_is_replayed_before_what_came_then() {
    let (_dir, path, mut wal) = rotated();
    assert!(!found(&path).is_clean());
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
    // the next rotation goes the other way round
    wal.clear_retired(0).expect("clears");
    wal.rotate();
    append(&mut wal, b"four", true);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec(), b"four".to_vec()]);
}

#[test]
fn a_file_that_was_set_aside_and_not_emptied_any_more_is_passed_over() {
    let (_dir, path, mut wal) = rotated();
    let stale = std::fs::read(&path).unwrap();
    wal.clear().expect("clears");
    drop(wal);
    assert!(found(&path).is_clean());
    // the power went before the end of the file was on disk
    std::fs::write(&path, stale).unwrap();
    assert!(replayed(&path, 3).unwrap().is_empty());
}

#[test]
fn a_torn_end_is_cut_off_in_the_file_that_came_last() {
    let (_dir, path, _) = rotated();
    let whole = std::fs::read(second(&path)).unwrap();
    for len in 1..whole.len() {
        std::fs::write(second(&path), &whole[..len]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec()], "{len}");
    }
}

#[test]
fn a_torn_end_of_what_was_set_aside_is_damage() {
    let (_dir, path, _) = rotated();
    let whole = std::fs::read(&path).unwrap();
    for len in [whole.len() - 1, whole.len() / 2, 0] {
        std::fs::write(&path, &whole[..len]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{len}");
    }
}

#[test]
fn what_follows_on_a_torn_end_that_was_never_on_disk_is_cut_off_with_it() {
    let (_dir, path, mut wal) = written(&[b"one", b"two"], false);
    wal.rotate();
    append(&mut wal, b"three", false);
    let (first, other) = (path.clone(), second(&path));
    let (whole, rest) = (std::fs::read(&first).unwrap(), std::fs::read(&other).unwrap());
    assert!(!whole.is_empty() && !rest.is_empty());
    for (len, left) in [(whole.len() - 1, 1), (whole.len() / 2, 1), (whole.len() / 2 - 1, 0), (0, 0)] {
        std::fs::write(&first, &whole[..len]).unwrap();
        std::fs::write(&other, &rest).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()][..left], "{len}");
        // what the tables have does not matter
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()], "{len}");
    }
    // the same behind a sync of both, or of the first alone, is damage
    let to_sync = wal.to_sync();
    append(&mut wal, b"four", false);
    wal.was_synced(to_sync.sync()).expect("syncs");
    let rest = std::fs::read(&other).unwrap();
    for len in [whole.len() - 1, whole.len() / 2, 0] {
        std::fs::write(&first, &whole[..len]).unwrap();
        std::fs::write(&other, &rest).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{len}");
    }
}

#[test]
fn a_note_at_the_beginning_of_a_file_is_about_the_one_before() {
    let (_dir, path, mut wal) = written(&[], false);
    for record in [&b"one"[..], b"two"] {
        append(&mut wal, record, false);
        wal.rotate();
        wal.sync().expect("syncs");
        if record == b"one" {
            wal.clear_retired(0).expect("clears");
        }
    }
    drop(wal);
    assert_eq!(replayed(&path, 1).unwrap(), [b"two".to_vec()]);
    for file in [path.clone(), second(&path)] {
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, []).unwrap();
        let seen = replayed(&path, 1);
        // without the note nothing is missing, without the record it is
        assert_eq!(seen.is_err(), whole.windows(3).any(|bytes| bytes == b"two"), "{seen:?}");
        std::fs::write(&file, whole).unwrap();
    }
}

#[test]
fn a_torn_last_record_is_cut_off() {
    let (_dir, path, mut wal) = written(&[b"one"], true);
    let first = std::fs::metadata(&path).unwrap().len();
    append(&mut wal, b"two", false);
    let whole = std::fs::read(&path).unwrap();
    for len in first as usize + 1..whole.len() {
        std::fs::write(&path, &whole[..len]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()], "{len}");
    }
}

#[test]
fn a_record_that_was_on_disk_is_never_dropped_also_when_it_is_the_last() {
    for records in [&[&b"one"[..]][..], &[b"one", b"two"]] {
        let (_dir, path, _) = written(records, true);
        let whole = std::fs::read(&path).unwrap();
        // the note behind the last record is all that is not needed to read it
        for at in 0..whole.len() - HEADER {
            write_damaged(&path, &whole, at);
            match replayed(&path, 0) {
                Err(error) => assert_eq!(error.num, crate::error::code::DATADIR_INVALID, "{at}"),
                // a note in the middle
                Ok(seen) => assert_eq!(seen, records, "{at}"),
            }
        }
    }
}

#[test]
fn a_log_synced_later_promises_its_records_as_well() {
    let (_dir, path, mut wal) = written(&[b"one"], false);
    wal.sync().expect("syncs");
    drop(wal);
    write_damaged(&path, &std::fs::read(&path).unwrap(), HEADER);
    assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
}

#[test]
fn records_written_over_those_of_an_earlier_time_end_where_the_new_ones_do() {
    let (_dir, path, mut wal) = written(&[b"one", b"two", b"thr"], false);
    let stale = std::fs::read(&path).unwrap();
    wal.clear().expect("clears");
    append(&mut wal, b"fou", false);
    drop(wal);
    let new = std::fs::read(&path).unwrap();
    // the new record is on disk, that the file was emptied is not
    std::fs::write(&path, [&new, &stale[new.len()..]].concat()).unwrap();
    assert_eq!(replayed(&path, 3).unwrap(), [b"fou".to_vec()]);
}

/// A log whose first file is written over: three records that are not needed any more, then "five" in their place, which
/// follows on "four" in the other file. Gives the bytes of the first file before and after that.
fn written_over(sync: bool) -> (tempfile::TempDir, std::path::PathBuf, Wal, [Vec<u8>; 2]) {
    let (dir, path, mut wal) = written(&[b"one", b"two", b"three"], false);
    wal.rotate();
    append(&mut wal, b"four", true);
    wal.clear_retired(1 << 10).expect("clears");
    let before = std::fs::read(&path).unwrap();
    wal.rotate();
    assert_eq!(wal.current_len(), 0);
    append(&mut wal, b"five", sync);
    let after = std::fs::read(&path).unwrap();
    (dir, path, wal, [before, after])
}

#[test]
fn a_file_that_is_not_needed_any_more_keeps_its_bytes_until_it_is_written_over() {
    let (_dir, path, _, [before, after]) = written_over(false);
    assert_eq!(before.len(), after.len());
    let new = HEADER + b"five".len();
    assert_eq!(before[new..], after[new..]);
    // its beginning is on disk, or its end, and otherwise what was there before
    for len in 0..=new {
        for (first, last) in [(&after, &before), (&before, &after)] {
            let mixed = [&first[..len], &last[len..]].concat();
            std::fs::write(&path, &mixed).unwrap();
            let read: &[&[u8]] = if mixed[..new] == after[..new] { &[b"four", b"five"] } else { &[b"four"] };
            assert_eq!(replayed(&path, 3).unwrap(), read, "{len}");
        }
    }
}

#[test]
fn a_record_that_was_on_disk_is_never_dropped_also_when_it_was_written_over_others() {
    let (_dir, path, _, [_, after]) = written_over(true);
    for at in 0..HEADER + b"five".len() {
        write_damaged(&path, &after, at);
        assert_eq!(replayed(&path, 3).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{at}");
    }
}

#[test]
fn a_file_that_has_become_too_large_gives_its_bytes_back() {
    let (_dir, path, mut wal) = written(&[b"one", b"two"], false);
    wal.rotate();
    wal.clear_retired(20).expect("clears");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
}

#[test]
fn a_log_that_is_emptied_gives_back_what_it_kept() {
    let (_dir, path, mut wal, _) = written_over(false);
    wal.clear_retired(1 << 10).expect("clears");
    wal.rotate();
    wal.clear_retired(1 << 10).expect("clears");
    assert!(!found(&path).is_clean());
    wal.clear().expect("clears");
    assert!(found(&path).is_clean());
}

#[test]
fn damage_before_what_was_on_disk_is_an_error() {
    let (_dir, path, _) = written(&[b"one", b"two", b"thr"], true);
    let whole = std::fs::read(&path).unwrap();
    write_damaged(&path, &whole, whole.len() / 3 + 20);
    assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
}

#[test]
fn a_gap_that_was_never_on_disk_is_the_work_of_a_crash() {
    let (_dir, path, _) = written(&[b"one", b"two", b"thr"], false);
    let whole = std::fs::read(&path).unwrap();
    write_damaged(&path, &whole, whole.len() / 3 + 20);
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()]);
}

#[test]
fn a_log_that_begins_too_late_is_an_error() {
    let (_dir, path, mut wal) = written(&[b"one"], true);
    wal.rotate();
    append(&mut wal, b"two", true);
    std::fs::write(&path, []).unwrap();
    assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
    assert_eq!(replayed(&path, 1).unwrap(), [b"two".to_vec()]);
}

/// The same record elsewhere in its file, in another use of the file, or of another directory.
#[test]
fn a_record_counts_only_at_its_place_in_this_use_of_the_file_of_this_directory() {
    let (_dir, path, mut wal) = written(&[b"one", b"two"], false);
    let whole = std::fs::read(&path).unwrap();
    let record = whole.len() / 2;
    assert_eq!(replayed_by(Some(Secret(SECRET.0 ^ 1)), &path, 0).unwrap(), [b""; 0], "of another directory");
    std::fs::write(&path, [&whole[..record], &[0; 8], &whole[record..]].concat()).unwrap();
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()], "elsewhere");
    std::fs::write(&path, &whole).unwrap();
    wal.clear().expect("clears");
    wal.sequence = 0;
    append(&mut wal, b"oen", false);
    let again = std::fs::read(&path).unwrap();
    assert_eq!(again.len(), record);
    std::fs::write(&path, [&again, &whole[record..]].concat()).unwrap();
    assert_eq!(replayed(&path, 0).unwrap(), [b"oen".to_vec()], "of another use");
}

/// Records and notes that somebody could know of who writes documents: of another directory, and of an earlier version. Each
/// would be the next behind a record.
fn records_of_others(last: u64) -> Vec<u8> {
    let (_dir, path, mut wal) = written(&[], false);
    (wal.secret, wal.sequence) = (Secret(7), last);
    (0..4_u8).for_each(|n| append(&mut wal, &[n; 4], true));
    let earlier =
        (last + 1..last + 4).flat_map(|n| [earlier::tests::record(n, n, &[7; 4]), earlier::tests::record(n, n, &[])]);
    earlier.flatten().chain(std::fs::read(&path).unwrap()).collect()
}

/// Every way in which a file can end when the process is killed while it writes.
fn kill_at_every_byte(path: &Path, before: &[u8], check: impl Fn(usize)) {
    let after = std::fs::read(path).unwrap();
    let changed = before.len().max(after.len());
    for len in 0..=after.len() {
        let rest = before.get(len..changed).unwrap_or_default();
        std::fs::write(path, [&after[..len], rest].concat()).unwrap();
        check(len);
    }
    std::fs::write(path, after).unwrap();
}

#[test]
fn the_text_of_a_document_never_counts_as_a_record_wherever_the_process_is_killed() {
    let records = records_of_others(1);
    for filler in 0..8 {
        let (_dir, path, mut wal) = written(&[b"one"], false);
        // also what stands in the log itself, as if somebody had read the file
        let document = [&vec![7; filler], records.as_slice(), &std::fs::read(&path).unwrap()].concat();
        let before = std::fs::read(&path).unwrap();
        append(&mut wal, &document, false);
        let all = [b"one".to_vec(), document];
        kill_at_every_byte(&path, &before, |len| {
            let seen = replayed(&path, 0).unwrap();
            assert!(all.starts_with(&seen), "killed at {len}: {} records", seen.len());
            assert!(!seen.is_empty() || len < before.len(), "killed at {len}");
        });
    }
}

#[test]
fn what_a_file_held_before_never_counts_again_wherever_the_process_is_killed() {
    let records = records_of_others(5);
    for filler in 0..2 * HEADER {
        // also what stands in the log itself
        let (_dir, path, mut wal) = written(&[&vec![7; filler], &records, &records], false);
        append(&mut wal, &std::fs::read(&path).unwrap(), false);
        wal.rotate();
        append(&mut wal, b"five", false);
        let new = [b"five".to_vec(), vec![7; 2 * HEADER]];
        wal.clear_retired(1 << 20).expect("clears");
        let before = std::fs::read(&path).unwrap();
        wal.rotate();
        wal.sequence -= 1;
        append(&mut wal, &new[0], false);
        append(&mut wal, &new[1], false);
        let after = std::fs::read(&path).unwrap();
        let written = 4 * HEADER + new[0].len();
        for len in 0..=written {
            std::fs::write(&path, [&after[..len], &before[len..]].concat()).unwrap();
            let seen = replayed(&path, 4).unwrap();
            assert!(new.starts_with(&seen), "{filler}, killed at {len}: {} records", seen.len());
        }
        assert_eq!(replayed(&path, 4).unwrap(), new);
    }
}

#[test]
fn a_log_of_an_earlier_version_is_read_and_then_empty() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log");
    let records = [(1, 0, &b"one"[..]), (2, 0, b"two"), (2, 2, b"")];
    let bytes: Vec<u8> = records.into_iter().flat_map(|(n, synced, b)| earlier::tests::record(n, synced, b)).collect();
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(replayed_by(None, &path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec()]);
    assert_eq!(replayed(&path, 0).unwrap(), [b""; 0], "once");
    write_damaged(&path, &bytes, 30);
    assert_eq!(replayed_by(None, &path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
    std::fs::write(&path, &bytes[..bytes.len() - 30]).unwrap();
    assert_eq!(replayed_by(None, &path, 0).unwrap(), [b"one".to_vec()], "a torn end");
    let mut wal = empty(&path, 2);
    assert!(found(&path).is_clean());
    append(&mut wal, b"three", false);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
}
