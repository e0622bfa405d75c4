//! Metrics in Prometheus' form.

use std::time::Duration;

use aqlite::Engine;
use prometheus::core::Collector;
use prometheus::process_collector::ProcessCollector;
use prometheus::{Encoder, HistogramOpts, HistogramVec, IntCounter, IntGauge, Opts, Registry, TextEncoder};

use crate::store::Store;

/// The embedded engine's cache of documents, which counts by itself.
struct EngineCache {
    engine: Engine,
    hits: IntCounter,
    misses: IntCounter,
}

impl EngineCache {
    fn new(engine: Engine, registry: &Registry) -> prometheus::Result<Self> {
        let hits = IntCounter::new("database_cache_hits_total", "Documents found in the embedded engine's cache")?;
        let misses = IntCounter::new("database_cache_misses_total", "Documents read from the embedded engine's file")?;
        registry.register(Box::new(hits.clone()))?;
        registry.register(Box::new(misses.clone()))?;
        Ok(Self { engine, hits, misses })
    }

    fn read(&self) {
        let (hits, misses) = self.engine.cache_hits_and_misses();
        for (counter, now) in [(&self.hits, hits), (&self.misses, misses)] {
            counter.inc_by(now.saturating_sub(counter.get()));
        }
    }
}

/// What is measured: requests, calls to the database, the runtime and the process.
pub struct Metrics {
    registry: Registry,
    duration: HistogramVec,
    tasks: IntGauge,
    cache: Option<EngineCache>,
    /// Requests being served.
    pub in_flight: IntGauge,
    /// Open streams of notifications.
    pub streams: IntGauge,
    /// Memory of what waits for them.
    pub waiting_bytes: IntGauge,
}

impl Metrics {
    /// Fresh metrics, with those of the store.
    pub fn new(store: &Store) -> prometheus::Result<Self> {
        let duration = HistogramVec::new(
            HistogramOpts::new("http_request_duration_seconds", "Time to answer a request"),
            &["method", "route", "status"],
        )?;
        let gauge = |name, help| IntGauge::with_opts(Opts::new(name, help));
        let in_flight = gauge("http_requests_in_flight", "Requests being served")?;
        let streams = gauge("notification_streams", "Open streams of notifications")?;
        let waiting_bytes = gauge("notification_waiting_bytes", "Memory of messages that wait for streams")?;
        let workers = gauge("runtime_worker_threads", "Threads that serve requests")?;
        let tasks = gauge("runtime_tasks", "Tasks that the runtime has open: connections and their requests")?;
        workers.set(tokio::runtime::Handle::try_current().map_or(0, |handle| handle.metrics().num_workers() as i64));

        let registry = Registry::new();
        let own: [Box<dyn Collector>; 7] = [
            Box::new(duration.clone()),
            Box::new(in_flight.clone()),
            Box::new(streams.clone()),
            Box::new(waiting_bytes.clone()),
            Box::new(workers),
            Box::new(tasks.clone()),
            Box::new(ProcessCollector::for_self()),
        ];
        for collector in own.into_iter().chain(store.meter().collectors()) {
            registry.register(collector)?;
        }
        let cache = store.engine().cloned().map(|engine| EngineCache::new(engine, &registry)).transpose()?;
        Ok(Self { registry, duration, tasks, cache, in_flight, streams, waiting_bytes })
    }

    /// Notes an answered request.
    pub fn observe(&self, method: &str, route: &str, status: u16, elapsed: Duration) {
        self.duration.with_label_values(&[method, route, &status.to_string()]).observe(elapsed.as_secs_f64());
    }

    /// The page Prometheus reads, and its content type.
    pub fn page(&self) -> prometheus::Result<(Vec<u8>, String)> {
        if let Ok(handle) = tokio::runtime::Handle::try_current() {
            self.tasks.set(handle.metrics().num_alive_tasks() as i64);
        }
        self.cache.iter().for_each(EngineCache::read);
        let encoder = TextEncoder::new();
        let mut page = Vec::new();
        encoder.encode(&self.registry.gather(), &mut page)?;
        Ok((page, encoder.format_type().to_owned()))
    }
}
