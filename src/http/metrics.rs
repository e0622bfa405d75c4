//! Metrics in Prometheus' form.

use std::time::Duration;

use prometheus::{Encoder, HistogramOpts, HistogramVec, IntGauge, Registry, TextEncoder};

/// What is measured.
pub struct Metrics {
    registry: Registry,
    duration: HistogramVec,
    /// Requests being served.
    pub in_flight: IntGauge,
}

impl Metrics {
    /// Fresh metrics.
    pub fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let duration = HistogramVec::new(
            HistogramOpts::new("http_request_duration_seconds", "Time to answer a request"),
            &["method", "route", "status"],
        )?;
        let in_flight = IntGauge::new("http_requests_in_flight", "Requests being served")?;
        registry.register(Box::new(duration.clone()))?;
        registry.register(Box::new(in_flight.clone()))?;
        Ok(Self { registry, duration, in_flight })
    }

    /// Notes an answered request.
    pub fn observe(&self, method: &str, route: &str, status: u16, elapsed: Duration) {
        self.duration.with_label_values(&[method, route, &status.to_string()]).observe(elapsed.as_secs_f64());
    }

    /// The page Prometheus reads, and its content type.
    pub fn page(&self) -> prometheus::Result<(Vec<u8>, String)> {
        let encoder = TextEncoder::new();
        let mut page = Vec::new();
        encoder.encode(&self.registry.gather(), &mut page)?;
        Ok((page, encoder.format_type().to_owned()))
    }
}
