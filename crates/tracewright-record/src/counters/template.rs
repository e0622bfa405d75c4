//! What a code is made of: dates, the number, and texts.

use std::fmt::Write as _;

use chrono::format::{Item, StrftimeItems};
use chrono::{DateTime, FixedOffset};

use super::Frequency;
use crate::error::{Error, Result};

/// The most digits a template may ask for: all that the largest number has.
const WIDEST: usize = 18;
/// The most characters of a text in a template.
const LONGEST_TEXT: usize = 200;
/// Widest zero-padded number that is made for a template from an existing database.
const WIDEST_STORED: usize = 30;

/// The calendar's year. The year of ISO weeks (`%G`, `%g`) ends on another day, so that it tells periods apart only
/// together with its weeks.
const YEARS: [&str; 2] = ["%Y", "%y"];
const WEEK_YEARS: [&str; 4] = ["%Y", "%y", "%G", "%g"];
const WEEKS: [&str; 3] = ["%V", "%U", "%W"];
/// The dates and times that a new template may hold.
const DATES: [&str; 14] = ["%Y", "%y", "%G", "%g", "%m", "%d", "%j", "%V", "%U", "%W", "%u", "%H", "%M", "%S"];

const UNUSABLE: &str = "The counter for new codes has a template that cannot be used.";

/// The code of a number at a time of the site.
pub(super) fn code(template: &[String], tick: i64, now: DateTime<FixedOffset>) -> Result<String> {
    let mut code = String::new();
    for token in template {
        match digits(token) {
            Some(width) => {
                let width = width.min(WIDEST_STORED);
                write!(code, "{tick:0width$}").map_err(|e| Error::internal(UNUSABLE, e))?;
            }
            None if token.starts_with('%') => code.push_str(&date(token, now)?),
            None => code.push_str(token),
        }
    }
    Ok(code)
}

/// Whether a template has a place for the number.
pub(super) fn has_number(template: &[String]) -> bool {
    template.iter().any(|token| digits(token).is_some())
}

/// The N of `#N`; a number too large to be one is the largest.
fn digits(token: &str) -> Option<usize> {
    let number = token.strip_prefix('#').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))?;
    Some(number.parse().unwrap_or(usize::MAX))
}

fn date(token: &str, now: DateTime<FixedOffset>) -> Result<String> {
    let items: Vec<Item<'_>> = StrftimeItems::new(token).collect();
    if items.contains(&Item::Error) {
        return Err(Error::internal(UNUSABLE, format!("unknown date code {token}")));
    }
    Ok(now.format_with_items(items.iter()).to_string())
}

/// What is wrong with a new template: the token it stands in, or none for the whole, and a text.
pub fn mistakes(template: &[String], frequency: Option<Frequency>) -> Vec<(Option<usize>, String)> {
    let tokens = template.iter().enumerate();
    let mut found: Vec<_> = tokens.filter_map(|(at, token)| Some((Some(at), mistake(token)?))).collect();
    if let Some((frequency, needed)) = frequency.and_then(|frequency| too_coarse(template, frequency)) {
        found.push((None, format!("codes would repeat: counting anew every {frequency} needs {needed}")));
    }
    found
}

fn mistake(token: &str) -> Option<String> {
    if digits(token).is_some_and(|width| !(1..=WIDEST).contains(&width)) {
        return Some(format!("{token} asks for a number of digits other than 1 to {WIDEST}"));
    }
    if token.starts_with('%') && !DATES.contains(&token) {
        return Some(format!("{token} is none of the dates {}", DATES.join(" ")));
    }
    if token.chars().count() > LONGEST_TEXT {
        return Some(format!("the text has more than {LONGEST_TEXT} characters"));
    }
    token.chars().any(char::is_control).then(|| "the text holds a control character".to_owned())
}

/// What a template lacks to tell the periods of a frequency apart.
fn too_coarse(template: &[String], frequency: Frequency) -> Option<(&'static str, &'static str)> {
    let has = |token: &str| template.iter().any(|known| known == token);
    let year = YEARS.into_iter().any(has);
    let day = year && (has("%j") || (has("%m") && has("%d")));
    let (tells_apart, name, needed) = match frequency {
        Frequency::Year => (year, "year", "a year"),
        Frequency::Month => (day || (year && has("%m")), "month", "a year with a month or a day of the year"),
        Frequency::Week => {
            let week = (has("%V") && WEEK_YEARS.into_iter().any(has)) || (year && WEEKS.into_iter().any(has));
            (day || week, "week", "a year with a week, a day of the year, or month and day")
        }
        Frequency::Day => (day, "day", "a year with a day of the year, or month and day"),
    };
    (!tells_apart).then_some((name, needed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(tokens: &[&str]) -> Vec<String> {
        tokens.iter().map(|token| (*token).to_owned()).collect()
    }

    fn at_noon(tokens: &[&str], tick: i64) -> Result<String> {
        code(&template(tokens), tick, DateTime::parse_from_rfc3339("2026-05-04T12:00:00Z").unwrap())
    }

    #[test]
    fn a_code_is_made_of_dates_the_padded_number_and_texts() {
        assert_eq!(at_noon(&["P-", "%y", "%m", "/", "#4"], 7).unwrap(), "P-2605/0007");
        assert_eq!(at_noon(&["%G", "W", "%V", "%u", "-", "%j"], 7).unwrap(), "2026W191-124");
        assert_eq!(at_noon(&["#2"], 12_345).unwrap(), "12345", "a longer number is not cut");
    }

    #[test]
    fn an_unknown_date_code_is_an_error_and_an_unknown_number_code_is_a_text() {
        assert!(at_noon(&["%Q"], 1).is_err());
        assert_eq!(at_noon(&["#x", "#", "#+4"], 1).unwrap(), "#x##+4");
        assert_eq!(at_noon(&["#99999999999999999999"], 1).unwrap().len(), WIDEST_STORED);
    }

    #[test]
    fn tokens_of_a_new_template_are_checked() {
        let bad = template(&["%y", "%Q", "#0", "#19", "#99", "%y-", "a\n", "#18", "x%", "#x"]);
        let found: Vec<_> = mistakes(&bad, None).into_iter().filter_map(|(at, _)| at).collect();
        assert_eq!(found, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_template_tells_the_periods_of_its_frequency_apart() {
        let fits = |tokens: &[&str], frequency| mistakes(&template(tokens), Some(frequency)).is_empty();
        for tokens in [&["%y", "%m"][..], &["%Y", "%j"], &["%y", "%m", "%d"]] {
            assert!(fits(tokens, Frequency::Month), "{tokens:?}");
        }
        for tokens in [&["%y", "%V"][..], &["%G", "%V"], &["%Y", "%U"], &["%y", "%j"], &["%y", "%m", "%d"]] {
            assert!(fits(tokens, Frequency::Week), "{tokens:?}");
        }
        assert!(fits(&["%y"], Frequency::Year) && fits(&["%Y"], Frequency::Year));
        assert!(fits(&["%y", "%j"], Frequency::Day) && fits(&["%Y", "%m", "%d"], Frequency::Day));
        for (tokens, frequency) in [
            (&["%m", "#4"][..], Frequency::Year),
            (&["%G", "#4"], Frequency::Year),
            (&["%y", "#4"], Frequency::Month),
            (&["%y", "%d"], Frequency::Month),
            (&["%y", "%m"], Frequency::Week),
            (&["%G", "%U"], Frequency::Week),
            (&["%y", "%m"], Frequency::Day),
            (&["%y", "%V", "%d"], Frequency::Day),
            (&["%m", "%d"], Frequency::Day),
        ] {
            assert!(!fits(tokens, frequency), "{tokens:?} {frequency:?}");
        }
    }
}
