//! The placeholders of `DATE_FORMAT()`.

use jiff::civil::DateTime;

use super::{day_of_week, iso, iso_week, quarter, to_millis};

type Writer = fn(DateTime) -> String;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn month_name(at: DateTime) -> &'static str {
    MONTHS[(at.month() - 1) as usize]
}

fn weekday_name(at: DateTime) -> &'static str {
    WEEKDAYS[day_of_week(at) as usize]
}

/// The year with zeros before it: one too few for the years 9, 99 and 999, as ArangoDB writes them.
fn four_digit_year(at: DateTime) -> String {
    match at.year() {
        year @ (9 | 99) => format!("0{year:02}"),
        999 => String::from("999"),
        year => format!("{year:04}"),
    }
}

/// The first placeholder that matches is taken, so longer ones come first.
const PLACEHOLDERS: &[(&str, Writer)] = &[
    // ends a placeholder before a letter that would prolong it
    ("%&", |_| String::new()),
    ("%yyyyyy", |d| format!("{:+07}", d.year())),
    ("%mmmm", |d| month_name(d).to_owned()),
    ("%yyyy", four_digit_year),
    ("%wwww", |d| weekday_name(d).to_owned()),
    ("%mmm", |d| month_name(d)[..3].to_owned()),
    ("%www", |d| weekday_name(d)[..3].to_owned()),
    ("%fff", |d| format!("{:03}", d.millisecond())),
    ("%xxx", |d| format!("{:03}", d.day_of_year())),
    ("%yy", |d| format!("{:02}", d.year() % 100)),
    ("%mm", |d| format!("{:02}", d.month())),
    ("%dd", |d| format!("{:02}", d.day())),
    ("%hh", |d| format!("{:02}", d.hour())),
    ("%ii", |d| format!("{:02}", d.minute())),
    ("%ss", |d| format!("{:02}", d.second())),
    ("%kk", |d| format!("{:02}", iso_week(d).1)),
    ("%t", |d| to_millis(d).to_string()),
    ("%z", |d| iso(d, true).unwrap_or_default()),
    ("%w", |d| day_of_week(d).to_string()),
    ("%y", |d| d.year().to_string()),
    ("%m", |d| d.month().to_string()),
    ("%d", |d| d.day().to_string()),
    ("%h", |d| d.hour().to_string()),
    ("%i", |d| d.minute().to_string()),
    ("%s", |d| d.second().to_string()),
    ("%f", |d| d.millisecond().to_string()),
    ("%x", |d| d.day_of_year().to_string()),
    ("%k", |d| iso_week(d).1.to_string()),
    ("%l", |d| u8::from(d.in_leap_year()).to_string()),
    ("%q", |d| quarter(d).to_string()),
    ("%a", |d| d.days_in_month().to_string()),
    ("%%", |_| "%".to_owned()),
    ("%", |_| String::new()),
];

/// The pattern with its placeholders filled in.
pub(super) fn format(pattern: &str, at: DateTime) -> String {
    let mut result = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some(start) = rest.find('%') {
        result.push_str(&rest[..start]);
        rest = &rest[start..];
        for (placeholder, write) in PLACEHOLDERS {
            if let Some(shorter) = rest.strip_prefix(placeholder) {
                result.push_str(&write(at));
                rest = shorter;
                break;
            }
        }
    }
    result.push_str(rest);
    result
}
