//! What connections may take.

use std::ops::RangeInclusive;
use std::time::Duration;

use aqlite::http::connections::Limits;
use serde::Deserialize;

use super::SettingsError;

/// Longer than a day is as good as no limit.
const SECONDS: RangeInclusive<f64> = 0.001..=86_400.0;

/// How many connections each of the two ports may have, and how long they may take.
#[derive(Debug, Clone, Deserialize)]
pub struct Connections {
    /// So many in all.
    pub most: usize,
    /// So many from one address that is no trusted proxy's.
    pub most_per_address: usize,
    /// How many seconds the head of a request may take from its first byte on.
    pub head_seconds: f64,
    /// How many seconds a body may be waited for, and one more for each KiB that has come.
    pub body_seconds: f64,
    /// How many seconds a connection may rest between two requests.
    pub idle_seconds: f64,
}

impl Connections {
    /// The same for who accepts them.
    pub fn limits(&self) -> Limits {
        Limits {
            most: self.most,
            most_per_address: self.most_per_address,
            head: Duration::from_secs_f64(self.head_seconds),
            body: Duration::from_secs_f64(self.body_seconds),
            idle: Duration::from_secs_f64(self.idle_seconds),
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let seconds = [
            ("connections.head_seconds", self.head_seconds),
            ("connections.body_seconds", self.body_seconds),
            ("connections.idle_seconds", self.idle_seconds),
        ];
        if let Some((key, _)) = seconds.into_iter().find(|(_, seconds)| !SECONDS.contains(seconds)) {
            let reason = format!("must be from {} to {}", SECONDS.start(), SECONDS.end());
            return Err(SettingsError::Value { key, reason });
        }
        let numbers = [("connections.most", self.most), ("connections.most_per_address", self.most_per_address)];
        match numbers.into_iter().find(|(_, number)| *number == 0) {
            Some((key, _)) => Err(SettingsError::Value { key, reason: "must be more than 0".to_owned() }),
            None => Ok(()),
        }
    }
}
