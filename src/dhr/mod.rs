//! The device history record of a serial, as a PDF for people who must trust it.
//!
//! A page is on disk as soon as it is drawn and an attachment is in memory only while it is copied, so a record of any
//! length needs the memory of its largest attachment. That is why pages are written with `pdf-writer` rather than
//! through a crate that holds the whole document until its end.

mod annotations;
mod attachments;
mod document;
mod file;
mod fonts;
mod imported;
mod layout;
mod logo;
mod outline;
mod picture;
mod print;
mod record;
mod row;
mod rows;
mod table;
mod text;
mod unfold;
mod value;

use std::fs::File;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use tokio::sync::Semaphore;

use crate::app::App;
use crate::aql;
use crate::error::{Error, Result};
use crate::sheets::shortened;
use crate::store::Access;
use crate::transaction;
use outline::Outline;
use print::Printer;
use rows::{Rows, Spool};

/// Serials whose data are fetched at once.
const BATCH: usize = 50;
/// Deeper than any product; the walk visits every serial once.
const ALL_LEVELS: u32 = 1_000_000;
/// Records made at the same time. More requests wait, so that memory stays bounded.
pub const AT_ONCE: usize = 2;
static PRINTERS: Semaphore = Semaphore::const_new(AT_ONCE);

/// What a record is to contain besides the serial's own data.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Files of the serial's fields.
    pub attachments: bool,
    /// Records of the serials below.
    pub children: bool,
    /// Steps that were executed.
    pub step_data: bool,
}

/// A finished record.
#[derive(Debug)]
pub struct DeviceHistory {
    /// The PDF, to be read from its beginning. It vanishes with this handle.
    pub file: File,
    /// Its size in bytes.
    pub size: u64,
    /// The name it should have.
    pub name: String,
}

/// What is the same on all pages.
struct Setting {
    options: Options,
    company: String,
    logo: Option<String>,
    media_root: PathBuf,
    time: DateTime<Utc>,
}

/// Makes the record of a serial. `None` when there is no such serial.
pub async fn print(app: &App, serial_key: &str, options: Options) -> Result<Option<DeviceHistory>> {
    let permit = PRINTERS.acquire().await.map_err(not_made)?;
    let Some(Content { outline, name, keys, rows }) = read(app, serial_key, options).await? else { return Ok(None) };
    let time = Utc::now();
    let setting = Setting {
        options,
        company: outline.company(),
        logo: outline.company_logo.clone(),
        media_root: app.settings.media_root(),
        time,
    };
    let data_dir = app.settings.data_dir.clone();
    let printing = tokio::task::spawn_blocking(move || {
        // Held as long as the work goes on, even when nobody waits for it any more.
        let _permit = permit;
        let file = tempfile::tempfile_in(data_dir)?;
        Printer::new(file, setting, outline)?.print(&keys, rows)
    });
    let (file, size) = printing.await.map_err(not_made)?.map_err(not_made)?;
    Ok(Some(DeviceHistory { file, size, name: file_name(&name, time) }))
}

/// What a record needs of the database.
struct Content {
    outline: Outline,
    /// What the serial is called.
    name: String,
    /// The serials that get a record, in order.
    keys: Vec<String>,
    rows: Rows,
}

/// Reads all of it from one state of the database. `None` when there is no such serial.
async fn read(app: &App, serial_key: &str, options: Options) -> Result<Option<Content>> {
    let depth = if options.children { ALL_LEVELS } else { 1 };
    transaction!(app.store, Access::of(&[aql::dhr::OUTLINE, aql::dhr::RECORDS]), |trx| {
        let outline: Outline =
            aql::dhr::outline(trx, aql::dhr::outline::Params { serial_key, depth: depth.into() }).await?;
        let Some(name) = outline.name(serial_key).map(str::to_owned) else { return Ok(None) };
        let keys = outline.records(serial_key, options.children);
        let mut spool = Spool::begin(&app.settings.data_dir).await.map_err(not_made)?;
        for batch in keys.chunks(BATCH) {
            let params = aql::dhr::records::Params { serial_keys: batch.into(), include_step_data: options.step_data };
            let rows = aql::dhr::records(trx, params).await?;
            spool.append(&rows).await.map_err(not_made)?;
        }
        let rows = spool.rows().await.map_err(not_made)?;
        Ok(Some(Content { outline, name, keys, rows }))
    })
}

fn not_made(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::internal("The device history record could not be made. Try again or with fewer parts.", cause)
}

/// The most characters of a serial's name in that of a file.
const LONGEST_IN_NAME: usize = 100;

/// `DHR_<serial>_<time>.pdf`, in characters that every header and file system takes, and not more of them.
fn file_name(serial: &str, time: DateTime<Utc>) -> String {
    let serial = shortened(serial, LONGEST_IN_NAME);
    let raw = format!("DHR_{serial}_{}", time.format("%Y%m%d_%H%M%S"));
    let mut name = String::with_capacity(raw.len());
    for c in raw.chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.') { c } else { '_' };
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    name + ".pdf"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_plain_and_runs_of_underscores_are_one() {
        let time = DateTime::from_timestamp(1_777_881_600, 0).unwrap();
        assert_eq!(file_name("A/B-1.2 x", time), "DHR_A_B-1.2 x_20260504_080000.pdf");
        let long = file_name(&"x".repeat(900_000), time);
        assert_eq!(long, format!("DHR_{}_20260504_080000.pdf", "x".repeat(100)));
        assert_eq!(file_name("__ü\"\r\n__", time), "DHR_20260504_080000.pdf");
    }
}
