//! The threads that keep connections, one for each core.
//!
//! A runtime of several threads wakes another one for almost every request that comes while they rest, which takes longer
//! than to answer a small request. Here a connection stays with the thread that has the fewest of them, and what takes its
//! time is worked on elsewhere.

use std::cell::OnceCell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::brisk;

/// Those threads. Dropped, they end, with the connections that are open then.
pub(super) struct Crew {
    members: Vec<Member>,
}

struct Member {
    runtime: Handle,
    /// The connections it has.
    open: Arc<AtomicUsize>,
    /// It goes on until this is dropped.
    _stop: oneshot::Sender<()>,
}

thread_local! {
    /// The connections that this thread has, if it is one of those.
    static OWN: OnceCell<Arc<AtomicUsize>> = const { OnceCell::new() };
}

/// Is this one of those threads, and has it one connection, so that nobody else waits for it?
pub(super) fn has_one_connection() -> bool {
    OWN.with(|own| own.get().is_some_and(|open| open.load(Ordering::Relaxed) == 1))
}

/// An open connection, counted until it is dropped.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Crew {
    /// One for each core, of which each may have so many threads for work that blocks.
    pub fn new(blocking: usize) -> io::Result<Self> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let members = (0..cores).map(|_| Member::new(blocking)).collect::<io::Result<_>>()?;
        Ok(Self { members })
    }

    /// Gives a connection to whoever has the fewest.
    pub fn take<F>(&self, connection: impl FnOnce() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Some(member) = self.members.iter().min_by_key(|member| member.open.load(Ordering::Relaxed)) else { return };
        member.open.fetch_add(1, Ordering::Relaxed);
        let open = Open(Arc::clone(&member.open));
        // begun over there: its socket belongs to the runtime in which it is made
        member.runtime.spawn(async move {
            let _open = open;
            connection().await;
        });
    }
}

impl Member {
    fn new(blocking: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(blocking).build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let open = Arc::new(AtomicUsize::new(0));
        let own = Arc::clone(&open);
        thread::Builder::new().name("aqlite-connect".into()).spawn(move || {
            OWN.with(|place| drop(place.set(own)));
            // an error says that nobody will ask it to stop any more, which is the same
            let _ = runtime.block_on(async {
                tokio::select! {
                    stopped = stopped => stopped.ok(),
                    () = brisk::stay_awake() => None,
                }
            });
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, open, _stop: stop })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn connections_are_shared_out_evenly_and_who_has_lost_one_gets_the_next() {
        let crew = Crew { members: (0..2).map(|_| Member::new(1).expect("a thread")).collect() };
        let (tell, told) = mpsc::channel();
        let mut open = Vec::new();
        let mut take = || {
            let (end, ended) = oneshot::channel::<()>();
            let tell = tell.clone();
            crew.take(move || async move {
                tell.send(thread::current().id()).expect("somebody listens");
                drop(ended.await);
            });
            open.push(Some(end));
            told.recv().expect("a connection")
        };
        let threads = [take(), take(), take(), take()];
        assert_ne!(threads[0], threads[1]);
        assert_eq!(threads.iter().filter(|thread| **thread == threads[0]).count(), 2);
        // the second one ends
        let lost = threads[1];
        drop(open[1].take());
        let counts = || crew.members.iter().map(|member| member.open.load(Ordering::Relaxed)).sum::<usize>();
        let began = Instant::now();
        while counts() == 4 && began.elapsed() < Duration::from_secs(10) {
            thread::yield_now();
        }
        let (end, ended) = oneshot::channel::<()>();
        crew.take(move || async move {
            tell.send(thread::current().id()).expect("somebody listens");
            drop(ended.await);
        });
        assert_eq!(told.recv().expect("a connection"), lost);
        drop(end);
    }

    #[test]
    fn a_thread_knows_whether_it_has_one_connection() {
        let crew = Crew { members: vec![Member::new(1).expect("a thread")] };
        let (tell, told) = mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        let first = tell.clone();
        crew.take(move || async move {
            first.send(has_one_connection()).expect("somebody listens");
            drop(ended.await);
        });
        assert_eq!(told.recv(), Ok(true));
        crew.take(move || async move { tell.send(has_one_connection()).expect("somebody listens") });
        assert_eq!(told.recv(), Ok(false));
        drop(end);
        assert!(!has_one_connection(), "this is another thread");
    }

    #[test]
    fn connections_end_with_the_crew() {
        let crew = Crew::new(1).expect("threads");
        let (tell, told) = mpsc::channel::<()>();
        crew.take(move || async move {
            std::future::pending::<()>().await;
            drop(tell);
        });
        drop(crew);
        assert_eq!(told.recv_timeout(Duration::from_secs(10)), Err(mpsc::RecvTimeoutError::Disconnected));
    }
}
