//! Results that are fetched in batches: those that are there, and those that are still being computed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::auth::{Identity, Owner};
use crate::error::code;
use crate::exec::{Kill, TextRows};
use crate::memory::Share;
use crate::txn::Used;
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// A result with what has not been fetched of it.
pub struct Cursor {
    /// Its number.
    pub id: u64,
    database: SmolStr,
    owner: Owner,
    ttl: Duration,
    /// What its rows come from.
    pub used: Used,
    /// The number of rows, where the client asked for it.
    pub count: Option<usize>,
    /// The rows come from the cache of results.
    pub is_cached: bool,
    /// The last batch can be fetched again.
    pub allow_retry: bool,
    progress: Mutex<Progress>,
}

struct Progress {
    rows: Rows,
    /// The batch given out last, where it can be asked for again.
    last: Option<Arc<CursorBatch>>,
    /// Number of the next batch.
    batch: u64,
    expires: Instant,
}

/// Where the rows come from.
pub enum Rows {
    /// All of them are there.
    Ready {
        /// Those not fetched yet.
        rows: std::vec::IntoIter<Value>,
        /// The memory all of them take.
        share: Share,
        /// Rows in a batch.
        batch_size: usize,
        /// What else is told.
        extra: Extra,
        /// Is `extra` shown with the last batch only, as clients of streaming queries expect it?
        extra_at_end: bool,
    },
    /// All of them are there, as they are sent.
    Text {
        /// Those not fetched yet.
        rows: TextRows,
        /// The memory all of them take.
        share: Share,
        /// Rows in a batch.
        batch_size: usize,
        /// What else is told.
        extra: Extra,
    },
    /// A query that runs on a thread of its own, a few batches ahead.
    Streaming(Stream),
}

/// What is told of a query beside its rows.
#[derive(Clone)]
pub struct Extra {
    /// `extra` as JSON text.
    pub text: Arc<[u8]>,
    /// Documents and entries of indexes that were looked at.
    pub scanned: u64,
}

/// Rows of a batch.
#[derive(Clone)]
pub enum BatchRows {
    /// As values.
    Values(Vec<Value>),
    /// As the beginning of an answer.
    Text(Vec<u8>),
}

/// What a cursor is made of.
pub struct NewCursor {
    /// Its number.
    pub id: u64,
    /// The database it belongs to.
    pub database: SmolStr,
    /// Whose it is.
    pub owner: Owner,
    /// What its rows come from.
    pub used: Used,
    /// How long it stays after its last use.
    pub ttl: Duration,
    /// The number of rows, where the client asked for it.
    pub count: Option<usize>,
    /// Do the rows come from the cache of results?
    pub is_cached: bool,
    /// Can the last batch be fetched again?
    pub allow_retry: bool,
    /// Its rows.
    pub rows: Rows,
}

/// Some rows of a cursor.
#[derive(Clone)]
pub struct CursorBatch {
    /// The rows.
    pub rows: BatchRows,
    /// Are there more behind them?
    pub has_more: bool,
    /// Number of the batch behind this one.
    pub following: u64,
    /// What else is told, where it is shown with this batch.
    pub extra: Option<Extra>,
}

impl From<NewCursor> for Cursor {
    fn from(new: NewCursor) -> Self {
        let progress = Progress { rows: new.rows, last: None, batch: 1, expires: Instant::now() + new.ttl };
        Self {
            id: new.id,
            database: new.database,
            owner: new.owner,
            ttl: new.ttl,
            used: new.used,
            count: new.count,
            is_cached: new.is_cached,
            allow_retry: new.allow_retry,
            progress: Mutex::new(progress),
        }
    }
}

impl Cursor {
    /// The next batch, or the one of a number: the next, or the last one again where that is allowed.
    pub fn fetch(&self, number: Option<u64>) -> Result<Arc<CursorBatch>> {
        // who waits for a streaming query keeps others out
        let Some(mut progress) = self.progress.try_lock() else { return Err(Error::plain(code::CURSOR_BUSY)) };
        progress.expires = Instant::now() + self.ttl;
        match number {
            Some(n) if n.checked_add(1) == Some(progress.batch) => progress
                .last
                .clone()
                .ok_or_else(|| Error::new(code::HTTP_BAD_PARAMETER, "expecting allowRetry option to be true")),
            Some(n) if n != progress.batch => Err(Error::new(code::CURSOR_NOT_FOUND, "batch id not found")),
            _ => self.advance(&mut progress),
        }
    }

    fn advance(&self, progress: &mut Progress) -> Result<Arc<CursorBatch>> {
        let following = progress.batch + 1;
        let batch = match &mut progress.rows {
            Rows::Ready { rows, share, batch_size, extra, extra_at_end } => {
                // rows that fit into one batch stay where they are
                let taken: Vec<Value> = if rows.len() <= *batch_size {
                    std::mem::take(rows).collect()
                } else {
                    rows.by_ref().take(*batch_size).collect()
                };
                let has_more = rows.len() > 0;
                if !has_more {
                    *share = Share::default();
                }
                let shown = !(*extra_at_end && has_more);
                let taken = BatchRows::Values(taken);
                CursorBatch { rows: taken, has_more, following, extra: shown.then(|| extra.clone()) }
            }
            Rows::Text { rows, share, batch_size, extra } => {
                let taken = BatchRows::Text(rows.take(*batch_size));
                let has_more = !rows.is_empty();
                if !has_more {
                    *share = Share::default();
                }
                CursorBatch { rows: taken, has_more, following, extra: Some(extra.clone()) }
            }
            Rows::Streaming(stream) => {
                let part = stream.next()?;
                CursorBatch {
                    rows: BatchRows::Values(part.rows),
                    has_more: part.extra.is_none(),
                    following,
                    extra: part.extra,
                }
            }
        };
        let batch = Arc::new(batch);
        progress.batch = following;
        progress.expires = Instant::now() + self.ttl;
        if self.allow_retry {
            progress.last = Some(Arc::clone(&batch));
        }
        Ok(batch)
    }
}

// ---------- queries that run while their result is fetched ----------

/// The receiving end of a query that runs on a thread of its own.
pub struct Stream {
    parts: Receiver<Result<Part>>,
    kill: Kill,
}

/// A batch on its way.
struct Part {
    rows: Vec<Value>,
    /// What else is told: this batch is the last one.
    extra: Option<Extra>,
}

impl Stream {
    fn next(&self) -> Result<Part> {
        self.parts.recv().map_err(|_| Error::plain(code::CURSOR_NOT_FOUND))?
    }
}

impl Drop for Stream {
    /// Nobody fetches any more: the query need not go on.
    fn drop(&mut self) {
        self.kill.kill();
    }
}

/// The sending end: gathers rows into batches and waits while the client has enough of them.
pub struct Feed {
    parts: SyncSender<Result<Part>>,
    rows: Vec<Value>,
    /// Bytes of the rows,
    bytes: usize,
    /// and of the batch that was sent last, which may still wait to be fetched.
    sent: usize,
    batch_size: usize,
}

/// Both ends of a streaming query that `kill` ends. One batch waits to be fetched while the next one is computed.
pub fn stream(batch_size: usize, kill: Kill) -> (Feed, Stream) {
    let (sender, parts) = sync_channel(1);
    let feed = Feed { parts: sender, rows: Vec::new(), bytes: 0, sent: 0, batch_size: batch_size.max(1) };
    (feed, Stream { parts, kill })
}

impl Feed {
    /// Takes a row and tells how many bytes wait to be fetched; `None` when nobody fetches any more.
    pub fn push(&mut self, row: Value) -> Option<usize> {
        // a full batch is sent when it is known that it is not the last
        if self.rows.len() >= self.batch_size {
            let rows = std::mem::take(&mut self.rows);
            self.sent = std::mem::take(&mut self.bytes);
            self.parts.send(Ok(Part { rows, extra: None })).ok()?;
        }
        self.bytes += row.memory();
        self.rows.push(row);
        Some(self.bytes + self.sent)
    }

    /// Sends what is left, with what else is told, or how the query failed.
    pub fn finish(mut self, result: Result<Extra>) {
        let rows = std::mem::take(&mut self.rows);
        // nobody listens to a cursor that is gone
        let _ = self.parts.send(result.map(|extra| Part { rows, extra: Some(extra) }));
    }
}

// ---------- all of them ----------

/// More queries than this do not stream at once: each takes a thread.
const MAX_STREAMS: usize = 256;

/// All open cursors.
#[derive(Default)]
pub struct Cursors {
    open: Mutex<HashMap<u64, Arc<Cursor>>>,
    streams: Arc<AtomicUsize>,
}

/// The right to stream, given back when it is dropped.
pub struct StreamPermit(Arc<AtomicUsize>);

impl Drop for StreamPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Cursors {
    /// The right to stream, unless too many queries do already.
    pub fn stream_permit(&self) -> Option<StreamPermit> {
        let more = |n: usize| (n < MAX_STREAMS).then_some(n + 1);
        let granted = self.streams.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        granted.then(|| StreamPermit(Arc::clone(&self.streams)))
    }

    /// Keeps a cursor.
    pub fn add(&self, cursor: Arc<Cursor>) {
        self.open.lock().insert(cursor.id, cursor);
    }

    /// A cursor of this one in this database.
    pub fn get(&self, id: &str, database: &str, user: &Identity) -> Result<Arc<Cursor>> {
        let cursor = id.parse().ok().and_then(|id: u64| self.open.lock().get(&id).cloned());
        cursor
            .filter(|c| c.database == database && user.is(&c.owner))
            .ok_or_else(|| Error::plain(code::CURSOR_NOT_FOUND))
    }

    /// Forgets a cursor.
    pub fn remove(&self, id: u64) {
        let removed = self.open.lock().remove(&id);
        drop(removed);
    }

    /// Forgets the cursors of a database that is gone, or all of them.
    pub fn forget(&self, database: Option<&str>) {
        self.open.lock().retain(|_, cursor| database.is_some_and(|d| cursor.database != d));
    }

    /// Forgets the cursors nobody used for their time to live.
    pub fn sweep(&self, now: Instant) {
        // whoever holds the lock is fetching
        self.open.lock().retain(|_, cursor| cursor.progress.try_lock().is_none_or(|progress| progress.expires > now));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.open.lock().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_else() -> Extra {
        Extra { text: Arc::from(&b"{}"[..]), scanned: 0 }
    }

    fn cursor(rows: Rows, allow_retry: bool) -> Cursor {
        Cursor::from(NewCursor {
            id: 1,
            database: "d".into(),
            owner: Identity::Superuser.owner(),
            used: Used::default(),
            ttl: Duration::from_secs(30),
            count: None,
            is_cached: false,
            allow_retry,
            rows,
        })
    }

    fn ready(rows: i64, batch_size: usize, allow_retry: bool) -> Cursor {
        let rows: Vec<Value> = (1..=rows).map(Value::Int).collect();
        let extra = nothing_else();
        let (rows, share) = (rows.into_iter(), Share::default());
        cursor(Rows::Ready { rows, share, batch_size, extra, extra_at_end: false }, allow_retry)
    }

    fn numbers(batch: &Arc<CursorBatch>) -> Vec<i64> {
        let BatchRows::Values(rows) = &batch.rows else { return Vec::new() };
        rows.iter().filter_map(Value::as_i64).collect()
    }

    #[test]
    fn batches_follow_one_another_until_the_rows_are_used_up() {
        let cursor = ready(5, 2, false);
        let batches: Vec<_> = (0..3).map(|_| cursor.fetch(None).expect("batch")).collect();
        assert_eq!(batches.iter().map(numbers).collect::<Vec<_>>(), [vec![1, 2], vec![3, 4], vec![5]]);
        assert_eq!(batches.iter().map(|b| b.has_more).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn the_last_batch_can_be_fetched_again_where_retries_are_allowed() {
        let cursor = ready(5, 2, true);
        cursor.fetch(None).expect("first");
        assert_eq!(numbers(&cursor.fetch(Some(2)).expect("second")), [3, 4]);
        assert_eq!(numbers(&cursor.fetch(Some(2)).expect("second again")), [3, 4]);
        assert_eq!(numbers(&cursor.fetch(Some(3)).expect("third")), [5]);
        assert_eq!(numbers(&cursor.fetch(Some(3)).expect("third again")), [5]);
        assert!(cursor.fetch(Some(9)).is_err());
    }

    #[test]
    fn a_batch_is_not_given_twice_where_retries_are_not_allowed() {
        let cursor = ready(5, 2, false);
        cursor.fetch(None).expect("first");
        assert_eq!(cursor.fetch(Some(1)).err().map(|e| e.num), Some(code::HTTP_BAD_PARAMETER));
        assert_eq!(numbers(&cursor.fetch(Some(2)).expect("second")), [3, 4]);
    }

    #[test]
    fn a_cursor_belongs_to_its_user_and_database() {
        let cursors = Cursors::default();
        cursors.add(Arc::new(ready(5, 2, false)));
        assert!(cursors.get("1", "d", &Identity::Superuser).is_ok());
        assert!(cursors.get("1", "other", &Identity::Superuser).is_err());
        assert!(cursors.get("1", "d", &Identity::Anonymous).is_err());
        assert!(cursors.get("x", "d", &Identity::Superuser).is_err());
    }

    #[test]
    fn a_streaming_query_is_never_more_than_three_batches_ahead() {
        let (mut feed, stream) = stream(10, Kill::default());
        let computed = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counter = Arc::clone(&computed);
        let thread = std::thread::spawn(move || {
            for n in 1..=1000 {
                counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                if feed.push(Value::Int(n)).is_none() {
                    return;
                }
            }
            feed.finish(Ok(nothing_else()));
        });
        let cursor = cursor(Rows::Streaming(stream), false);
        let mut fetched = 0;
        loop {
            let batch = cursor.fetch(None).expect("batch");
            fetched += numbers(&batch).len();
            assert!(computed.load(std::sync::atomic::Ordering::SeqCst) <= fetched + 31);
            if !batch.has_more {
                break;
            }
        }
        assert_eq!(fetched, 1000);
        thread.join().expect("thread");
    }

    #[test]
    fn only_so_many_queries_stream_at_once() {
        let cursors = Cursors::default();
        let mut permits: Vec<_> = (0..MAX_STREAMS).map(|_| cursors.stream_permit()).collect();
        assert!(permits.iter().all(Option::is_some));
        assert!(cursors.stream_permit().is_none());
        permits.pop();
        assert!(cursors.stream_permit().is_some());
    }

    #[test]
    fn a_query_ends_when_its_cursor_is_gone() {
        let kill = Kill::default();
        let (mut feed, stream) = stream(1, kill.clone());
        drop(stream);
        feed.push(Value::Int(1));
        assert!(feed.push(Value::Int(2)).is_none());
        assert!(kill.is_killed());
    }

    #[test]
    fn an_error_of_a_streaming_query_comes_with_the_batch_it_broke() {
        let (mut feed, stream) = stream(1, Kill::default());
        let thread = std::thread::spawn(move || {
            feed.push(Value::Int(1));
            feed.push(Value::Int(2));
            feed.finish(Err(Error::plain(code::QUERY_KILLED)));
        });
        let cursor = cursor(Rows::Streaming(stream), false);
        assert_eq!(numbers(&cursor.fetch(None).expect("first")), [1]);
        assert_eq!(cursor.fetch(None).err().map(|e| e.num), Some(code::QUERY_KILLED));
        thread.join().expect("thread");
    }
}
