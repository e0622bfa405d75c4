//! A station of the plant. What it does stands in files of their own: building, keeping its shelf, counting; reporting is
//! here. Some of it is wrong on purpose and must be refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::super::AnyError;
use super::books::Own;
use super::client::{Answer, Client};
use super::messages::{Event, Issue, Keyed, OfIssue};
use super::plant::{Place, Plant};
use super::shelf::How;

/// A station at work.
pub(super) struct Station {
    pub(super) plant: Arc<Plant>,
    pub(super) client: Client,
    pub(super) number: usize,
    pub(super) own: Own,
    pace: Option<Duration>,
}

impl Station {
    pub(super) fn new(plant: Arc<Plant>, client: Client, number: usize, pace: Option<Duration>) -> Self {
        let own = Own::new(number);
        Self { plant, client, number, own, pace }
    }

    pub(super) fn place(&self) -> &Place {
        &self.plant.places[self.number]
    }

    /// Works until the time is over, and hands its books over. Everything is done once however short the time is.
    pub(super) async fn work(mut self, until: Instant) -> Result<(Own, Client), AnyError> {
        self.build().await?;
        self.keep_shelf().await?;
        for how in How::ALL {
            self.carry(how).await?;
        }
        self.count().await?;
        self.report().await?;
        while Instant::now() < until {
            let choice = rand::rng().random_range(0..20_usize);
            match choice {
                0..8 => self.build().await?,
                8..12 => self.keep_shelf().await?,
                12..15 => self.carry(How::ALL[choice - 12]).await?,
                15 => self.count().await?,
                _ => self.report().await?,
            }
        }
        Ok((self.own, self.client))
    }

    /// Records an event of this station's user, and waits when that is too fast.
    async fn event(&mut self, event: &Event<'_>) -> Result<Answer, AnyError> {
        let answer = self.paced(self.client.event(event, Some(&self.place().user_key))).await?;
        if matches!(answer, Answer::Recorded(_)) {
            self.own.events += 1;
        }
        Ok(answer)
    }

    async fn paced(&self, sent: impl Future<Output = Result<Answer, AnyError>>) -> Result<Answer, AnyError> {
        let began = Instant::now();
        let answer = sent.await?;
        if let Some(rest) = self.pace.and_then(|pace| pace.checked_sub(began.elapsed())) {
            tokio::time::sleep(rest).await;
        }
        Ok(answer)
    }

    /// An event that must be recorded.
    pub(super) async fn done(&mut self, event: Event<'_>) -> Result<(), AnyError> {
        self.record::<IgnoredAny>(event).await.map(drop)
    }

    /// The same, and what is answered.
    pub(super) async fn record<T: DeserializeOwned>(&mut self, event: Event<'_>) -> Result<T, AnyError> {
        self.event(&event).await?.recorded()
    }

    /// An event that must be refused.
    pub(super) async fn refused(&mut self, event: Event<'_>) -> Result<(), AnyError> {
        match self.event(&event).await? {
            Answer::Refused(_) => Ok(()),
            Answer::Recorded(_) => Err(format!("{event:?} was recorded although it breaks a rule").into()),
        }
    }

    /// An event that the device of the line records.
    pub(super) async fn record_by_device<T: DeserializeOwned>(&mut self, event: Event<'_>) -> Result<T, AnyError> {
        let client = &self.plant.line(self.number).device.client;
        let answer = self.paced(client.event(&event, None)).await?.recorded()?;
        self.own.device_events += 1;
        Ok(answer)
    }

    /// Something is wrong, and then it is not any more.
    async fn report(&mut self) -> Result<(), AnyError> {
        let plant = Arc::clone(&self.plant);
        let issue_data = Issue { issue_type_key: &plant.issue_type, data: [], linked_to: [] };
        let OfIssue { issue_key: key } = self.record(Event::IssueCreated { issue_data }).await?;
        if rand::rng().random_bool(0.9) {
            self.done(Event::IssueClosed { issue_data: Keyed { key } }).await?;
        } else {
            self.own.open_issues.push(key);
        }
        Ok(())
    }
}
