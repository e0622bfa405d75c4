//! Waiting at the start: for what others hold, and with a word about it.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::error::{Error, Result};

/// A wait of this length is told.
const WORTH_TELLING: Duration = Duration::from_secs(1);
/// How long the start waits for collections that others hold. A server ends what nobody uses any more after a minute.
const PATIENCE: Duration = Duration::from_secs(90);

/// Does work that may have to wait in the database. After a second the log says for what.
pub(super) async fn told<T>(what: &str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Ok(done) = timeout(WORTH_TELLING, &mut work).await {
        return done;
    }
    tracing::info!("the start is at {what}, and waits where others hold what it needs");
    work.await
}

/// The same for work that gives up early while others hold what it needs: it is done again.
pub async fn retry_until_done<T>(what: &str, work: impl AsyncFn() -> Result<T>) -> Result<T> {
    told(what, until_done(PATIENCE, work)).await
}

async fn until_done<T>(patience: Duration, work: impl AsyncFn() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    loop {
        match work().await {
            Err(Error::Busy(_)) if started.elapsed() < patience => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn what_others_hold_is_waited_for_until_patience_ends() {
        let tries = AtomicU32::new(0);
        let busy = async || {
            tokio::time::sleep(Duration::from_millis(5)).await;
            if tries.fetch_add(1, Ordering::Relaxed) < 3 { Err(Error::Busy("locked".to_owned())) } else { Ok(()) }
        };
        assert!(until_done(Duration::from_mins(1), &busy).await.is_ok());
        assert_eq!(tries.swap(0, Ordering::Relaxed), 4);
        assert!(matches!(until_done(Duration::ZERO, &busy).await, Err(Error::Busy(_))));
        assert_eq!(tries.load(Ordering::Relaxed), 1);
    }
}
