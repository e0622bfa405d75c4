//! Entries on their way into the tables, around log and memory: in pieces, of which some wait while the next is made, and with
//! a sync every now and then, so that none has much to write.

use std::collections::VecDeque;
use std::sync::mpsc::Receiver;

use super::piece::{Piece, TableEntry};
use super::store::Store;
use crate::error::code;
use crate::{Error, Result};

/// A piece is about so large.
const PIECE: usize = 1 << 20;
/// After so many pieces they are made durable.
const PIECES: usize = 16;
/// So many pieces wait to be brought into the tables.
const WAITING: usize = 3;

/// What is brought into the tables under numbers that nobody else knows.
pub(super) struct Feed {
    store: Store,
    piece: Piece,
    pieces: usize,
    waiting: VecDeque<Receiver<Result<()>>>,
}

impl Feed {
    pub fn new(store: &Store) -> Self {
        Self { store: store.clone(), piece: Piece::default(), pieces: 0, waiting: VecDeque::new() }
    }

    pub fn add(&mut self, entry: TableEntry<'_>) -> Result<()> {
        self.piece.push(entry);
        if self.piece.size() >= PIECE { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<()> {
        self.pieces += 1;
        self.waiting.push_back(self.store.queue().begin_put(std::mem::take(&mut self.piece)));
        if self.pieces.is_multiple_of(PIECES) {
            self.waiting.push_back(self.store.queue().begin_sync());
        }
        self.wait(WAITING)
    }

    /// Waits until no more than so many pieces wait.
    fn wait(&mut self, most: usize) -> Result<()> {
        while self.waiting.len() > most {
            let Some(first) = self.waiting.pop_front() else { break };
            first.recv().map_err(|_| Error::plain(code::SHUTTING_DOWN))??;
        }
        Ok(())
    }

    /// The rest; then all of it survives a power loss and is seen by everybody who knows the numbers.
    pub fn publish(&mut self) -> Result<()> {
        self.send()?;
        self.wait(0)?;
        self.store.queue().publish()
    }
}

impl Feed {
    /// Forgets what did not go on its way, and waits for the rest: nothing comes after this.
    pub fn end(&mut self) {
        self.piece.clear();
        for waiting in self.waiting.drain(..) {
            let _ = waiting.recv();
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.end();
    }
}
