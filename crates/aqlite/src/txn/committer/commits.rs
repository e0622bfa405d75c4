//! Who commits: whoever wants to, where nobody else is at it. To wake another thread and to be woken by it takes longer than
//! a small commit. What comes meanwhile waits, and the thread that sees to everything else commits it together.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::{Commit, Committer, Message};
use crate::error::code;
use crate::{Error, Result};

/// More than this is not put into one write.
const GROUP_LIMIT: usize = 8 << 20;
/// So often the cores are left to others, as long as they bring further commits.
const TURNS: usize = 4;
/// So long whoever may not wait waits for a commit of others: one that is not synced takes no longer.
const MOMENT: Duration = Duration::from_micros(50);

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
struct WakeAfterPanic<'c>(&'c Commits);

impl Drop for WakeAfterPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.look();
        }
    }
}

/// Tells those that wait that nobody commits any more, however the thread ends.
struct EndAll<'c>(&'c Commits);

impl Drop for EndAll<'_> {
    fn drop(&mut self) {
        drop(self.0.end());
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

    /// Wakes the thread. When it has ended, those that wait have been told.
    fn look(&self) {
        let _ = self.wake.send(Message::Look);
    }

    /// Commits a transaction, here or elsewhere: its `reply` hears of it.
    pub fn commit(&self, commit: Commit) -> Result<()> {
        self.queue(commit)?;
        let _woken = WakeAfterPanic(self);
        // whoever is at work looks afterwards whether somebody waits
        let Some(mut place) = self.committer.try_lock() else { return Ok(()) };
        let Some(mut committer) = place.take() else {
            self.look();
            return Ok(());
        };
        committer.commit(self.next_group());
        committer.go_on();
        self.put_back(place, committer);
        Ok(())
    }

    /// Lets the thread commit a transaction: its `reply` hears of it, or goes with it when nobody commits any more.
    pub fn commit_elsewhere(&self, commit: Commit) {
        // Whoever is at work looks afterwards whether somebody waits; who finds it taken by this short look is seen by the
        // thread that is woken then.
        if self.queue(commit).is_ok() && self.committer.try_lock().is_some() {
            self.look();
        }
    }

    /// Commits a transaction here, if nothing has to be waited for; gives it back otherwise.
    pub fn commit_at_once(&self, commit: Commit) -> std::result::Result<(), Box<Commit>> {
        let _woken = WakeAfterPanic(self);
        let Some(mut place) = self.committer.try_lock_for(MOMENT) else { return Err(Box::new(commit)) };
        let Some(mut committer) = place.take() else { return Err(Box::new(commit)) };
        let result = if committer.commits_at_once(&commit) {
            committer.commit(vec![commit]);
            committer.go_on();
            Ok(())
        } else {
            Err(Box::new(commit))
        };
        self.put_back(place, committer);
        result
    }

    /// Lets others commit, and wakes the thread if it has something to do.
    fn put_back(&self, mut place: MutexGuard<'_, Option<Box<Committer>>>, mut committer: Box<Committer>) {
        let is_due = committer.is_due_earlier();
        *place = Some(committer);
        drop(place);
        if is_due || self.is_waited_for() {
            self.look();
        }
    }

    /// Adds one to those that are committed next.
    fn queue(&self, commit: Commit) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if waiting.is_closed {
            return Err(shut_down());
        }
        waiting.commits.push_back(commit);
        Ok(())
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

    /// Lets others work while that brings further commits to those that wait for the disk: it is told of all of them at once. Where
    /// cores are free nothing is waited for, and where they are not, each sync less is time for those who work.
    fn gather(&self, mut let_others_work: impl FnMut()) {
        let (mut count, syncs) = {
            let waiting = self.waiting.lock();
            (waiting.commits.len(), waiting.commits.iter().any(|commit| commit.sync))
        };
        for _ in 0..if syncs { TURNS } else { 0 } {
            let_others_work();
            let now = self.waiting.lock().commits.len();
            if now == count {
                return;
            }
            count = now;
        }
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
        let _end = EndAll(self);
        let mut message = None;
        loop {
            self.gather(std::thread::yield_now);
            let mut place = self.committer.lock();
            let Some(mut committer) = place.take() else { return };
            if let Some(Message::Close(reply)) = message {
                committer.end_waiting();
                committer.commit(self.end());
                let result = committer.checkpoint();
                // the file is released before the caller goes on, so that it can be opened again
                drop(committer);
                let _ = reply.send(result);
                return;
            }
            let deadline = committer.turn(self.next_group(), message.take());
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::storage::{LogRecord, MemTable};
    use crate::txn::Store;
    use crate::txn::locks::Held;

    /// How often others may work before these are committed, if they bring so many further ones each time.
    fn turns(waiting: &[bool], brought: &[usize]) -> usize {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("opens");
        let commits = Commits { committer: Mutex::new(None), waiting: Mutex::default(), wake: channel().0 };
        let queue = |sync| {
            let (batch, writes) = (LogRecord::default(), MemTable::default());
            let commit = Commit { batch, writes, sync, held: Held::new(store.shared()), reply: Box::new(drop) };
            commits.queue(commit).expect("is open");
        };
        waiting.iter().copied().for_each(queue);
        let mut turns = 0;
        commits.gather(|| {
            (0..brought.get(turns).copied().unwrap_or(0)).for_each(|_| queue(true));
            turns += 1;
        });
        turns
    }

    #[test]
    fn who_waits_for_the_disk_lets_others_work_while_they_bring_more() {
        assert_eq!(turns(&[true], &[]), 1, "nobody came");
        assert_eq!(turns(&[false, true], &[2, 1]), 3);
        assert_eq!(turns(&[true], &[1; 100]), TURNS);
    }

    #[test]
    fn who_does_not_wait_for_the_disk_waits_for_nobody() {
        assert_eq!(turns(&[], &[1; 100]), 0);
        assert_eq!(turns(&[false, false], &[1; 100]), 0);
    }
}
