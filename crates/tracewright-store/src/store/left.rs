//! Transactions that a process which was killed has left open on a server. The server ends them after a minute in which nobody
//! used them, and until then they hold collections. So a process notes those it has open in a file of the data folder, and
//! whoever starts on the folder next ends what is left of those who are gone. That somebody is gone the lock of their file
//! tells, which the system takes back when a process ends, whichever way. Nobody else's transactions are touched: those of
//! analysts, of other processes and of commands are in no such file, or in one that is locked.
//!
//! The embedded engine's transactions end with its process.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arangors::Database;
use http::Method;
use serde::Deserialize;
use serde_json::Value;

use super::{Client, StoreError, send};
use crate::secrets;
use crate::settings::{self, Settings};

/// The folder of the files, in the data folder.
const FOLDER: &str = "transactions";
/// How a file ends that is complete and locked, or whose process is gone.
const EXTENSION: &str = "open";
/// Length of a place for the identifier of a transaction, with the end of its line.
const PLACE: usize = 32;

/// The file in which this process notes its open transactions.
#[derive(Debug)]
pub(super) struct Left {
    path: PathBuf,
    /// Locked as long as it is open.
    file: File,
    /// Where the first place begins.
    begin: u64,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    free: Vec<u64>,
    /// How many there are.
    number: u64,
}

/// That a transaction is open, until this is dropped.
#[derive(Debug)]
pub(super) struct Note {
    left: Arc<Left>,
    place: u64,
}

impl Left {
    /// A file of this process in a data folder, for transactions of a database.
    pub(super) fn create(settings: &Settings) -> io::Result<Arc<Self>> {
        let folder = settings.data_dir.join(FOLDER);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let name = secrets::random(16);
        let (new, path) = (folder.join(format!("{name}.new")), folder.join(format!("{name}.{EXTENSION}")));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&new)?;
        file.lock()?;
        let head = head(&settings.database);
        file.write_all_at(head.as_bytes(), 0)?;
        // Under this name it is looked at, so by then it is locked.
        fs::rename(new, &path)?;
        Ok(Arc::new(Self { path, file, begin: head.len() as u64, places: Mutex::default() }))
    }

    /// Notes an open transaction.
    pub(super) fn note(self: &Arc<Self>, id: &str) -> Note {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.free.pop().unwrap_or_else(|| {
            places.number += 1;
            places.number - 1
        });
        drop(places);
        self.write(place, id);
        Note { left: Arc::clone(self), place }
    }

    /// What cannot be noted only costs time, and only when the process is killed.
    fn write(&self, place: u64, text: &str) {
        let line = format!("{text:<width$}\n", width = PLACE - 1);
        if let Err(error) = self.file.write_all_at(line.as_bytes(), self.begin + place * PLACE as u64) {
            tracing::debug!(%error, "an open transaction could not be noted");
        }
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.left.write(self.place, "");
        self.left.places.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.place);
    }
}

/// The first line: whose transactions these are. Those of another database are not this one's to end.
fn head(database: &settings::Database) -> String {
    format!("{} {} {}\n", database.url, database.name, database.username)
}

/// What processes that are gone have noted of this database. Their files are removed.
fn noted_by_others(settings: &Settings) -> io::Result<Vec<String>> {
    let mut noted = Vec::new();
    let entries = match fs::read_dir(settings.data_dir.join(FOLDER)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(noted),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            noted.extend(noted_in(&path, &settings.database)?);
        }
    }
    Ok(noted)
}

fn noted_in(path: &Path, database: &settings::Database) -> io::Result<Vec<String>> {
    let file = match File::open(path) {
        // Its process has just ended, or another one has looked at it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    if file.try_lock().is_err() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    fs::remove_file(path)?;
    let ids = text.strip_prefix(&head(database)).unwrap_or_default().lines().map(str::trim);
    Ok(ids.filter(|id| !id.is_empty()).map(str::to_owned).collect())
}

/// Ends what processes that are gone have left open in this database.
pub(super) async fn end(client: &Client, database: &Database<Client>, settings: &Settings) {
    let noted = noted_by_others(settings).unwrap_or_else(|error| {
        tracing::warn!(%error, "what a process that was killed has left open cannot be looked for in the data folder");
        Vec::new()
    });
    if noted.is_empty() {
        return;
    }
    match end_of(client, database, &noted).await {
        Ok(0) => {}
        Ok(number) => tracing::info!(number, "transactions were ended that a process which was killed had left open"),
        Err(error) => tracing::warn!(%error, "transactions that a process which was killed had left open stay for now"),
    }
}

/// Ends those of the transactions that are still open, and says how many. A server lists those of the user who asks.
async fn end_of(client: &Client, database: &Database<Client>, noted: &[String]) -> Result<usize, StoreError> {
    #[derive(Deserialize)]
    struct Listed {
        transactions: Vec<Open>,
    }
    #[derive(Deserialize)]
    struct Open {
        id: String,
    }
    let listed: Listed = send(client, database, Method::GET, "_api/transaction", None).await?;
    let mut number = 0;
    for open in listed.transactions.iter().filter(|open| noted.contains(&open.id)) {
        let path = format!("_api/transaction/{}", open.id);
        match send::<Value>(client, database, Method::DELETE, &path, None).await {
            Ok(_) => number += 1,
            // It has ended by itself.
            Err(StoreError::GivenUp(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(folder: &Path, name: &str) -> Settings {
        let folder = folder.display().to_string();
        Settings::with(&[
            ("data_dir", folder),
            ("database.url", "http://127.0.0.1:1".to_owned()),
            ("database.name", name.to_owned()),
        ])
        .unwrap()
    }

    /// Leaves the file as a process does that is killed.
    fn killed(left: Arc<Left>, notes: Vec<Note>) {
        let (path, text) = (left.path.clone(), fs::read_to_string(&left.path).unwrap());
        drop((notes, left));
        fs::write(path, text).unwrap();
    }

    #[test]
    fn what_was_open_when_a_process_was_killed_is_found_once() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path(), "one");
        let left = Left::create(&settings).unwrap();
        let mut notes = vec![left.note("11"), left.note("12"), left.note("13")];
        drop(notes.remove(1));
        notes.push(left.note("14"));
        assert_eq!(noted_by_others(&settings).unwrap(), [""; 0], "it is still running");
        killed(left, notes);
        assert_eq!(noted_by_others(&settings).unwrap(), ["11", "14", "13"]);
        assert_eq!(noted_by_others(&settings).unwrap(), [""; 0]);
    }

    #[test]
    fn what_was_open_in_another_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (settings(folder.path(), "one"), settings(folder.path(), "other"));
        let left = Left::create(&one).unwrap();
        let note = left.note("11");
        killed(left, vec![note]);
        assert_eq!(noted_by_others(&other).unwrap(), [""; 0]);
    }

    #[test]
    fn a_process_that_ends_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path(), "one");
        drop(Left::create(&settings).unwrap().note("11"));
        assert_eq!(fs::read_dir(folder.path().join(FOLDER)).unwrap().count(), 0);
    }
}
