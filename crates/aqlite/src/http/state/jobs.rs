//! Requests that are answered later.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::Error;
use crate::error::code;
use crate::http::response::Answer;
use crate::value::SmolStr;

/// More jobs than this do not run at once; the next one is refused.
const MAX_RUNNING: usize = 128;

struct Job {
    user: SmolStr,
    /// Seconds since 1970 when it was made.
    stamp: f64,
    /// Somebody asked it to end.
    cancelled: bool,
    answer: Option<Answer>,
}

/// All jobs whose answer is kept.
#[derive(Default)]
pub struct Jobs {
    kept: Mutex<BTreeMap<u64, Job>>,
    running: AtomicUsize,
}

/// What became of a job.
pub enum Outcome {
    /// There is none of that number.
    Unknown,
    /// It is not done.
    Pending,
    /// It is done.
    Done,
}

impl Jobs {
    /// Counts a job that starts; `false`: there are too many already.
    pub fn start(&self) -> bool {
        self.running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < MAX_RUNNING).then_some(n + 1)).is_ok()
    }

    /// Counts a job that ends.
    pub fn finish(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Keeps a place for an answer.
    pub fn keep(&self, id: u64, user: SmolStr) {
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.kept.lock().insert(id, Job { user, stamp, cancelled: false, answer: None });
    }

    /// Puts an answer in its place, unless the job was deleted. The error of one that was cancelled says so.
    pub fn answer(&self, id: u64, answer: Answer) {
        if let Some(job) = self.kept.lock().get_mut(&id) {
            let ended = job.cancelled && answer.failed;
            let cancelled = || Answer::error(&Error::plain(code::REQUEST_CANCELED).with_status(410));
            job.answer = Some(if ended { cancelled() } else { answer });
        }
    }

    /// Notes that a job is to end.
    pub fn cancel(&self, id: u64) {
        if let Some(job) = self.kept.lock().get_mut(&id) {
            job.cancelled = true;
        }
    }

    /// What became of a job of a user.
    pub fn outcome(&self, id: u64, user: &str) -> Outcome {
        match self.kept.lock().get(&id).filter(|job| job.user == user) {
            None => Outcome::Unknown,
            Some(Job { answer: None, .. }) => Outcome::Pending,
            Some(_) => Outcome::Done,
        }
    }

    /// The answer of a job that is done; it can be taken once.
    pub fn take(&self, id: u64, user: &str) -> Option<Answer> {
        let mut kept = self.kept.lock();
        kept.get(&id).filter(|job| job.user == user && job.answer.is_some())?;
        kept.remove(&id)?.answer
    }

    /// Forgets a job.
    pub fn remove(&self, id: u64, user: &str) -> bool {
        let mut kept = self.kept.lock();
        kept.get(&id).is_some_and(|job| job.user == user) && kept.remove(&id).is_some()
    }

    /// Forgets every job of a user made before a moment.
    pub fn remove_before(&self, user: &str, stamp: f64) {
        self.kept.lock().retain(|_, job| job.user != user || job.stamp >= stamp);
    }

    /// Numbers of the jobs of a user that are done, or that are not.
    pub fn list(&self, user: &str, done: bool, count: usize) -> Vec<u64> {
        let kept = self.kept.lock();
        kept.iter()
            .filter(|(_, j)| j.user == user && j.answer.is_some() == done)
            .map(|(id, _)| *id)
            .take(count)
            .collect()
    }
}
