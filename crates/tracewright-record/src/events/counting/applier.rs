//! Confirmed sessions are applied by the service itself, count by count, each in a transaction of its own. Whoever is at a
//! session says so in it for a while (`applying_by`, `applying_until`); when a process is gone another one goes on. What was
//! applied is marked in the same transaction, so that nothing is applied twice whoever is at it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::{CountApplied, CountSessionApplied};
use crate::aql::counting_events::{self as stored, CONFIRMATION, FAIL_COUNT, RENEW_LEASE, TAKE_LEASE};
use crate::error::{Error, Result};
use crate::events::{Call, Event, QUERIES, Recorder};
use crate::store::{Access, Transaction};
use crate::{clock, transaction};

/// How long nobody else takes a session over that somebody is at.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// How often every process looks for sessions that nobody is at, and the longest pause before a database is asked again.
const LOOK: Duration = Duration::from_secs(30);
/// The first pause before a database is asked again; it doubles with each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// How often something is tried that fails for another reason than the database being away or busy.
const TRIES: u32 = 3;
/// Counts that are looked up at once.
const PAGE: i64 = 500;
/// Who applies a session of which nobody knows who confirmed or made it.
const NOBODY: &str = "system";

/// The task that applies sessions as long as the service runs.
pub struct Applier {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Applier {
    /// Starts it.
    pub fn start(recorder: &Arc<Recorder>) -> Self {
        let (stop, stopping) = watch::channel(false);
        let worker = Worker { recorder: Arc::clone(recorder), name: Uuid::new_v4().to_string(), stopping };
        Self { stop, task: tokio::spawn(worker.run()) }
    }

    /// Ends it after the count that it is at.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the applying of counts broke off");
        }
    }
}

struct Worker {
    recorder: Arc<Recorder>,
    /// What this process calls itself in sessions.
    name: String,
    stopping: watch::Receiver<bool>,
}

/// A session that this process is at.
struct Lease {
    session_key: String,
    user_key: String,
    event_group: String,
    next_sequence: i64,
}

/// What became of something that was tried until it worked, or could not.
enum Outcome<T> {
    Done(T),
    /// It cannot be done, for this reason.
    Refused(String),
    /// The service is being stopped.
    Stopped,
}

impl Worker {
    async fn run(mut self) {
        while !self.is_stopping() {
            let wait = self.apply_all().await;
            let bell = Arc::clone(&self.recorder.applying);
            tokio::select! {
                () = bell.notified() => {}
                () = tokio::time::sleep(wait) => {}
                _ = self.stopping.changed() => {}
            }
        }
    }

    /// Also when nobody is left who could say so.
    fn is_stopping(&self) -> bool {
        *self.stopping.borrow() || self.stopping.has_changed().is_err()
    }

    /// Applies every session that nobody else is at, and says when to look again: when somebody else's time is over.
    async fn apply_all(&mut self) -> Duration {
        let found = stored::waiting_sessions(&self.recorder.store).await;
        let sessions = found.unwrap_or_else(|error| {
            tracing::warn!(%error, "counting sessions that are to be applied cannot be looked for");
            Vec::new()
        });
        let mut next = LOOK;
        for session in sessions {
            let left = session.applying_until.as_deref().and_then(clock::parse).map(|until| until - Utc::now());
            let is_own = session.applying_by.as_deref() == Some(&self.name);
            match left.and_then(|left| left.to_std().ok()).filter(|_| !is_own) {
                Some(left) => next = next.min(left + PAUSE),
                None => self.apply(&session.key).await,
            }
            if self.is_stopping() {
                break;
            }
        }
        next
    }

    async fn apply(&mut self, session_key: &str) {
        let mut lease = match self.take(session_key).await {
            Ok(Some(lease)) => lease,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, session_key, "a counting session cannot be taken over");
                return;
            }
        };
        tracing::info!(session_key, "a counting session is being applied");
        if self.apply_counts(&mut lease).await {
            self.finish(&lease).await;
        } else if self.is_stopping() {
            self.release(&lease).await;
        }
    }

    /// Takes a session over, unless somebody else is at it.
    async fn take(&self, session_key: &str) -> Result<Option<Lease>> {
        let access = Access::of(&[TAKE_LEASE, CONFIRMATION]);
        let taken = transaction!(self.recorder.store, access, |trx| {
            let (now, until) = (&clock::now(), &lease_end());
            let params = stored::take_lease::Params { session_key, worker: &self.name, now, until };
            let Some(taken) = stored::take_lease(trx, params).await? else {
                return Ok(None);
            };
            let event_keys = taken.event_key.iter().collect();
            let group = stored::confirmation(trx, stored::confirmation::Params { event_keys }).await?;
            Ok(Some((taken.user_key, group)))
        })?;
        Ok(taken.map(|(user_key, group)| Lease {
            session_key: session_key.to_owned(),
            user_key: user_key.unwrap_or_else(|| NOBODY.to_owned()),
            next_sequence: group.as_ref().and_then(|group| group.last).map_or(0, |last| last + 1),
            event_group: group.and_then(|group| group.event_group).unwrap_or_else(|| Uuid::new_v4().to_string()),
        }))
    }

    /// Applies what is left; true when nothing is.
    async fn apply_counts(&mut self, lease: &mut Lease) -> bool {
        loop {
            let recorder = Arc::clone(&self.recorder);
            let params = stored::counts_to_apply::Params { session_key: &lease.session_key, limit: PAGE };
            let page = self.persist(|| stored::counts_to_apply(&recorder.store, params.clone())).await;
            let Outcome::Done(keys) = page else { return false };
            if keys.is_empty() {
                return true;
            }
            for key in keys {
                if self.is_stopping() || !self.apply_count(lease, &key).await {
                    return false;
                }
            }
        }
    }

    /// Applies a count or notes why that is refused; false when somebody else is at the session, or it cannot go on.
    async fn apply_count(&mut self, lease: &mut Lease, key: &str) -> bool {
        let (recorder, name) = (Arc::clone(&self.recorder), self.name.clone());
        let event = CountApplied::of(key);
        let applied = {
            let lease = &*lease;
            self.persist(|| record(&recorder, &name, lease, event.clone())).await
        };
        let text = match applied {
            Outcome::Done(Some(next)) => {
                lease.next_sequence = next;
                return true;
            }
            Outcome::Done(None) | Outcome::Stopped => return false,
            Outcome::Refused(text) => text,
        };
        let lease = &*lease;
        matches!(self.persist(|| fail(&recorder, &name, lease, key, &text)).await, Outcome::Done(true))
    }

    /// All counts are applied or told why not: so is the session.
    async fn finish(&mut self, lease: &Lease) {
        let (recorder, name) = (Arc::clone(&self.recorder), self.name.clone());
        let event = CountSessionApplied::of(&lease.session_key);
        match self.persist(|| record(&recorder, &name, lease, event.clone())).await {
            Outcome::Done(Some(_)) => {
                tracing::info!(session_key = lease.session_key, "a counting session was applied");
            }
            Outcome::Done(None) | Outcome::Stopped => {}
            Outcome::Refused(error) => {
                tracing::warn!(error, session_key = lease.session_key, "a counting session cannot be finished");
            }
        }
    }

    /// Leaves a session to others at once.
    async fn release(&self, lease: &Lease) {
        let access = Access::of(&[RENEW_LEASE]);
        let released =
            transaction!(self.recorder.store, access, |trx| { renew(trx, &self.name, lease, &clock::now()).await });
        if let Err(error) = released {
            tracing::debug!(%error, "a counting session is left to others when its time is over");
        }
    }

    /// Tries until it works or is refused. A database that is away or busy is asked again, however long that takes; what fails
    /// otherwise is told after three tries, with the request id of the log.
    async fn persist<T, F: Future<Output = Result<T>>>(&mut self, attempt: impl Fn() -> F) -> Outcome<T> {
        let (mut pause, mut tries) = (PAUSE, 0);
        loop {
            let error = match attempt().await {
                Ok(value) => return Outcome::Done(value),
                Err(error) => error,
            };
            match &error {
                Error::Busy(_) | Error::HandingOver(_) | Error::Unavailable(_) => {
                    tracing::debug!(%error, "the applying of a count is tried again");
                }
                Error::Answer(_, detail) => {
                    let text = detail["message"].as_str().map_or_else(|| detail.to_string(), str::to_owned);
                    return Outcome::Refused(text);
                }
                _ => {
                    tries += 1;
                    if tries == TRIES {
                        let request_id = Uuid::new_v4().to_string();
                        drop(error.respond(&request_id));
                        let text = format!("It could not be applied; the log tells why under request id {request_id}");
                        return Outcome::Refused(text);
                    }
                }
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = self.stopping.changed() => return Outcome::Stopped,
            }
            pause = (pause * 2).min(LOOK);
        }
    }
}

fn lease_end() -> String {
    clock::stored(Utc::now() + LEASE)
}

/// Goes on with a session; false when it is somebody else's, or applied.
async fn renew(trx: &Transaction, name: &str, lease: &Lease, until: &str) -> Result<bool> {
    let params = stored::renew_lease::Params { session_key: &lease.session_key, worker: name, until };
    Ok(stored::renew_lease(trx, params).await? == Some(true))
}

/// Records an event of the session. Gives the number of the next one; `None` when somebody else is at the session.
async fn record<E: Event>(recorder: &Recorder, name: &str, lease: &Lease, event: E) -> Result<Option<i64>> {
    let _held = recorder.locks.take(event.locks(&recorder.store, &lease.user_key).await?).await?;
    let access = E::access().and(&QUERIES).and(&[RENEW_LEASE]);
    transaction!(recorder.store, access, |trx| {
        if !renew(trx, name, lease, &lease_end()).await? {
            return Ok(None);
        }
        let group = Some(lease.event_group.clone());
        let mut call = Call::of_service(recorder, trx, &lease.user_key, group, lease.next_sequence);
        call.primary(None, event.clone()).await?;
        let next = call.next_sequence();
        call.write(None).await.map(|()| Some(next))
    })
}

/// Notes why a count was not applied; false when somebody else is at the session.
async fn fail(recorder: &Recorder, name: &str, lease: &Lease, key: &str, text: &str) -> Result<bool> {
    let access = Access::of(&[RENEW_LEASE, FAIL_COUNT]);
    transaction!(recorder.store, access, |trx| {
        if !renew(trx, name, lease, &lease_end()).await? {
            return Ok(false);
        }
        stored::fail_count(trx, stored::fail_count::Params { count_key: key, error_details: text }).await?;
        Ok(true)
    })
}
