//! Codes from counters. A counter is read and advanced in the transaction that uses the code, which begins again when one of
//! another process was faster: no code is given twice, and none is lost when it fails. Those of this process come one after
//! the other.

mod period;
mod series;
mod template;

pub use self::period::Frequency;
pub use self::series::Series;
pub use self::template::mistakes;
use chrono::{DateTime, Utc};
use poem::http::StatusCode;

use crate::aql::counters::{self as stored, ADVANCE, READ};
use crate::aql::rows::Counter;
use crate::clock::{self, Zone};
use crate::error::{Error, Result};
use crate::store::{Access, Transaction};

/// The collection that transactions which draw codes write in turn.
const COLLECTION: &str = "Counter";

/// The same access for a transaction that also draws codes.
pub fn drawing(access: Access) -> Access {
    access.and(&[READ, ADVANCE]).in_turn(&[COLLECTION])
}

/// The same for one that does not keep others from their counters. Calls of this process should wait for one another before
/// they begin ([`unit_of_purpose`]).
pub fn drawing_with_others(access: Access) -> Access {
    access.and(&[READ, ADVANCE])
}

/// What calls of this process wait for that draw codes for the same purpose.
pub fn unit_of_purpose(purpose: &str) -> String {
    format!("Counter of {purpose}")
}

/// The next code of the counter that the configuration names for `purpose` (`positions`, `counting_sessions`, ...). Its
/// dates are those of the site's `zone`.
pub async fn next_code(trx: &Transaction, zone: &Zone, purpose: &str) -> Result<String> {
    let counter = read(trx, purpose).await?;
    counter.advance(trx, zone).await
}

/// The same where codes must differ: 409 when the template has no place for the number, so that every code would be the
/// same.
pub async fn next_distinct_code(trx: &Transaction, zone: &Zone, purpose: &str) -> Result<String> {
    let counter = read(trx, purpose).await?;
    if !template::has_number(counter.parts()) {
        let name = counter.known_as();
        let text = format!("The counter {name} has no #N in its template, so its codes would repeat.");
        return Err(Error::message(StatusCode::CONFLICT, text));
    }
    counter.advance(trx, zone).await
}

async fn read(trx: &Transaction, purpose: &str) -> Result<Counter> {
    let missing = || Error::internal("The counter for new codes is missing in the database.", purpose.to_owned());
    stored::read(trx, stored::read::Params { purpose }).await?.ok_or_else(missing)
}

impl Counter {
    async fn advance(mut self, trx: &Transaction, zone: &Zone) -> Result<String> {
        let code = self.draw(Utc::now(), zone)?;
        self.store(trx).await?;
        Ok(code)
    }

    async fn store(&self, trx: &Transaction) -> Result<()> {
        let Self { key, next_tick, reset_date, .. } = self;
        let params = stored::advance::Params { key, next_tick: *next_tick, reset_date: reset_date.as_deref() };
        stored::advance(trx, params).await
    }

    /// What its codes are made of.
    fn parts(&self) -> &[String] {
        self.template.as_deref().unwrap_or_default()
    }

    /// Its name, or its key when it has none.
    fn known_as(&self) -> &str {
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&self.key)
    }

    /// Takes the next code. From the reset date on counting begins anew with 1.
    fn draw(&mut self, now: DateTime<Utc>, zone: &Zone) -> Result<String> {
        let mut tick = self.next_tick.unwrap_or(1);
        if let Some(next_reset) = self.passed_reset(now, zone) {
            tick = 1;
            self.reset_date = Some(clock::stored(next_reset));
        }
        self.next_tick = Some(tick.saturating_add(1));
        template::code(self.parts(), tick, zone.local(now))
    }

    /// The reset date after `now`, when the present one has passed. Without a frequency or a date there is no reset.
    fn passed_reset(&self, now: DateTime<Utc>, zone: &Zone) -> Option<DateTime<Utc>> {
        let frequency = Frequency::parse(self.frequency.as_deref())?;
        let reset = clock::parse(self.reset_date.as_deref()?).filter(|reset| *reset <= now)?;
        frequency.after(reset, now, zone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(template: &[&str], frequency: Option<&str>, reset_date: Option<&str>) -> Counter {
        Counter {
            key: "default".into(),
            name: None,
            next_tick: Some(40),
            template: Some(template.iter().map(|token| (*token).to_owned()).collect()),
            frequency: frequency.map(str::to_owned),
            reset_date: reset_date.map(str::to_owned),
        }
    }

    fn at(text: &str) -> DateTime<Utc> {
        clock::parse(text).unwrap()
    }

    #[test]
    fn past_the_reset_date_counting_begins_anew_with_one() {
        let mut counter = counter(&["%y", "#6"], Some("year"), Some("2025-01-01T00:00:00+00:00"));
        let now = at("2028-03-01T00:00:00");
        assert_eq!(counter.draw(now, &Zone::UTC).unwrap(), "28000001");
        assert_eq!(counter.next_tick, Some(2));
        assert_eq!(counter.reset_date.as_deref(), Some("2029-01-01T00:00:00.000000+00:00"));
        assert_eq!(counter.draw(now, &Zone::UTC).unwrap(), "28000002");
    }

    #[test]
    fn the_reset_date_itself_belongs_to_the_new_period() {
        let mut daily = counter(&["#1"], Some("day"), Some("2026-05-04T00:00:00+00:00"));
        assert_eq!(daily.draw(at("2026-05-03T23:59:59.999999"), &Zone::UTC).unwrap(), "40");
        assert_eq!(daily.draw(at("2026-05-04T00:00:00"), &Zone::UTC).unwrap(), "1");
    }

    #[test]
    fn without_a_frequency_or_a_reset_date_counting_never_begins_anew() {
        let now = at("2026-05-04T08:00:00");
        for (frequency, reset_date) in [
            (None, None),
            (Some("none"), Some("2020-01-01T00:00:00")),
            (None, Some("2020-01-01T00:00:00")),
            (Some("year"), None),
        ] {
            let mut endless = counter(&["#1"], frequency, reset_date);
            let codes: Vec<String> = (0..5).map(|_| endless.draw(now, &Zone::UTC).unwrap()).collect();
            assert_eq!(codes, ["40", "41", "42", "43", "44"], "{frequency:?} {reset_date:?}");
            assert_eq!(endless.reset_date.as_deref(), reset_date);
        }
    }

    #[test]
    fn the_first_half_hour_of_a_year_at_the_site_has_its_year_and_begins_with_one() {
        // Local midnight in Rome is 23:00 of the day before in UTC.
        let mut counter = counter(&["%Y", "-", "#3"], Some("year"), Some("2026-12-31T23:00:00+00:00"));
        let rome = &Zone::of("Europe/Rome").unwrap();
        assert_eq!(counter.draw(at("2026-12-31T22:30:00"), rome).unwrap(), "2026-040");
        assert_eq!(counter.draw(at("2026-12-31T23:30:00"), rome).unwrap(), "2027-001");
        assert_eq!(counter.reset_date.as_deref(), Some("2027-12-31T23:00:00.000000+00:00"));
    }
}
