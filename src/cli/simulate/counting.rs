//! A station counts its shelf: a person does, then the device of the line, somebody looks at both, and stock becomes what was
//! found.

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use reqwest::Method;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::super::AnyError;
use super::messages::{
    Confirmed, Envelope, Event, NewSession, OfCount, OfCountSession, OfSession, Session, SessionPlan, SessionTargets,
};
use super::shelf::movement;
use super::station::Station;
use tracewright_model::CountSessionStatus;

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
        let session = || OfSession { session_key: &session_key };
        self.done(Event::CountSessionStarted(session())).await?;
        let found = (self.own.screws + rand::rng().random_range(-1..=2)).max(0);
        let is_wrong = rand::rng().random_bool(0.2);
        self.count_once(&session_key, found, By::Person).await?;
        let second = self.count_once(&session_key, found + i64::from(is_wrong), By::Device).await?;
        self.done(Event::CountSessionCompleted(session())).await?;
        if is_wrong {
            // Two who say something else are not believed.
            self.refused(Event::CountSessionConfirmed(session())).await?;
            self.done(Event::CountDiscarded { count_key: &second }).await?;
        }
        let confirmed: Confirmed = self.told(Event::CountSessionConfirmed(session())).await?;
        let corrections = confirmed.records_to_process;
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
        let session = NewSession {
            count_session: SessionPlan { kind: "position", code: &code },
            assignments: [SessionTargets { user_key: &place.user_key, target_keys: [&place.position_key] }],
        };
        let created: Envelope<OfCountSession> =
            self.client.send(Method::POST, "/inventory/count-session", &session).await?;
        Ok(created.detail.count_session_key)
    }

    /// One counts the shelf, on which nothing moves meanwhile. Gives the key of the count.
    async fn count_once(&mut self, session_key: &str, quantity: i64, by: By) -> Result<String, AnyError> {
        let plant = Arc::clone(&self.plant);
        let position_key = &plant.places[self.number].position_key;
        let started = Event::CountStarted { session_key, product_key: &plant.screw, position_key };
        let OfCount { count_record_key: count_key } = self.told_by(by, started).await?;
        if self.own.screws > 0 {
            let meanwhile = movement(&plant, "shipment", 1, [position_key, position_key]);
            self.refused(Event::MovementCompleted(meanwhile)).await?;
        }
        let completed = Event::CountCompleted { count_key: &count_key, count_qt: quantity };
        self.told_by::<IgnoredAny>(by, completed).await?;
        Ok(count_key)
    }

    async fn told_by<T: DeserializeOwned>(&mut self, by: By, event: Event<'_>) -> Result<T, AnyError> {
        match by {
            By::Person => self.told(event).await,
            By::Device => self.told_by_device(event).await,
        }
    }

    /// The service corrects stock by itself; that takes a moment.
    async fn wait_until_applied(&self, session_key: &str) -> Result<(), AnyError> {
        for _ in 0..LOOKS {
            let session: Session = self.client.get(&format!("/inventory/count-session/{session_key}")).await?;
            if session.status.as_deref() == Some(CountSessionStatus::Applied.name()) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(format!("counting session {session_key} is not applied").into())
    }
}
