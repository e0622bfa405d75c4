//! The engine as a whole: one data directory, opened once, shared by every connection.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request, Response};
use ipnet::IpNet;

use crate::Result;
use crate::auth::throttle::{self, Throttle};
use crate::auth::{Tokens, Users};
use crate::error::{Error, code};
use crate::http::connections;
use crate::http::lanes::{self, DEFAULT_PLACES, Places};
use crate::http::metrics::Metrics;
use crate::http::state::cursors::Cursors;
use crate::http::state::dumps::Dumps;
use crate::http::state::jobs::Jobs;
use crate::http::state::queries::Queries;
use crate::http::state::recent::{Call, Recent};
use crate::http::state::results::Results;
use crate::http::state::transactions::Transactions;
use crate::http::{Admission, Caller, client_address};
use crate::lang;
use crate::memory::Shortage;
use crate::plan::cache as plans;
use crate::txn::{Store, StoreOptions};

/// How an engine is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the data file lives; created when missing.
    pub data_dir: PathBuf,
    /// Password of `root`, set on the first start only.
    pub root_password: String,
    /// HS256 key of the tokens of `/_open/auth`; `None`: generated for this process.
    pub jwt_secret: Option<String>,
}

/// Limits and intervals of an engine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Of the data itself.
    pub store: StoreOptions,
    /// The most bytes a stream transaction may write, where it does not ask for less itself.
    pub stream_transaction_size: usize,
    /// A stream transaction that nobody has used for so long is aborted.
    pub stream_transaction_idle: Duration,
    /// Proxies whose `X-Forwarded-For` is believed: whoever fails to log in is counted by the address behind them.
    pub trusted_proxies: Vec<IpNet>,
    /// How many logins of one name from one address may fail in a minute before the answers to further failures wait; 0: any
    /// number.
    pub failed_logins: usize,
    /// How many requests are worked on at once: so many outside of stream transactions, half as many within, and half as many
    /// that commit. What only shows or ends queries does not count.
    pub query_threads: usize,
    /// How many connections its port may have, and how long they may take.
    pub connections: connections::Limits,
}

impl Default for Settings {
    /// What ArangoDB has, which does not limit failed logins, however.
    fn default() -> Self {
        Self {
            store: StoreOptions::default(),
            stream_transaction_size: 512 << 20,
            stream_transaction_idle: Duration::from_mins(1),
            trusted_proxies: Vec::new(),
            failed_logins: throttle::FAILURES,
            query_threads: DEFAULT_PLACES,
            connections: connections::Limits::default(),
        }
    }
}

impl Settings {
    /// Threads that may block which its requests take at most. The runtime needs some more, for what shows or ends queries.
    pub fn threads(&self) -> usize {
        lanes::threads(self.query_threads)
    }
}

/// Threads for what shows or ends queries.
const SPARE_THREADS: usize = 32;

/// An open data directory. Cheap to clone; the last clone closes the file.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

/// The parts of an engine, as the HTTP handlers see them.
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) users: Users,
    pub(crate) tokens: Tokens,
    /// Of failed logins.
    pub(crate) throttle: Throttle,
    pub(crate) transactions: Transactions,
    pub(crate) cursors: Cursors,
    pub(crate) dumps: Dumps,
    pub(crate) jobs: Jobs,
    pub(crate) queries: Queries,
    pub(crate) results: Results,
    pub(crate) recent_calls: Recent<Call>,
    /// Are writes refused? See `http::mode`.
    pub(crate) read_only: AtomicBool,
    pub(crate) metrics: Metrics,
    pub(crate) started: Instant,
    pub(crate) settings: Settings,
    pub(crate) data_dir: PathBuf,
    places: Places,
    ids: AtomicU64,
}

impl Inner {
    /// A number no cursor, transaction, query or job had before, also not in an earlier life of the process.
    pub(crate) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }
}

impl Engine {
    /// Opens or creates the data directory.
    pub fn open(options: Options) -> Result<Self> {
        Self::open_with(options, Settings::default())
    }

    /// The same with other limits.
    pub fn open_with(options: Options, settings: Settings) -> Result<Self> {
        crate::txn::evaluate_with(crate::exec::computed::evaluate);
        let store = Store::open_with(&options.data_dir, &settings.store)?;
        let users = Users::open(&store, &options.root_password)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let metrics = Metrics::new()?;
        let inner = Arc::new(Inner {
            store,
            users,
            tokens: Tokens::new(options.jwt_secret.as_deref())?,
            throttle: Throttle::after(settings.failed_logins),
            transactions: Transactions::new(metrics.transactions.clone()),
            cursors: Cursors::default(),
            dumps: Dumps::default(),
            jobs: Jobs::default(),
            queries: Queries::default(),
            results: Results::default(),
            recent_calls: Recent::default(),
            read_only: AtomicBool::new(false),
            metrics,
            started: Instant::now(),
            places: Places::new(settings.query_threads),
            settings,
            data_dir: options.data_dir,
            ids: AtomicU64::new(now.as_micros() as u64),
        });
        let caches = Arc::downgrade(&inner);
        inner.store.memory().give_way_by(move |shortage| {
            if let Some(inner) = caches.upgrade() {
                inner.results.clear_all();
            }
            if shortage == Shortage::Process {
                lang::forget();
                plans::forget();
            }
        });
        sweep(Arc::downgrade(&inner))?;
        Ok(Self { inner })
    }

    /// The data itself, for what does not go through the HTTP API.
    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn places(&self) -> &Places {
        &self.inner.places
    }

    /// Answers one HTTP request. It blocks while it works: call it from a thread that may block.
    pub fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        self.handle_for(request, Caller::default())
    }

    /// The same for somebody of whom more is known.
    pub fn handle_for(&self, request: Request<Bytes>, caller: Caller) -> Response<Bytes> {
        let (parts, body) = request.into_parts();
        match self.admit(parts, caller) {
            Admission::Admitted(admitted) => admitted.answer(body),
            Admission::Refused(refusal) => refusal,
        }
    }

    /// Threads that may block which the requests of its sockets take at most.
    pub(crate) fn blocking_threads(&self) -> usize {
        self.inner.settings.threads() + SPARE_THREADS
    }

    /// Where a request comes from that has come over a connection from `peer`.
    pub(crate) fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        client_address(peer, headers, &self.inner.settings.trusted_proxies)
    }

    /// Limits and intervals that are in force.
    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// Lets a request in whose body is still on its way, or refuses it.
    pub(crate) fn admit(&self, parts: Parts, caller: Caller) -> Admission {
        crate::http::admit(&self.inner, parts, caller)
    }

    /// How often a document was found in the cache, and how often it had to be read from the file.
    pub fn cache_hits_and_misses(&self) -> (u64, u64) {
        self.inner.store.shared().cache.hits_and_misses()
    }

    /// Stops what runs, aborts open transactions and brings everything to disk. Calling it again changes nothing.
    pub fn close(&self) -> Result<()> {
        self.inner.queries.kill_of(None);
        self.inner.cursors.forget(None);
        self.inner.dumps.forget(None);
        self.inner.transactions.abort_all(None);
        self.inner.store.close()
    }
}

/// Once a second, forgets what nobody used for its time to live, until the engine is gone.
fn sweep(engine: Weak<Inner>) -> Result<()> {
    let work = move || {
        while let Some(inner) = engine.upgrade() {
            let now = Instant::now();
            inner.cursors.sweep(now);
            inner.dumps.sweep(now);
            inner.jobs.sweep(now);
            inner.transactions.sweep(now, inner.settings.stream_transaction_idle);
            drop(inner);
            thread::sleep(Duration::from_secs(1));
        }
    };
    let thread = thread::Builder::new().name("aqlite-sweep".into()).spawn(work);
    thread.map(drop).map_err(|e| Error::new(code::SYS_ERROR, format!("cannot start a thread: {e}")))
}
