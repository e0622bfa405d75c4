//! Gauges of what is under way.

use prometheus::IntGauge;

/// Counts something while it lasts, also when it is given up: a client may close its connection at any moment.
pub struct UnderWay(IntGauge);

impl UnderWay {
    /// One more, until this is dropped.
    pub fn count(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}
