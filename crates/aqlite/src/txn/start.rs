//! Opening the files of a data directory: what only the log has is brought into the tables. The committer makes that durable and
//! empties the log, so that a disk which is full can be read.

use std::path::Path;

use redb::Durability;

use super::damage;
use crate::error::code;
use crate::storage::{DataFile, Disk, FoundLog, Meta, Replay, Secret, Wal, WriteTables, storage_error};
use crate::{Error, Result};

/// The name of the data file.
pub(super) const DATA_FILE: &str = "aqlite.redb";
/// The name of the log; that of its second file is derived from it.
const LOG_FILE: &str = "aqlite.log";
/// The layout of this version.
const FORMAT: u64 = 6;
/// Those whose data is understood as well: the first knew no numbers of objects, the second no entries of places, the third
/// no origins of documents, the fourth rounded large numbers, the fifth had no secret of the log. What they lack is made when
/// the directory is opened, and from then on they cannot read it.
const EARLIER_FORMATS: [u64; 5] = [1, 2, 3, 4, 5];

/// The files of a data directory: tables that have everything which was committed, and the log.
pub(super) struct Opened {
    pub file: DataFile,
    pub wal: Wal,
    /// What the tables have is durable, and the log is empty. Otherwise both has to be done before anything is written.
    pub is_clean: bool,
}

/// Opens or creates the files.
pub(super) fn open_files(data_dir: &Path, page_cache: usize, disk: &dyn Disk) -> Result<Opened> {
    let cannot = |what: &str| format!("cannot {what} the data directory {}", data_dir.display());
    disk.create_directory(data_dir).map_err(|e| storage_error(&cannot("create"), e))?;
    let file = DataFile::open(&data_dir.join(DATA_FILE), page_cache, disk)?;
    let mut log = FoundLog::read(&data_dir.join(LOG_FILE), disk)?;
    // nothing to replay is the usual case and costs no write
    let is_clean = file.is_initialized()? && log.is_clean() && file.read()?.number(Meta::Format)? == FORMAT;
    if !is_clean {
        damage::named(&file, || file.write(Durability::None, |tables| recover(&mut log, tables))).map_err(refused)?;
    }
    let tables = file.read()?;
    let wal = log.opened(Secret(tables.number(Meta::LogSecret)?), tables.number(Meta::Applied)?)?;
    // new files survive a power loss only when their directory is on disk
    disk.sync_directory(data_dir).map_err(|e| storage_error(&cannot("sync"), e))?;
    Ok(Opened { file, wal, is_clean })
}

/// Where something is damaged, tells what that means and what can be done.
fn refused(error: Error) -> Error {
    if error.num != code::DATADIR_INVALID {
        return error;
    }
    let message = format!(
        "{}. What the log has cannot be brought into the tables, so the directory stays closed and as it was. A check of it \
         tells what else is damaged; restore the latest backup",
        error.message
    );
    Error::new(error.num, message)
}

/// Brings into the tables what they lack: what only the log has, and what earlier versions did not know.
fn recover(log: &mut FoundLog, tables: &mut WriteTables<'_>) -> Result<()> {
    let format = tables.number(Meta::Format)?;
    let is_earlier = format == 0 || EARLIER_FORMATS.contains(&format);
    if !is_earlier && format != FORMAT {
        return Err(Error::new(
            code::INCOMPATIBLE_VERSION,
            format!("the data directory has layout {format}, this version reads layout {FORMAT}"),
        ));
    }
    let secret = if is_earlier { None } else { Some(Secret(tables.number(Meta::LogSecret)?)) };
    let mut replay = Replay::default();
    let last = log.replay(secret, tables.number(Meta::Applied)?, |record| replay.add(record, tables))?;
    replay.finish(tables)?;
    tables.set_number(Meta::Applied, last)?;
    if is_earlier {
        tables.set_number(Meta::LogSecret, rand::random())?;
        tables.set_number(Meta::Format, FORMAT)?;
    }
    Ok(())
}
