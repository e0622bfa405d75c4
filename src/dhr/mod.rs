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
mod table;
mod text;
mod unfold;
mod value;

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use crate::app::App;
use crate::aql;
use crate::error::{Error, Result};
use outline::Outline;
use print::Printer;
use row::Row;

/// Serials whose data are fetched at once.
const BATCH: usize = 50;
/// Deeper than any product; the walk visits every serial once.
const ALL_LEVELS: u32 = 1_000_000;
/// Records made at the same time. More requests wait, so that memory stays bounded.
static PRINTERS: Semaphore = Semaphore::const_new(2);

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
    let depth = if options.children { ALL_LEVELS } else { 1 };
    let params = json!({"serial_key": serial_key, "depth": depth});
    let Some(outline) = app.store.row::<Outline>(&aql::dhr::OUTLINE, params).await? else { return Ok(None) };
    let Some(serial) = outline.name(serial_key) else { return Ok(None) };
    let time = Utc::now();
    let name = file_name(serial, time);
    let keys = outline.records(serial_key, options.children);

    let permit = PRINTERS.acquire().await.map_err(not_made)?;
    let setting = Setting {
        options,
        company: outline.company(),
        logo: outline.company_logo.clone(),
        media_root: app.settings.media_root(),
        time,
    };
    let data_dir = app.settings.data_dir.clone();
    let (sender, receiver) = mpsc::channel::<Vec<Row>>(1);
    let order = keys.clone();
    let printing = tokio::task::spawn_blocking(move || {
        // Held as long as the work goes on, even when nobody waits for it any more.
        let _permit = permit;
        let file = tempfile::tempfile_in(data_dir)?;
        Printer::new(file, setting, outline)?.print(&order, Rows { receiver, waiting: HashMap::new() })
    });
    for batch in keys.chunks(BATCH) {
        let params = json!({"serial_keys": batch, "include_step_data": options.step_data});
        let rows = app.store.rows(&aql::dhr::RECORDS, params).await?;
        if sender.send(rows).await.is_err() {
            break;
        }
    }
    drop(sender);
    let (file, size) = printing.await.map_err(not_made)?.map_err(not_made)?;
    Ok(Some(DeviceHistory { file, size, name }))
}

fn not_made(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::internal("The device history record could not be made. Try again or with fewer parts.", cause)
}

/// The rows of the serials, as they come in.
struct Rows {
    receiver: mpsc::Receiver<Vec<Row>>,
    waiting: HashMap<String, Row>,
}

impl Rows {
    /// The row of the next serial; serials are asked for in the order of their batches.
    fn take(&mut self, serial_key: &str) -> Option<Row> {
        if let Some(row) = self.waiting.remove(serial_key) {
            return Some(row);
        }
        if self.waiting.is_empty() {
            let batch = self.receiver.blocking_recv()?;
            self.waiting.extend(batch.into_iter().map(|row| (row.serial_key.clone(), row)));
        }
        self.waiting.remove(serial_key)
    }
}

/// `DHR_<serial>_<time>.pdf`, in characters that every header and file system takes.
fn file_name(serial: &str, time: DateTime<Utc>) -> String {
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
        assert_eq!(file_name("__ü\"\r\n__", time), "DHR_20260504_080000.pdf");
    }
}
