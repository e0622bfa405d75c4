//! Codes from counters. A counter is read and advanced in the transaction that uses the code, which holds it alone:
//! no code is given twice, and none is lost when the transaction fails.

use std::fmt::Write as _;

use chrono::format::{Item, StrftimeItems};
use chrono::{DateTime, Months, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;

use crate::error::{Error, Result};
use crate::store::Transaction;
use crate::{aql, clock};

/// The collection such a transaction holds alone.
pub const COLLECTION: &str = "Counter";

/// Widest zero-padded number a template may ask for.
const WIDEST: usize = 30;

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Counter {
    #[serde(rename = "_key")]
    key: String,
    #[serde(default)]
    next_tick: Option<i64>,
    #[serde(default)]
    template: Vec<String>,
    #[serde(default)]
    frequency: Option<String>,
    #[serde(default)]
    reset_date: Option<String>,
}

/// The next code of the counter that the configuration names for `purpose` (`positions`, `counting_sessions`, ...).
pub async fn next_code(trx: &Transaction, purpose: &str) -> Result<String> {
    let missing = || Error::internal("The counter for new codes is missing in the database.", purpose.to_owned());
    let mut counter: Counter = trx.row(&aql::counters::READ, json!({"purpose": purpose})).await?.ok_or_else(missing)?;
    let code = counter.draw(Utc::now())?;
    let params = json!({"key": counter.key, "next_tick": counter.next_tick, "reset_date": counter.reset_date});
    trx.run(&aql::counters::ADVANCE, params).await?;
    Ok(code)
}

impl Counter {
    /// Takes the next code. Past the reset date counting begins anew with 1.
    fn draw(&mut self, now: DateTime<Utc>) -> Result<String> {
        let mut tick = self.next_tick.unwrap_or(1);
        if let Some(next_reset) = self.passed_reset(now) {
            tick = 1;
            self.reset_date = Some(clock::stored(next_reset));
        }
        self.next_tick = Some(tick.saturating_add(1));
        self.code(tick, now)
    }

    /// The reset date after `now`, when the present one has passed.
    fn passed_reset(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut reset = clock::parse(self.reset_date.as_deref()?)?;
        if now < reset {
            return None;
        }
        while reset <= now {
            reset = match self.frequency.as_deref()? {
                "year" => reset.checked_add_months(Months::new(12))?,
                "month" => reset.checked_add_months(Months::new(1))?,
                "week" => reset.checked_add_signed(TimeDelta::weeks(1))?,
                "day" => reset.checked_add_signed(TimeDelta::days(1))?,
                _ => return None,
            };
        }
        Some(reset)
    }

    fn code(&self, tick: i64, now: DateTime<Utc>) -> Result<String> {
        let mut code = String::new();
        for token in &self.template {
            match token.strip_prefix('#').and_then(|digits| digits.parse::<usize>().ok()) {
                Some(width) => {
                    let width = width.min(WIDEST);
                    write!(code, "{tick:0width$}").map_err(|e| Error::internal(UNUSABLE, e))?;
                }
                None if token.starts_with('%') => code.push_str(&date(token, now)?),
                None => code.push_str(token),
            }
        }
        Ok(code)
    }
}

const UNUSABLE: &str = "The counter for new codes has a template that cannot be used.";

fn date(token: &str, now: DateTime<Utc>) -> Result<String> {
    let items: Vec<Item<'_>> = StrftimeItems::new(token).collect();
    if items.contains(&Item::Error) {
        return Err(Error::internal(UNUSABLE, format!("unknown date code {token}")));
    }
    Ok(now.format_with_items(items.iter()).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(template: &[&str], frequency: Option<&str>, reset_date: Option<&str>) -> Counter {
        Counter {
            key: "default".to_owned(),
            next_tick: Some(7),
            template: template.iter().map(|token| (*token).to_owned()).collect(),
            frequency: frequency.map(str::to_owned),
            reset_date: reset_date.map(str::to_owned),
        }
    }

    fn at(text: &str) -> DateTime<Utc> {
        clock::parse(text).unwrap()
    }

    #[test]
    fn a_code_is_made_of_dates_the_padded_tick_and_literals() {
        let mut counter = counter(&["P-", "%y", "%m", "/", "#4"], None, None);
        assert_eq!(counter.draw(at("2026-05-04T08:00:00")).unwrap(), "P-2605/0007");
        assert_eq!(counter.next_tick, Some(8));
    }

    #[test]
    fn past_the_reset_date_counting_begins_anew() {
        let mut counter = counter(&["%y", "#6"], Some("year"), Some("2026-01-01T00:00:00+00:00"));
        let now = at("2028-03-01T00:00:00");
        assert_eq!(counter.draw(now).unwrap(), "28000001");
        assert_eq!(counter.reset_date.as_deref(), Some("2029-01-01T00:00:00.000000+00:00"));
        assert_eq!(counter.draw(now).unwrap(), "28000002");
    }

    #[test]
    fn before_the_reset_date_and_without_a_frequency_counting_goes_on() {
        let now = at("2026-05-04T08:00:00");
        let mut yearly = counter(&["#1"], Some("year"), Some("2027-01-01T00:00:00"));
        assert_eq!(yearly.draw(now).unwrap(), "7");
        let mut endless = counter(&["#1"], Some("none"), Some("2020-01-01T00:00:00"));
        assert_eq!(endless.draw(now).unwrap(), "7");
    }

    #[test]
    fn every_frequency_moves_the_reset_date_past_now() {
        let now = at("2026-05-04T08:00:00");
        let expected = [("year", "2027-01-01"), ("month", "2026-06-01"), ("week", "2026-05-07"), ("day", "2026-05-05")];
        for (frequency, date) in expected {
            let counter = counter(&[], Some(frequency), Some("2026-01-01T00:00:00"));
            let next = counter.passed_reset(now).unwrap();
            assert_eq!(next.format("%Y-%m-%d").to_string(), date, "{frequency}");
        }
    }

    #[test]
    fn an_unknown_date_code_is_an_error_and_an_unknown_number_code_is_literal() {
        let now = at("2026-05-04T08:00:00");
        assert!(counter(&["%Q"], None, None).code(1, now).is_err());
        assert_eq!(counter(&["#x", "#99"], None, None).code(1, now).unwrap().len(), 2 + WIDEST);
    }
}
