use std::path::Path;

use super::super::disk::SystemDisk;
use super::found::second;
use super::*;

fn found(path: &Path) -> FoundLog {
    FoundLog::read(path, &SystemDisk).expect("reads")
}

fn open(path: &Path, applied: u64) -> Wal {
    found(path).open(applied, |_| Ok(())).expect("opens")
}

fn written(records: &[&[u8]], sync: bool) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log");
    let mut wal = open(&path, 0);
    for record in records {
        wal.append(std::iter::once(&LogRecord::from(*record)), sync).expect("appends");
    }
    (dir, path)
}

/// Writes a file with one bit of a byte changed.
fn write_damaged(path: &Path, whole: &[u8], at: usize) {
    let mut bytes = whole.to_vec();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

/// Two records in the file that was set aside, one in the other.
fn rotated() -> (tempfile::TempDir, std::path::PathBuf) {
    let (dir, path) = written(&[b"one", b"two"], false);
    // opening it syncs it
    let mut wal = open(&path, 0);
    wal.rotate();
    wal.append(std::iter::once(&LogRecord::from(&b"three"[..])), false).expect("appends");
    assert_eq!((wal.is_empty(), wal.sequence()), (false, 3));
    (dir, path)
}

fn replayed(path: &Path, applied: u64) -> Result<Vec<Vec<u8>>> {
    let mut seen = Vec::new();
    found(path).open(applied, |batch| {
        seen.push(batch.to_vec());
        Ok(())
    })?;
    Ok(seen)
}

#[test]
fn what_was_appended_is_replayed_once() {
    let (_dir, path) = written(&[b"one", b"two", b"three"], false);
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
    assert!(replayed(&path, 3).unwrap().is_empty());
}

#[test]
fn what_was_set_aside_is_replayed_before_what_came_then() {
    let (_dir, path) = rotated();
    assert!(!found(&path).is_clean());
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()]);
    // the next rotation goes the other way round
    let mut wal = open(&path, 2);
    wal.clear_retired(0).expect("clears");
    wal.rotate();
    wal.append(std::iter::once(&LogRecord::from(&b"four"[..])), true).expect("appends");
    drop(wal);
    assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec(), b"four".to_vec()]);
}

#[test]
fn a_file_that_was_set_aside_and_not_emptied_any_more_is_passed_over() {
    let (_dir, path) = rotated();
    let stale = std::fs::read(&path).unwrap();
    let mut wal = open(&path, 3);
    wal.clear().expect("clears");
    drop(wal);
    assert!(found(&path).is_clean());
    // the power went before the end of the file was on disk
    std::fs::write(&path, stale).unwrap();
    assert!(replayed(&path, 3).unwrap().is_empty());
}

#[test]
fn a_torn_end_is_cut_off_in_the_file_that_came_last() {
    let (_dir, path) = rotated();
    let whole = std::fs::read(second(&path)).unwrap();
    for len in 1..whole.len() {
        std::fs::write(second(&path), &whole[..len]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec(), b"two".to_vec()], "{len}");
    }
}

#[test]
fn a_torn_end_of_what_was_set_aside_is_damage() {
    let (_dir, path) = rotated();
    let whole = std::fs::read(&path).unwrap();
    for len in [whole.len() - 1, whole.len() / 2, 0] {
        std::fs::write(&path, &whole[..len]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{len}");
    }
}

#[test]
fn what_follows_on_a_torn_end_that_was_never_on_disk_is_cut_off_with_it() {
    let (_dir, path) = written(&[], false);
    let mut wal = open(&path, 0);
    let append = |wal: &mut Wal, record: &[u8]| {
        wal.append(std::iter::once(&LogRecord::from(record)), false).expect("appends");
    };
    append(&mut wal, b"one");
    append(&mut wal, b"two");
    wal.rotate();
    append(&mut wal, b"three");
    let (first, other) = (path.clone(), second(&path));
    let (whole, rest) = (std::fs::read(&first).unwrap(), std::fs::read(&other).unwrap());
    assert!(!whole.is_empty() && !rest.is_empty());
    for (len, left) in [(whole.len() - 1, 1), (whole.len() / 2, 1), (whole.len() / 2 - 1, 0), (0, 0)] {
        std::fs::write(&first, &whole[..len]).unwrap();
        std::fs::write(&other, &rest).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()][..left], "{len}");
        assert_eq!(std::fs::metadata(&other).unwrap().len(), 0, "{len}");
        // what the tables have does not matter
        std::fs::write(&first, &whole[..len]).unwrap();
        std::fs::write(&other, &rest).unwrap();
        assert_eq!(replayed(&path, 2).unwrap(), [b"three".to_vec()], "{len}");
    }
    // the same behind a sync of both, or of the first alone, is damage
    let to_sync = wal.to_sync();
    append(&mut wal, b"four");
    wal.was_synced(to_sync.sync()).expect("syncs");
    let rest = std::fs::read(&other).unwrap();
    for len in [whole.len() - 1, whole.len() / 2, 0] {
        std::fs::write(&first, &whole[..len]).unwrap();
        std::fs::write(&other, &rest).unwrap();
        assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{len}");
        assert_eq!(std::fs::read(&first).unwrap().len(), len, "nothing is changed");
    }
}

#[test]
fn a_note_at_the_beginning_of_a_file_is_about_the_one_before() {
    let (_dir, path) = written(&[], false);
    let mut wal = open(&path, 0);
    for record in [&b"one"[..], b"two"] {
        wal.append(std::iter::once(&LogRecord::from(record)), false).expect("appends");
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
        assert_eq!(seen.is_err(), whole.windows(4).any(|bytes| bytes == MAGIC), "{seen:?}");
        std::fs::write(&file, whole).unwrap();
    }
}

#[test]
fn a_torn_last_record_is_cut_off() {
    let (_dir, path) = written(&[b"one"], true);
    let first = std::fs::metadata(&path).unwrap().len();
    open(&path, 0).append(std::iter::once(&LogRecord::from(&b"two"[..])), false).expect("appends");
    let whole = std::fs::read(&path).unwrap();
    for len in first as usize + 1..whole.len() {
        std::fs::write(&path, &whole[..len]).unwrap();
        assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()], "{len}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), first);
    }
}

#[test]
fn a_record_that_was_on_disk_is_never_dropped_also_when_it_is_the_last() {
    for records in [&[&b"one"[..]][..], &[b"one", b"two"]] {
        let (_dir, path) = written(records, true);
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
    let (_dir, path) = written(&[], false);
    let mut wal = open(&path, 0);
    wal.append(std::iter::once(&LogRecord::from(&b"one"[..])), false).expect("appends");
    wal.sync().expect("syncs");
    drop(wal);
    write_damaged(&path, &std::fs::read(&path).unwrap(), HEADER);
    assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
}

#[test]
fn records_written_over_those_of_an_earlier_time_end_where_the_new_ones_do() {
    let (_dir, path) = written(&[b"one", b"two", b"thr"], false);
    let stale = std::fs::read(&path).unwrap();
    let mut wal = open(&path, 0);
    wal.clear().expect("clears");
    wal.append(std::iter::once(&LogRecord::from(&b"fou"[..])), false).expect("appends");
    drop(wal);
    let new = std::fs::read(&path).unwrap();
    // the new record is on disk, that the file was emptied is not
    std::fs::write(&path, [&new, &stale[new.len()..]].concat()).unwrap();
    assert_eq!(replayed(&path, 3).unwrap(), [b"fou".to_vec()]);
}

/// A log whose first file is written over: three records that are not needed any more, then "five" in their place, which
/// follows on "four" in the other file. Gives the bytes of the first file before and after that.
fn written_over(sync: bool) -> (tempfile::TempDir, std::path::PathBuf, [Vec<u8>; 2]) {
    let (dir, path) = written(&[b"one", b"two", b"three"], false);
    let mut wal = open(&path, 0);
    let append = |wal: &mut Wal, record: &[u8], sync: bool| {
        wal.append(std::iter::once(&LogRecord::from(record)), sync).expect("appends");
    };
    wal.rotate();
    append(&mut wal, b"four", true);
    wal.clear_retired(1 << 10).expect("clears");
    let before = std::fs::read(&path).unwrap();
    wal.rotate();
    assert_eq!(wal.current_len(), 0);
    append(&mut wal, b"five", sync);
    drop(wal);
    let after = std::fs::read(&path).unwrap();
    (dir, path, [before, after])
}

#[test]
fn a_file_that_is_not_needed_any_more_keeps_its_bytes_until_it_is_written_over() {
    let (_dir, path, [before, after]) = written_over(false);
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
    let (_dir, path, [_, after]) = written_over(true);
    for at in 0..HEADER + b"five".len() {
        write_damaged(&path, &after, at);
        assert_eq!(replayed(&path, 3).unwrap_err().num, crate::error::code::DATADIR_INVALID, "{at}");
    }
}

#[test]
fn a_file_that_has_become_too_large_gives_its_bytes_back() {
    let (_dir, path) = written(&[b"one", b"two"], false);
    let mut wal = open(&path, 0);
    wal.rotate();
    wal.clear_retired(20).expect("clears");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
}

#[test]
fn a_log_that_is_emptied_gives_back_what_it_kept() {
    let (_dir, path, _) = written_over(false);
    let mut wal = open(&path, 3);
    wal.rotate();
    wal.clear_retired(1 << 10).expect("clears");
    wal.clear().expect("clears");
    assert!(found(&path).is_clean());
}

#[test]
fn damage_before_what_was_on_disk_is_an_error() {
    let (_dir, path) = written(&[b"one", b"two", b"thr"], true);
    let whole = std::fs::read(&path).unwrap();
    write_damaged(&path, &whole, whole.len() / 3 + 20);
    assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
}

#[test]
fn a_gap_that_was_never_on_disk_is_the_work_of_a_crash() {
    let (_dir, path) = written(&[b"one", b"two", b"thr"], false);
    let whole = std::fs::read(&path).unwrap();
    write_damaged(&path, &whole, whole.len() / 3 + 20);
    assert_eq!(replayed(&path, 0).unwrap(), [b"one".to_vec()]);
}

#[test]
fn a_log_that_begins_too_late_is_an_error() {
    let (_dir, path) = written(&[b"one", b"two"], true);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[bytes.len() / 2..]).unwrap();
    assert_eq!(replayed(&path, 0).unwrap_err().num, crate::error::code::DATADIR_INVALID);
    assert_eq!(replayed(&path, 1).unwrap(), [b"two".to_vec()]);
}
