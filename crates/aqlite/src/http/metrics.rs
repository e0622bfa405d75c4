//! What the server counts about itself, under the names ArangoDB's metrics have, as Prometheus reads them.

use http::Method;
use prometheus::core::Collector;
use prometheus::proto::{self, Metric};
use prometheus::{Encoder, Gauge, Histogram, HistogramOpts, IntCounter, IntGauge, Opts, Registry, TextEncoder};

use crate::engine::Inner;
use crate::error::code;
use crate::{Error, Result};

/// Seconds, from quick answers to long reports: where the distributions of times are cut.
pub const REQUEST_TIMES: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0];

/// How stream transactions began and ended.
#[derive(Clone)]
pub struct TransactionCounters {
    /// Begun.
    pub started: IntCounter,
    /// Committed.
    pub committed: IntCounter,
    /// Aborted, also by their age.
    pub aborted: IntCounter,
}

/// How often which values occurred.
pub struct Distribution {
    /// All values together.
    pub sum: f64,
    /// How many there were.
    pub count: u64,
    /// How many of them up to each of [`REQUEST_TIMES`] and above the one before, and beyond the last.
    pub counts: Vec<u64>,
}

/// All metrics of an engine.
pub struct Metrics {
    registry: Registry,
    requests: IntCounter,
    methods: [(Method, IntCounter); 6],
    other_requests: IntCounter,
    async_requests: IntCounter,
    request_time: Histogram,
    bytes_received: IntCounter,
    bytes_sent: IntCounter,
    /// Queries run.
    pub queries: IntCounter,
    /// Queries that took longer than the threshold.
    pub slow_queries: IntCounter,
    /// How long queries took.
    pub query_time: Histogram,
    /// How stream transactions began and ended.
    pub transactions: TransactionCounters,
    uptime: Gauge,
    databases: IntGauge,
    collections: IntGauge,
    cursors: IntGauge,
    running_queries: IntGauge,
    running_transactions: IntGauge,
    memory_used: IntGauge,
    memory_limit: IntGauge,
    damaged_pages: IntGauge,
    damaged_reads: IntCounter,
    has_faults: IntGauge,
}

fn refused(error: prometheus::Error) -> Error {
    Error::new(code::INTERNAL, format!("a metric cannot be registered: {error}"))
}

/// Makes metrics and registers them.
struct Maker(Registry);

impl Maker {
    fn opts(name: &str, help: &str) -> Opts {
        Opts::new(name, help).const_label("role", "SINGLE")
    }

    fn counter(&self, name: &str, help: &str) -> Result<IntCounter> {
        let counter = IntCounter::with_opts(Self::opts(name, help)).map_err(refused)?;
        self.0.register(Box::new(counter.clone())).map_err(refused)?;
        Ok(counter)
    }

    fn gauge(&self, name: &str, help: &str) -> Result<IntGauge> {
        let gauge = IntGauge::with_opts(Self::opts(name, help)).map_err(refused)?;
        self.0.register(Box::new(gauge.clone())).map_err(refused)?;
        Ok(gauge)
    }

    fn times(&self, name: &str, help: &str) -> Result<Histogram> {
        let opts = HistogramOpts { common_opts: Self::opts(name, help), buckets: REQUEST_TIMES.to_vec() };
        let histogram = Histogram::with_opts(opts).map_err(refused)?;
        self.0.register(Box::new(histogram.clone())).map_err(refused)?;
        Ok(histogram)
    }
}

impl Metrics {
    /// All of them, at zero.
    pub fn new() -> Result<Self> {
        let make = Maker(Registry::new());
        let by_method = |method: Method, name: &str| -> Result<(Method, IntCounter)> {
            let full = format!("arangodb_http_request_statistics_http_{name}_requests_total");
            let counter = make.counter(&full, &format!("Number of HTTP {method} requests"))?;
            Ok((method, counter))
        };
        let uptime = Gauge::with_opts(Maker::opts(
            "arangodb_server_statistics_server_uptime_total",
            "Number of seconds since the server started",
        ))
        .map_err(refused)?;
        make.0.register(Box::new(uptime.clone())).map_err(refused)?;
        Ok(Self {
            requests: make
                .counter("arangodb_http_request_statistics_total_requests_total", "Number of HTTP requests")?,
            methods: [
                by_method(Method::GET, "get")?,
                by_method(Method::HEAD, "head")?,
                by_method(Method::POST, "post")?,
                by_method(Method::PUT, "put")?,
                by_method(Method::PATCH, "patch")?,
                by_method(Method::DELETE, "delete")?,
            ],
            other_requests: make.counter(
                "arangodb_http_request_statistics_other_http_requests_total",
                "Number of other HTTP requests",
            )?,
            async_requests: make.counter(
                "arangodb_http_request_statistics_async_requests_total",
                "Number of asynchronously executed HTTP requests",
            )?,
            request_time: make
                .times("arangodb_client_connection_statistics_request_time", "Time needed to answer a request")?,
            bytes_received: make.counter(
                "arangodb_client_connection_statistics_bytes_received_total",
                "Bytes of the bodies of requests",
            )?,
            bytes_sent: make
                .counter("arangodb_client_connection_statistics_bytes_sent_total", "Bytes of the bodies of answers")?,
            queries: make.counter("arangodb_aql_all_query_total", "Number of AQL queries finished")?,
            slow_queries: make.counter("arangodb_aql_slow_query_total", "Number of slow AQL queries finished")?,
            query_time: make.times("arangodb_aql_query_time", "Execution time of AQL queries")?,
            transactions: TransactionCounters {
                started: make.counter("arangodb_transactions_started_total", "Number of transactions begun")?,
                committed: make.counter("arangodb_transactions_committed_total", "Number of transactions committed")?,
                aborted: make.counter("arangodb_transactions_aborted_total", "Number of transactions aborted")?,
            },
            uptime,
            databases: make.gauge("arangodb_databases", "Number of databases")?,
            collections: make.gauge("arangodb_collections", "Number of collections")?,
            cursors: make.gauge("arangodb_aql_cursors_active", "Number of open cursors")?,
            running_queries: make.gauge("arangodb_aql_current_query", "Number of running AQL queries")?,
            running_transactions: make.gauge("arangodb_transactions_running", "Number of open stream transactions")?,
            memory_used: make.gauge(
                "arangodb_aql_global_memory_usage",
                "Bytes that queries and open transactions hold, in steps of 65536 for each",
            )?,
            memory_limit: make
                .gauge("arangodb_aql_global_memory_limit", "The most bytes that they may hold together, 0 for any")?,
            damaged_pages: make.gauge("aqlite_damaged_pages", "Pages of the data file that do not fit their checksums")?,
            damaged_reads: make.counter("aqlite_damaged_reads_total", "Reads that were refused for a damaged page")?,
            has_faults: make.gauge(
                "aqlite_faults",
                "1 when something is wrong with the files: damage, a full disk, a failed write; /_admin/server/availability says what",
            )?,
            registry: make.0,
        })
    }

    /// Counts a request that was answered.
    pub fn answered(&self, method: &Method, is_async: bool, received: usize, sent: usize, seconds: f64) {
        self.requests.inc();
        let counter = self.methods.iter().find(|(known, _)| known == method).map(|(_, counter)| counter);
        counter.unwrap_or(&self.other_requests).inc();
        if is_async {
            self.async_requests.inc();
        }
        self.bytes_received.inc_by(received as u64);
        self.bytes_sent.inc_by(sent as u64);
        self.request_time.observe(seconds);
    }

    /// How long requests took.
    pub fn request_times(&self) -> Distribution {
        let families = self.request_time.collect();
        let histogram = families.first().and_then(|family| family.get_metric().first()).map(Metric::get_histogram);
        let mut below = 0;
        let buckets = histogram.map(proto::Histogram::get_bucket).unwrap_or_default();
        let mut counts: Vec<u64> = buckets
            .iter()
            .map(|bucket| bucket.cumulative_count() - std::mem::replace(&mut below, bucket.cumulative_count()))
            .collect();
        let count = self.request_time.get_sample_count();
        counts.push(count.saturating_sub(below));
        Distribution { sum: self.request_time.get_sample_sum(), count, counts }
    }

    /// Bytes of bodies received and sent.
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes_received.get(), self.bytes_sent.get())
    }

    /// How many requests of a method were answered, of `other` ones, of `async` ones, or of all.
    pub fn requests(&self, which: &str) -> u64 {
        match which {
            "" => self.requests.get(),
            "async" => self.async_requests.get(),
            "other" => self.other_requests.get(),
            method => self.methods.iter().find(|(known, _)| known == method).map_or(0, |(_, counter)| counter.get()),
        }
    }

    /// The page Prometheus reads.
    pub fn page(&self, engine: &Inner) -> Result<String> {
        let catalog = engine.store.catalog();
        let collections: usize = catalog.databases().map(|d| d.collections().count()).sum();
        self.uptime.set(engine.started.elapsed().as_secs_f64());
        self.databases.set(catalog.databases().count() as i64);
        self.collections.set(collections as i64);
        self.cursors.set(engine.cursors.len() as i64);
        self.running_queries.set(engine.queries.len() as i64);
        self.running_transactions.set(engine.transactions.count_running() as i64);
        let memory = engine.store.memory();
        self.memory_used.set(memory.used() as i64);
        self.memory_limit.set(memory.limits().together as i64);
        self.damaged_pages.set(engine.store.damaged_pages() as i64);
        self.damaged_reads.inc_by(engine.store.damaged_reads().saturating_sub(self.damaged_reads.get()));
        self.has_faults.set(i64::from(engine.store.what_is_wrong().is_some()));
        let mut page = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut page).map_err(refused)?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }
}
