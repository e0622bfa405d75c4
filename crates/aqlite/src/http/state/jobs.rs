//! Requests that are answered later.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::Error;
use crate::auth::{Identity, Owner};
use crate::error::code;
use crate::http::response::Answer;
use crate::memory::Share;

/// More jobs than this do not run at once; the next ones wait.
const MAX_RUNNING: usize = 64;
/// More jobs than this do not wait; the next one is refused.
const MAX_WAITING: usize = 4096;
/// Bytes of the bodies of those that wait. One alone may be larger.
const MAX_WAITING_BYTES: usize = 64 << 20;

/// So long an answer waits to be fetched.
const TIME_TO_LIVE: Duration = Duration::from_hours(1);
/// Answers that are kept; when there are more, the oldest go.
const MAX_ANSWERS: usize = 10_000;
/// Bytes of the answers that are kept.
const MAX_BYTES: usize = 256 << 20;

/// The work of a job.
pub type Work = Box<dyn FnOnce() + Send>;

/// Jobs that run and those that wait for one of them to end.
#[derive(Default)]
struct Queue {
    running: usize,
    /// Each with the bytes of its body.
    waiting: VecDeque<(Work, usize)>,
    waiting_bytes: usize,
}

/// What became of work that was handed in.
pub enum JobAdmission {
    /// The caller is to start a thread for it, which runs it with [`Jobs::work_on`].
    Start(Work),
    /// It runs as soon as another one ends.
    Waits,
    /// There are too many.
    Refused,
}

struct Job {
    owner: Owner,
    /// Seconds since 1970 when it was made.
    stamp: f64,
    /// Somebody asked it to end.
    cancelled: bool,
    /// The answer, once it is there, and since when.
    answer: Option<Kept>,
}

/// An answer that waits to be fetched.
struct Kept {
    answer: Answer,
    since: Instant,
    /// The memory it takes.
    _share: Share,
}

impl Job {
    fn answer_size(&self) -> Option<usize> {
        self.answer.as_ref().map(|kept| kept.answer.body.len())
    }
}

/// All jobs whose answer is kept.
#[derive(Default)]
pub struct Jobs {
    kept: Mutex<BTreeMap<u64, Job>>,
    queue: Mutex<Queue>,
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
    /// Takes in the work of a job whose body has so many bytes.
    pub fn admit(&self, work: Work, bytes: usize) -> JobAdmission {
        let mut queue = self.queue.lock();
        if queue.running < MAX_RUNNING {
            queue.running += 1;
            return JobAdmission::Start(work);
        }
        let is_too_much = queue.waiting_bytes > 0 && queue.waiting_bytes.saturating_add(bytes) > MAX_WAITING_BYTES;
        if queue.waiting.len() >= MAX_WAITING || is_too_much {
            return JobAdmission::Refused;
        }
        queue.waiting_bytes += bytes;
        queue.waiting.push_back((work, bytes));
        JobAdmission::Waits
    }

    /// Does admitted work, then that of those who wait, until nobody does.
    pub fn work_on(&self, work: Work) {
        let mut next = Some(work);
        while let Some(work) = next {
            work();
            let mut queue = self.queue.lock();
            next = queue.waiting.pop_front().map(|(work, bytes)| {
                queue.waiting_bytes -= bytes;
                work
            });
            if next.is_none() {
                queue.running -= 1;
            }
        }
    }

    /// Takes an admission back for which no thread could be started.
    pub fn withdraw(&self) {
        self.queue.lock().running -= 1;
    }

    /// Keeps a place for an answer.
    pub fn keep(&self, id: u64, owner: Owner) {
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.kept.lock().insert(id, Job { owner, stamp, cancelled: false, answer: None });
    }

    /// Puts an answer in its place, unless the job was deleted. The error of one that was cancelled says so.
    pub fn answer(&self, id: u64, answer: Answer, mut share: Share) {
        let mut kept = self.kept.lock();
        let Some(job) = kept.get_mut(&id) else { return };
        let answer = if job.cancelled && answer.failed {
            Self::cancelled()
        } else if answer.body.len() > MAX_BYTES || share.resize(answer.body.len()).is_err() {
            Answer::error(&Error::new(code::RESOURCE_LIMIT, "the answer is too large to be kept"))
        } else {
            answer
        };
        job.answer = Some(Kept { answer, since: Instant::now(), _share: share });
        make_room(&mut kept);
    }

    /// Forgets the answers nobody has fetched for long.
    pub fn sweep(&self, now: Instant) {
        self.kept.lock().retain(|_, job| {
            job.answer.as_ref().is_none_or(|kept| now.saturating_duration_since(kept.since) < TIME_TO_LIVE)
        });
    }

    /// The answer of a job that was cancelled before it was done.
    pub fn cancelled() -> Answer {
        Answer::error(&Error::plain(code::REQUEST_CANCELED).with_status(410))
    }

    /// Did somebody ask a job to end?
    pub fn is_cancelled(&self, id: u64) -> bool {
        self.kept.lock().get(&id).is_some_and(|job| job.cancelled)
    }

    /// Notes that a job is to end.
    pub fn cancel(&self, id: u64) {
        if let Some(job) = self.kept.lock().get_mut(&id) {
            job.cancelled = true;
        }
    }

    /// What became of a job of this one.
    pub fn outcome(&self, id: u64, user: &Identity) -> Outcome {
        match self.kept.lock().get(&id).filter(|job| user.is(&job.owner)) {
            None => Outcome::Unknown,
            Some(Job { answer: None, .. }) => Outcome::Pending,
            Some(_) => Outcome::Done,
        }
    }

    /// The answer of a job that is done; it can be taken once.
    pub fn take(&self, id: u64, user: &Identity) -> Option<Answer> {
        let mut kept = self.kept.lock();
        kept.get(&id).filter(|job| user.is(&job.owner) && job.answer.is_some())?;
        kept.remove(&id)?.answer.map(|kept| kept.answer)
    }

    /// Forgets a job.
    pub fn remove(&self, id: u64, user: &Identity) -> bool {
        let mut kept = self.kept.lock();
        kept.get(&id).is_some_and(|job| user.is(&job.owner)) && kept.remove(&id).is_some()
    }

    /// Forgets every job of this one that was made before a moment.
    pub fn remove_before(&self, user: &Identity, stamp: f64) {
        self.kept.lock().retain(|_, job| !user.is(&job.owner) || job.stamp >= stamp);
    }

    /// Numbers of the jobs of this one that are done, or that are not.
    pub fn list(&self, user: &Identity, done: bool, count: usize) -> Vec<u64> {
        let kept = self.kept.lock();
        kept.iter()
            .filter(|(_, j)| user.is(&j.owner) && j.answer.is_some() == done)
            .map(|(id, _)| *id)
            .take(count)
            .collect()
    }
}

/// Forgets the oldest answers where there are too many.
fn make_room(kept: &mut BTreeMap<u64, Job>) {
    let (mut answers, mut bytes) =
        kept.values().filter_map(Job::answer_size).fold((0, 0), |(n, sum), size| (n + 1, sum + size));
    while answers > MAX_ANSWERS || bytes > MAX_BYTES {
        let Some((id, size)) = kept.iter().find_map(|(id, job)| Some((*id, job.answer_size()?))) else { return };
        kept.remove(&id);
        answers -= 1;
        bytes -= size;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const ANYBODY: Identity = Identity::Superuser;

    #[test]
    fn jobs_beyond_the_limit_wait_and_run_when_others_end() {
        let jobs = Jobs::default();
        let done = Arc::new(AtomicUsize::new(0));
        let work = || -> Work {
            let done = Arc::clone(&done);
            Box::new(move || {
                done.fetch_add(1, Ordering::SeqCst);
            })
        };
        let mut started = Vec::new();
        for _ in 0..MAX_RUNNING {
            let JobAdmission::Start(work) = jobs.admit(work(), 1) else { panic!("it must start") };
            started.push(work);
        }
        assert!(matches!(jobs.admit(work(), 1), JobAdmission::Waits));
        for work in started {
            jobs.work_on(work);
        }
        assert_eq!(done.load(Ordering::SeqCst), MAX_RUNNING + 1);
        assert!(matches!(jobs.admit(work(), 1), JobAdmission::Start(_)));
    }

    /// Keeps an answer of so many bytes.
    fn keep(jobs: &Jobs, id: u64, size: usize) {
        jobs.keep(id, ANYBODY.owner());
        jobs.answer(id, Answer::raw_json(200, vec![b' '; size]), Share::default());
    }

    #[test]
    fn answers_beyond_their_number_or_size_push_the_oldest_out() {
        let jobs = Jobs::default();
        for id in 0..=MAX_ANSWERS as u64 {
            keep(&jobs, id, 1);
        }
        assert!(matches!(jobs.outcome(0, &ANYBODY), Outcome::Unknown));
        assert!(matches!(jobs.outcome(1, &ANYBODY), Outcome::Done));
        keep(&jobs, 100_000, MAX_BYTES);
        assert_eq!(jobs.list(&ANYBODY, true, usize::MAX), [100_000]);
        keep(&jobs, 100_001, MAX_BYTES + 1);
        let too_large = jobs.take(100_001, &ANYBODY).expect("an answer");
        assert_eq!(too_large.status, 503);
    }

    #[test]
    fn answers_expire_and_jobs_that_run_do_not() {
        let jobs = Jobs::default();
        keep(&jobs, 1, 1);
        jobs.keep(2, ANYBODY.owner());
        jobs.sweep(Instant::now());
        assert!(matches!(jobs.outcome(1, &ANYBODY), Outcome::Done));
        jobs.sweep(Instant::now() + TIME_TO_LIVE);
        assert!(matches!(jobs.outcome(1, &ANYBODY), Outcome::Unknown));
        assert!(matches!(jobs.outcome(2, &ANYBODY), Outcome::Pending));
    }

    #[test]
    fn too_many_waiting_jobs_are_refused() {
        let jobs = Jobs::default();
        for _ in 0..MAX_RUNNING + MAX_WAITING {
            assert!(!matches!(jobs.admit(Box::new(|| {}), 1), JobAdmission::Refused));
        }
        assert!(matches!(jobs.admit(Box::new(|| {}), 1), JobAdmission::Refused));
    }

    #[test]
    fn bodies_of_waiting_jobs_beyond_their_bytes_are_refused_until_others_have_run() {
        let jobs = Jobs::default();
        let admit = |bytes| jobs.admit(Box::new(|| {}), bytes);
        let started: Vec<JobAdmission> = (0..MAX_RUNNING).map(|_| admit(MAX_WAITING_BYTES)).collect();
        assert!(matches!(admit(2 * MAX_WAITING_BYTES), JobAdmission::Waits), "one alone may be larger");
        assert!(matches!(admit(1), JobAdmission::Refused));
        for admission in started {
            let JobAdmission::Start(work) = admission else { panic!("what runs does not wait") };
            jobs.work_on(work);
        }
        for _ in 0..MAX_RUNNING {
            assert!(matches!(admit(1), JobAdmission::Start(_)));
        }
        assert!(matches!(admit(MAX_WAITING_BYTES - 1), JobAdmission::Waits));
        assert!(matches!(admit(1), JobAdmission::Waits));
        assert!(matches!(admit(1), JobAdmission::Refused));
    }
}
