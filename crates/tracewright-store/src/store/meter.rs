//! What is counted about the calls to the database.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntGauge, Opts};

/// Counters of one store. Clones count together.
#[derive(Clone)]
pub struct Meter {
    calls: HistogramVec,
    /// Calls that wait for their answer.
    pub(super) in_flight: IntGauge,
    /// Connections to a server that a call uses.
    pub(super) connections_in_use: IntGauge,
    /// Connections to a server that were opened.
    pub(super) connections_opened: IntCounter,
    /// Stream transactions that are begun and not ended.
    pub(super) open_transactions: IntGauge,
    /// Transactions that were tried again because another one was faster.
    pub(super) retries: IntCounter,
    /// Documents and index entries that queries looked at.
    pub(super) scanned: IntCounter,
}

impl Meter {
    /// Counters at zero.
    pub(super) fn new() -> prometheus::Result<Self> {
        let calls =
            HistogramOpts::new("database_call_duration_seconds", "Time of a call to the database").buckets(vec![
                0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
            ]);
        let gauge = |name, help| IntGauge::with_opts(Opts::new(name, help));
        Ok(Self {
            calls: HistogramVec::new(calls, &["call", "outcome"])?,
            in_flight: gauge(
                "database_calls_in_flight",
                "Calls to the database that wait for their answer; each takes a thread with the embedded engine",
            )?,
            connections_in_use: gauge(
                "database_connections_in_use",
                "Connections to the database server that a call uses; always 0 with the embedded engine, which has none",
            )?,
            connections_opened: IntCounter::new(
                "database_connections_opened_total",
                "Connections opened to the database server; idle ones are kept for 90 seconds, how many the client does \
                 not tell; always 0 with the embedded engine, which has none",
            )?,
            open_transactions: gauge("database_transactions_open", "Transactions begun and not ended")?,
            retries: IntCounter::new(
                "database_transaction_retries_total",
                "Transactions and queries tried again because another one was faster or a server of a cluster handed over",
            )?,
            scanned: IntCounter::new("database_scanned_total", "Documents and index entries that queries looked at")?,
        })
    }

    /// Everything that is counted, to be registered.
    pub fn collectors(&self) -> Vec<Box<dyn Collector>> {
        vec![
            Box::new(self.calls.clone()),
            Box::new(self.in_flight.clone()),
            Box::new(self.connections_in_use.clone()),
            Box::new(self.connections_opened.clone()),
            Box::new(self.open_transactions.clone()),
            Box::new(self.retries.clone()),
            Box::new(self.scanned.clone()),
        ]
    }

    /// Documents and index entries that queries have looked at so far.
    pub fn scanned(&self) -> u64 {
        self.scanned.get()
    }

    /// Notes an answered call; `status` is absent when no answer came.
    pub(super) fn observe(&self, path: &str, status: Option<u16>, elapsed: Duration) {
        let outcome = match status {
            None => "unreachable",
            Some(status) if status >= 400 => "refused",
            Some(_) => "ok",
        };
        self.calls.with_label_values(&[kind(path), outcome]).observe(elapsed.as_secs_f64());
    }
}

/// Few labels, however many queries there are.
fn kind(path: &str) -> &'static str {
    let call = path.split_once("/_api/").map_or("", |(_, call)| call);
    match call.split(['/', '?']).next().unwrap_or_default() {
        "cursor" => "query",
        "transaction" => "transaction",
        "document" | "import" => "document",
        "collection" | "index" | "database" => "schema",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart_by_what_they_do() {
        assert_eq!(kind("/_db/tracewright/_api/cursor"), "query");
        assert_eq!(kind("/_db/x/_api/transaction/12"), "transaction");
        assert_eq!(kind("/_db/x/_api/index?collection=Serial"), "schema");
        assert_eq!(kind("/"), "other");
    }
}
