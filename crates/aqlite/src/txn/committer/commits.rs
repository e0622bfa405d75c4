//! Who commits: whoever wants to, where nobody else is at it. To wake another thread and to be woken by it takes longer than
//! a small commit. What comes meanwhile waits, and the thread that sees to everything else commits it together.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use parking_lot::Mutex;

use super::{Commit, Committer, Message};
use crate::error::code;
use crate::{Error, Result};

/// More than this is not put into one write.
const GROUP_LIMIT: usize = 8 << 20;

/// The committer, and what waits for it.
pub(crate) struct Commits {
    /// Out of its place while somebody works with it: a panic ends it, and nobody goes on with what it left.
    committer: Mutex<Option<Box<Committer>>>,
    waiting: Mutex<Waiting>,
    wake: Sender<Message>,
}

#[derive(Default)]
struct Waiting {
    commits: VecDeque<Commit>,
    is_closed: bool,
}

/// Wakes the thread when what goes on here ends in a panic: others wait for it.
struct WakeAfterPanic<'c>(&'c Sender<Message>);

impl Drop for WakeAfterPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send(Message::Look);
        }
    }
}

fn shut_down() -> Error {
    Error::plain(code::SHUTTING_DOWN)
}

impl Commits {
    /// `wake` sends to the channel that [`Self::run`] reads.
    pub fn new(committer: Committer, wake: Sender<Message>) -> Self {
        Self { committer: Mutex::new(Some(Box::new(committer))), waiting: Mutex::default(), wake }
    }

    /// Asks the thread for something.
    pub fn send(&self, message: Message) -> Result<()> {
        self.wake.send(message).map_err(|_| shut_down())
    }

    /// Commits a transaction, here or elsewhere: its `reply` hears of it.
    pub fn commit(&self, commit: Commit) -> Result<()> {
        {
            let mut waiting = self.waiting.lock();
            if waiting.is_closed {
                return Err(shut_down());
            }
            waiting.commits.push_back(commit);
        }
        let _woken = WakeAfterPanic(&self.wake);
        // whoever is at work looks afterwards whether somebody waits
        let Some(mut place) = self.committer.try_lock() else { return Ok(()) };
        let Some(mut committer) = place.take() else { return self.send(Message::Look) };
        committer.commit(self.next_group());
        committer.go_on();
        let is_due = committer.is_due_earlier();
        *place = Some(committer);
        drop(place);
        if is_due || self.is_waited_for() { self.send(Message::Look) } else { Ok(()) }
    }

    /// Those that are committed together next.
    fn next_group(&self) -> Vec<Commit> {
        let mut waiting = self.waiting.lock();
        let mut size = 0;
        let fits = |commit: &&Commit| {
            let fits = size < GROUP_LIMIT;
            size += commit.batch.len();
            fits
        };
        let count = waiting.commits.iter().take_while(fits).count();
        waiting.commits.drain(..count).collect()
    }

    fn is_waited_for(&self) -> bool {
        !self.waiting.lock().commits.is_empty()
    }

    /// Nobody commits any more; gives those that wait.
    fn end(&self) -> Vec<Commit> {
        let mut waiting = self.waiting.lock();
        waiting.is_closed = true;
        waiting.commits.drain(..).collect()
    }

    /// Works until the store is closed.
    pub fn run(&self, messages: &Receiver<Message>) {
        let mut message = None;
        loop {
            let mut place = self.committer.lock();
            let Some(mut committer) = place.take() else {
                drop(self.end());
                return;
            };
            if let Some(Message::Close(reply)) = message {
                committer.commit(self.end());
                let result = committer.checkpoint();
                // the file is released before the caller goes on, so that it can be opened again
                drop(committer);
                let _ = reply.send(result);
                return;
            }
            committer.commit(self.next_group());
            committer.see_to(message.take());
            committer.keep_house();
            let deadline = committer.rest();
            *place = Some(committer);
            drop(place);
            if self.is_waited_for() {
                continue;
            }
            message = match next_message(messages, deadline) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
    }
}

fn next_message(
    messages: &Receiver<Message>,
    deadline: Option<Instant>,
) -> std::result::Result<Message, RecvTimeoutError> {
    match deadline {
        None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
    }
}
