//! What is done for notifications again and again as long as the service runs.

use std::future::ready;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::app::App;
use crate::error::Result;
use crate::notifications::{check_tokens, receive_from_others, remove_old};

/// How often what other processes announce is looked for.
const HEAR: Duration = Duration::from_millis(300);
/// How often streams are looked at whose readers are slow.
const SWEEP: Duration = Duration::from_secs(1);
/// How often tokens of open streams are checked.
const CHECK: Duration = Duration::from_mins(1);
/// How often documents are removed that are not kept any more.
const REMOVE: Duration = Duration::from_mins(1);
/// How long what is under way may take when the service stops.
const PATIENCE: Duration = Duration::from_secs(5);

type Task = for<'a> fn(&'a App) -> BoxFuture<'a, Result<()>>;

/// The tasks behind notifications.
pub struct Background {
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
}

impl Background {
    /// Starts them.
    pub fn start(app: &Arc<App>) -> Self {
        let mut background = Self { tasks: JoinSet::new(), stop: watch::Sender::new(false) };
        background.repeat(app, HEAR, "what other processes announce cannot be read", |app| {
            receive_from_others(&app.store, &app.notifications).boxed()
        });
        background.repeat(app, SWEEP, "slow readers cannot be found", |app| {
            app.notifications.sweep(Instant::now());
            app.metrics.streams.set(app.notifications.streams() as i64);
            app.metrics.waiting_bytes.set(app.notifications.waiting_bytes() as i64);
            ready(Ok(())).boxed()
        });
        background.repeat(app, CHECK, "tokens of streams cannot be checked", |app| {
            check_tokens(&app.store, &app.notifications).boxed()
        });
        background.repeat(app, REMOVE, "old notifications cannot be removed", |app| remove_old(&app.store).boxed());
        background
    }

    /// Does something every so often. The log tells when that begins to fail and when it works again.
    fn repeat(&mut self, app: &Arc<App>, period: Duration, failure: &'static str, task: Task) {
        let (app, mut stop) = (Arc::clone(app), self.stop.subscribe());
        // Processes that start together do not work at the same moments for ever.
        let first = Instant::now() + period.mul_f64(rand::rng().random_range(0.5..1.0));
        self.tasks.spawn(async move {
            let mut ticks = interval_at(first, period);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut fails = false;
            loop {
                tokio::select! {
                    _ = ticks.tick() => {}
                    _ = stop.wait_for(|stop| *stop) => break,
                }
                match task(&app).await {
                    Err(error) if !mem::replace(&mut fails, true) => tracing::warn!(%error, "{failure}"),
                    Ok(()) if mem::replace(&mut fails, false) => tracing::info!("works again: {failure}"),
                    _ => {}
                }
            }
        });
    }

    /// Stops them.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(PATIENCE, ended).await.is_err() {
            tracing::warn!("work for notifications is given up");
        }
    }
}
