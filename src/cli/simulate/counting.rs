//! A station counts its shelf: a person does, then the device of the line, somebody looks at both, and stock becomes what was
//! found.

use std::time::Duration;

use rand::RngExt;
use reqwest::Method;
use serde_json::{Value, json};

use super::super::AnyError;
use super::station::{Station, text};

/// How often it is asked whether a session is applied.
const LOOKS: u32 = 600;
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Person,
    Device,
}

impl Station {
    /// Counts the shelf, from the plan to the corrected stock. Some screws were lost or found.
    pub(super) async fn count(&mut self) -> Result<(), AnyError> {
        let session_key = self.plan_count().await?;
        let session = |event_type: &str| json!({"event_type": event_type, "session_key": session_key});
        self.done(session("COUNT_SESSION_STARTED")).await?;
        let found = (self.own.screws + rand::rng().random_range(-1..=2)).max(0);
        let is_wrong = rand::rng().random_bool(0.2);
        self.count_once(&session_key, found, By::Person).await?;
        let second = self.count_once(&session_key, found + i64::from(is_wrong), By::Device).await?;
        self.done(session("COUNT_SESSION_COMPLETED")).await?;
        if is_wrong {
            // Two who say something else are not believed.
            self.refused(session("COUNT_SESSION_CONFIRMED")).await?;
            self.done(json!({"event_type": "COUNT_DISCARDED", "count_key": second})).await?;
        }
        let confirmed = self.done(session("COUNT_SESSION_CONFIRMED")).await?;
        let corrections = confirmed["records_to_process"].as_u64().unwrap_or_default() as usize;
        self.wait_until_applied(&session_key).await?;
        if corrections > 0 {
            // The service records in the name of who confirmed: each correction, and that all are done.
            self.own.events += corrections + 1;
            self.own.adjustments += corrections;
        }
        self.own.screws = found;
        self.own.sessions.push(session_key);
        Ok(())
    }

    async fn plan_count(&self) -> Result<String, AnyError> {
        let code = format!("SIM-{}-{}-{}", self.plant.run, self.number, self.own.sessions.len());
        let place = self.place();
        let session = json!({
            "count_session": {"type": "position", "code": code},
            "assignments": [{"user_key": place.user_key, "target_keys": [place.position_key]}],
        });
        let created = self.client.send(Method::POST, "/inventory/count-session", session).await?;
        text(&created["detail"]["count_session_key"])
    }

    /// One counts the shelf, on which nothing moves meanwhile. Gives the key of the count.
    async fn count_once(&mut self, session_key: &str, quantity: i64, by: By) -> Result<String, AnyError> {
        let started = json!({
            "event_type": "COUNT_STARTED", "session_key": session_key, "product_key": self.plant.screw,
            "position_key": self.place().position_key,
        });
        let count_key = text(&self.done_by(by, started).await?["count_record_key"])?;
        if self.own.screws > 0 {
            let meanwhile = self.movement("shipment", 1);
            self.refused(meanwhile).await?;
        }
        let completed = json!({"event_type": "COUNT_COMPLETED", "count_key": count_key, "count_qt": quantity});
        self.done_by(by, completed).await?;
        Ok(count_key)
    }

    async fn done_by(&mut self, by: By, event: Value) -> Result<Value, AnyError> {
        match by {
            By::Person => self.done(event).await,
            By::Device => self.done_by_device(event).await,
        }
    }

    /// The service corrects stock by itself; that takes a moment.
    async fn wait_until_applied(&self, session_key: &str) -> Result<(), AnyError> {
        for _ in 0..LOOKS {
            let session = self.client.get(&format!("/inventory/count-session/{session_key}")).await?;
            if session["status"] == "applied" {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(format!("counting session {session_key} is not applied").into())
    }
}
