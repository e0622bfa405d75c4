//! Results that are fetched in batches.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::code;
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// A result with what has been fetched of it.
pub struct Cursor {
    /// Its number.
    pub id: u64,
    database: SmolStr,
    user: SmolStr,
    ttl: Duration,
    /// Rows in a batch.
    pub batch_size: usize,
    /// The number of rows, where the client asked for it.
    pub count: Option<usize>,
    /// `extra` as JSON text.
    pub extra: Vec<u8>,
    /// A streaming query shows `extra` with the last batch only.
    pub stream: bool,
    /// The last batch can be fetched again.
    pub allow_retry: bool,
    progress: Mutex<Progress>,
}

struct Progress {
    rows: Arc<Vec<Value>>,
    /// Where the last batch began.
    last: usize,
    /// Where the next batch begins.
    next: usize,
    /// Number of the next batch.
    batch: u64,
    expires: Instant,
}

/// What a cursor is made of.
pub struct NewCursor {
    /// Its number.
    pub id: u64,
    /// The database it belongs to.
    pub database: SmolStr,
    /// The user it belongs to.
    pub user: SmolStr,
    /// How long it stays after its last use.
    pub ttl: Duration,
    /// Rows in a batch.
    pub batch_size: usize,
    /// The number of rows, where the client asked for it.
    pub count: Option<usize>,
    /// `extra` as JSON text.
    pub extra: Vec<u8>,
    /// Is it of a streaming query?
    pub stream: bool,
    /// Can the last batch be fetched again?
    pub allow_retry: bool,
    /// All rows.
    pub rows: Vec<Value>,
}

/// Some rows of a cursor.
pub struct Batch {
    rows: Arc<Vec<Value>>,
    start: usize,
    end: usize,
    /// Are there more behind them?
    pub has_more: bool,
    /// Number of the batch behind this one.
    pub following: u64,
}

impl Batch {
    /// The rows.
    pub fn rows(&self) -> &[Value] {
        self.rows.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<NewCursor> for Cursor {
    fn from(new: NewCursor) -> Self {
        let progress =
            Progress { rows: Arc::new(new.rows), last: 0, next: 0, batch: 1, expires: Instant::now() + new.ttl };
        Self {
            id: new.id,
            database: new.database,
            user: new.user,
            ttl: new.ttl,
            batch_size: new.batch_size.max(1),
            count: new.count,
            extra: new.extra,
            stream: new.stream,
            allow_retry: new.allow_retry,
            progress: Mutex::new(progress),
        }
    }
}

impl Cursor {
    /// The next batch, or the one of a number: the next, or the last one again where that is allowed.
    pub fn fetch(&self, number: Option<u64>) -> Result<Batch> {
        let mut progress = self.progress.lock();
        progress.expires = Instant::now() + self.ttl;
        let start = match number {
            None => progress.next,
            Some(n) if n == progress.batch => progress.next,
            Some(n) if self.allow_retry && n.checked_add(1) == Some(progress.batch) => progress.last,
            Some(_) => return Err(Error::new(code::CURSOR_NOT_FOUND, "batch id not found")),
        };
        let end = start.saturating_add(self.batch_size).min(progress.rows.len());
        if start == progress.next {
            progress.batch += 1;
        }
        progress.last = start;
        progress.next = end;
        Ok(Batch {
            rows: Arc::clone(&progress.rows),
            start,
            end,
            has_more: end < progress.rows.len(),
            following: progress.batch,
        })
    }
}

/// All cursors.
#[derive(Default)]
pub struct Cursors {
    open: Mutex<HashMap<u64, Arc<Cursor>>>,
}

impl Cursors {
    /// Keeps a cursor.
    pub fn add(&self, cursor: Arc<Cursor>) {
        self.open.lock().insert(cursor.id, cursor);
    }

    /// A cursor of this user in this database.
    pub fn get(&self, id: &str, database: &str, user: &str) -> Result<Arc<Cursor>> {
        let cursor = id.parse().ok().and_then(|id: u64| self.open.lock().get(&id).cloned());
        cursor.filter(|c| c.database == database && c.user == user).ok_or_else(|| Error::plain(code::CURSOR_NOT_FOUND))
    }

    /// Forgets a cursor.
    pub fn remove(&self, id: u64) {
        self.open.lock().remove(&id);
    }

    /// Forgets the cursors of a database that is gone.
    pub fn forget_database(&self, database: &str) {
        self.open.lock().retain(|_, cursor| cursor.database != database);
    }

    /// Forgets the cursors nobody used for their time to live.
    pub fn sweep(&self, now: Instant) {
        self.open.lock().retain(|_, cursor| cursor.progress.lock().expires > now);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.open.lock().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(rows: i64, batch_size: usize, allow_retry: bool) -> Cursor {
        Cursor::from(NewCursor {
            id: 1,
            database: "d".into(),
            user: "u".into(),
            ttl: Duration::from_secs(30),
            batch_size,
            count: None,
            extra: Vec::new(),
            stream: false,
            allow_retry,
            rows: (1..=rows).map(Value::Int).collect(),
        })
    }

    fn numbers(batch: &Batch) -> Vec<i64> {
        batch.rows().iter().filter_map(Value::as_i64).collect()
    }

    #[test]
    fn batches_follow_one_another_until_the_rows_are_used_up() {
        let cursor = cursor(5, 2, false);
        let batches: Vec<_> = (0..3).map(|_| cursor.fetch(None).expect("batch")).collect();
        assert_eq!(batches.iter().map(numbers).collect::<Vec<_>>(), [vec![1, 2], vec![3, 4], vec![5]]);
        assert_eq!(batches.iter().map(|b| b.has_more).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn the_last_batch_can_be_fetched_again_where_retries_are_allowed() {
        let cursor = cursor(5, 2, true);
        cursor.fetch(None).expect("first");
        assert_eq!(numbers(&cursor.fetch(Some(2)).expect("second")), [3, 4]);
        assert_eq!(numbers(&cursor.fetch(Some(2)).expect("second again")), [3, 4]);
        assert_eq!(numbers(&cursor.fetch(Some(3)).expect("third")), [5]);
        assert_eq!(numbers(&cursor.fetch(Some(3)).expect("third again")), [5]);
        assert!(cursor.fetch(Some(9)).is_err());
    }

    #[test]
    fn a_cursor_belongs_to_its_user_and_database() {
        let cursors = Cursors::default();
        cursors.add(Arc::new(cursor(5, 2, false)));
        assert!(cursors.get("1", "d", "u").is_ok());
        assert!(cursors.get("1", "other", "u").is_err());
        assert!(cursors.get("1", "d", "other").is_err());
        assert!(cursors.get("x", "d", "u").is_err());
    }
}
