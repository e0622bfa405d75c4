//! The rows of a file, a portion at a time.

use std::path::Path;

use tokio::sync::mpsc;

use super::{Rows, place, read};
use crate::error::{Error, Result};

/// Rows that are checked at once.
const PORTION: usize = 2_000;

/// The rows of a file, a portion at a time. It is read on a thread of its own, never more than a portion ahead.
pub struct Portions<R: Rows> {
    messages: mpsc::Receiver<Result<Message<R::Row>>>,
}

/// What the reading thread tells.
pub enum Message<Row> {
    /// The next rows.
    Rows(Vec<Row>),
    /// The file is at its end; it has these columns that mean nothing to an import.
    End(Vec<String>),
}

impl<R: Rows> Portions<R> {
    /// Begins to read the file at `path`, whose kind its `name` tells, when not too many others are read.
    pub async fn open(path: &Path, name: &str) -> Self {
        let (path, name) = (path.to_owned(), name.to_owned());
        let (sender, messages) = mpsc::channel(1);
        let place = place().await;
        tokio::task::spawn_blocking(move || {
            let _place = place;
            let mut rows = Vec::with_capacity(PORTION);
            let read = read::<R>(&path, &name, &|| !sender.is_closed(), &mut |row| {
                rows.push(row);
                if rows.len() < PORTION {
                    return Ok(());
                }
                sender.blocking_send(Ok(Message::Rows(std::mem::take(&mut rows)))).map_err(|_| gone())
            });
            let last = read.map(|ignored| [Message::Rows(rows), Message::End(ignored)]);
            // Who has stopped listening does not want the rest.
            match last {
                Ok(messages) => drop(messages.map(|message| sender.blocking_send(Ok(message)))),
                Err(error) => drop(sender.blocking_send(Err(error))),
            }
        });
        Self { messages }
    }

    /// What comes next.
    pub async fn next(&mut self) -> Result<Message<R::Row>> {
        self.messages.recv().await.unwrap_or_else(|| Err(gone()))
    }
}

fn gone() -> Error {
    Error::internal("The import file could not be read.", "reading broke off")
}
