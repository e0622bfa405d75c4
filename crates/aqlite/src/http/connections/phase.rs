//! What a connection is doing, and until when it may do so.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::{HeaderValue, Version};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::Limits;

/// How much longer a connection rests than its answers say, so that who keeps to them meets no closed one.
const MARGIN: Duration = Duration::from_secs(2);
/// How long a connection that ends may take for it.
const LEAVING: Duration = Duration::from_secs(5);
/// How an HTTP/2 connection begins.
const PREFACE: &[u8] = b"PRI ";

/// What a connection is doing.
pub(super) struct Phase {
    head: Duration,
    /// How long the body of a request may be waited for.
    pub body: Duration,
    idle: Duration,
    /// What answers say of the time it may rest.
    pub keep_alive: Option<HeaderValue>,
    state: Mutex<State>,
}

struct State {
    /// Requests that are not answered yet.
    under_way: usize,
    /// Since when there are none.
    rests_since: Instant,
    /// When the first byte of the next head came.
    head_since: Option<Instant>,
    /// Since when the client takes nothing of what it is sent.
    stuck_since: Option<Instant>,
    /// Nothing has been read of it yet.
    is_new: bool,
    /// It has streams: between requests it sends what belongs to no head.
    is_http2: bool,
    /// It ends when nothing is under way at that time, and each answer says so.
    ends_at: Option<Instant>,
    /// It has been told to end.
    told_at: Option<Instant>,
    /// Wakes who drives it.
    waker: Option<Waker>,
}

/// What has to be done with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing before that time.
    Wait(Option<Instant>),
    /// To end it as soon as nothing is under way.
    End,
    /// To end it at once.
    Cut,
}

impl Phase {
    /// That of a new connection.
    pub fn new(limits: &Limits) -> Self {
        let seconds = limits.idle.as_secs();
        Self {
            head: limits.head,
            body: limits.body,
            idle: limits.idle,
            keep_alive: (seconds > 0).then(|| HeaderValue::from_str(&format!("timeout={seconds}")).ok()).flatten(),
            state: Mutex::new(State {
                under_way: 0,
                rests_since: Instant::now(),
                head_since: None,
                stuck_since: None,
                is_new: true,
                is_http2: false,
                ends_at: None,
                told_at: None,
                waker: None,
            }),
        }
    }

    /// A request begins; it is under way until what this returns is dropped.
    pub fn begin(self: &Arc<Self>, version: Version) -> UnderWay {
        let mut state = self.state.lock();
        state.under_way += 1;
        state.head_since = None;
        state.is_http2 = version == Version::HTTP_2;
        UnderWay(Arc::clone(self))
    }

    /// Is the connection about to end?
    pub fn ends(&self) -> bool {
        self.state.lock().ends_at.is_some()
    }

    /// Since when the connection rests, if it does and goes on.
    pub fn rests_since(&self) -> Option<Instant> {
        let state = self.state.lock();
        (state.rests() && state.ends_at.is_none()).then_some(state.rests_since)
    }

    /// Ends the connection if it still rests.
    pub fn end_if_it_rests(&self) -> bool {
        let mut state = self.state.lock();
        let rests = state.rests();
        if rests {
            state.end_at(Instant::now());
        }
        rests
    }

    /// Ends the connection when nothing is under way at that time or later.
    pub fn end_at(&self, time: Instant) {
        self.state.lock().end_at(time);
    }

    /// The connection was told to end.
    pub fn told(&self, now: Instant) {
        self.state.lock().told_at = Some(now);
    }

    /// What has to be done now; whoever asks is woken when that changes before its time.
    pub fn due(&self, now: Instant, waker: &Waker) -> Due {
        let mut state = self.state.lock();
        if !state.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            state.waker = Some(waker.clone());
        }
        self.due_of(&state, now)
    }

    fn due_of(&self, state: &State, now: Instant) -> Due {
        let stuck = state.stuck_since.map(|since| (since + self.idle, Due::Cut));
        let own = match (state.under_way > 0, state.told_at) {
            (true, None) if state.ends_at.is_some() => return Due::End,
            (true, _) => None,
            (false, Some(told)) => Some((told.max(state.rests_since) + LEAVING, Due::Cut)),
            (false, None) => Some(match (state.ends_at, state.head_since) {
                (Some(time), _) => (time, Due::End),
                (None, Some(since)) => (since + self.head, Due::Cut),
                (None, None) => (state.rests_since + self.idle + MARGIN.min(self.idle), Due::End),
            }),
        };
        match stuck.into_iter().chain(own).min_by_key(|(time, _)| *time) {
            Some((time, due)) if time <= now => due,
            next => Due::Wait(next.map(|(time, _)| time)),
        }
    }

    /// Bytes have come.
    fn received(&self, bytes: &[u8]) {
        let mut state = self.state.lock();
        if std::mem::take(&mut state.is_new) {
            state.is_http2 = bytes.starts_with(PREFACE);
        }
        if state.under_way == 0 && !state.is_http2 && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
    }

    /// Does the client take what it is sent?
    fn sends(&self, takes: bool) {
        let mut state = self.state.lock();
        if takes {
            state.stuck_since = None;
        } else if state.stuck_since.is_none() {
            state.stuck_since = Some(Instant::now());
        }
    }
}

impl State {
    fn rests(&self) -> bool {
        self.under_way == 0 && self.head_since.is_none()
    }

    fn end_at(&mut self, time: Instant) {
        self.ends_at = Some(self.ends_at.map_or(time, |earlier| earlier.min(time)));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// A request that is not answered yet.
pub(super) struct UnderWay(Arc<Phase>);

impl UnderWay {
    /// The connection it has come over.
    pub fn phase(&self) -> &Phase {
        &self.0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.under_way -= 1;
        if state.under_way == 0 {
            state.rests_since = Instant::now();
            if let (Some(_), Some(waker)) = (state.ends_at, state.waker.take()) {
                waker.wake();
            }
        }
    }
}

/// A stream of bytes whose phase is told what comes and goes.
pub(super) struct Watched<S> {
    stream: S,
    phase: Arc<Phase>,
    /// The client has not taken what it was sent last.
    is_stuck: bool,
}

impl<S> Watched<S> {
    pub fn new(stream: S, phase: Arc<Phase>) -> Self {
        Self { stream, phase, is_stuck: false }
    }

    fn sent<T>(&mut self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_pending() != self.is_stuck {
            self.is_stuck = outcome.is_pending();
            self.phase.sends(!self.is_stuck);
        }
        outcome
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, into);
        let bytes = into.filled().get(before..).unwrap_or_default();
        if !bytes.is_empty() {
            self.phase.received(bytes);
        }
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.sent(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.sent(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
