//! `/_admin/log`: the last messages of the process, for those who cannot see its standard error.
//!
//! Nothing is kept unless whoever starts the process adds [`RecentMessages`] to its subscriber.

use std::collections::VecDeque;
use std::fmt::{Debug, Write};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::clock::iso_seconds;
use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, get};
use crate::error::code;
use crate::value::Value;
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[get("/_admin/log", columns), get("/_admin/log/entries", entries)];

/// How many messages are kept.
const KEPT: usize = 1_000;

static RECENT: LazyLock<Mutex<Recent>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Recent {
    messages: VecDeque<Message>,
    next: i64,
}

#[derive(Clone)]
struct Message {
    id: i64,
    severity: Severity,
    topic: &'static str,
    at: SystemTime,
    text: String,
}

/// ArangoDB's levels, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Fatal,
    Error,
    Warning,
    Info,
    Debug,
    Trace,
}

impl Severity {
    const ALL: [Self; 6] = [Self::Fatal, Self::Error, Self::Warning, Self::Info, Self::Debug, Self::Trace];

    fn name(self) -> &'static str {
        match self {
            Self::Fatal => "FATAL",
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
            Self::Trace => "TRACE",
        }
    }

    /// A level by its name or its number.
    fn parse(text: &str) -> Result<Self> {
        let found =
            Self::ALL.into_iter().find(|s| s.name().eq_ignore_ascii_case(text) || (*s as u8).to_string() == text);
        found.ok_or_else(|| bad_request(format!("unknown log level '{text}'")))
    }
}

/// Keeps the last messages in memory, where `/_admin/log` finds them. Part of a `tracing` subscriber.
#[derive(Debug, Default)]
pub struct RecentMessages;

impl<S: Subscriber> Layer<S> for RecentMessages {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let metadata = event.metadata();
        let severity = match *metadata.level() {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warning,
            Level::INFO => Severity::Info,
            Level::DEBUG => Severity::Debug,
            Level::TRACE => Severity::Trace,
        };
        let mut recent = RECENT.lock();
        let id = recent.next;
        recent.next += 1;
        if recent.messages.len() >= KEPT {
            recent.messages.pop_front();
        }
        let text = text.0 + &text.1;
        recent.messages.push_back(Message { id, severity, topic: metadata.target(), at: SystemTime::now(), text });
    }
}

/// The message of an event, and its fields behind it.
#[derive(Default)]
struct Text(String, String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // writing to a string does not fail
        let _ = if field.name() == "message" {
            write!(self.0, "{value:?}")
        } else {
            write!(self.1, " {}={value:?}", field.name())
        };
    }
}

/// The messages a request asks for, and how many there are before `offset` and `size` cut some off.
fn chosen(ctx: &Ctx) -> Result<(Vec<Message>, usize)> {
    if !ctx.user.is_admin() {
        return Err(Error::plain(code::FORBIDDEN));
    }
    let number = |name: &str| ctx.param(name).and_then(|n| n.parse::<usize>().ok());
    let upto = ctx.param("upto").map_or(Ok(Severity::Info), Severity::parse)?;
    let level = ctx.param("level").map(Severity::parse).transpose()?;
    let search = ctx.param("search").unwrap_or_default();
    let start = number("start").map_or(0, |start| i64::try_from(start).unwrap_or(i64::MAX));
    let mut messages: Vec<Message> = RECENT.lock().messages.iter().cloned().collect();
    messages.retain(|m| {
        level.map_or(m.severity <= upto, |level| m.severity == level) && m.id >= start && m.text.contains(search)
    });
    if ctx.param("sort").is_some_and(|sort| sort.eq_ignore_ascii_case("desc")) {
        messages.reverse();
    }
    let total = messages.len();
    let size = number("size").unwrap_or(usize::MAX);
    Ok((messages.into_iter().skip(number("offset").unwrap_or(0)).take(size).collect(), total))
}

/// The form of older versions: a list for each property of the messages.
fn columns(ctx: &Ctx) -> HandlerResult {
    let (messages, total) = chosen(ctx)?;
    let column = |value: fn(&Message) -> Value| Value::array(messages.iter().map(value).collect());
    let seconds = |m: &Message| Value::Int(m.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64);
    let body = object([
        ("totalAmount", Value::Int(total as i64)),
        ("lid", column(|m| Value::Int(m.id))),
        ("topic", column(|m| Value::str(m.topic))),
        ("level", column(|m| Value::Int(m.severity as i64))),
        ("timestamp", column(seconds)),
        ("text", column(|m| Value::str(m.text.as_str()))),
    ]);
    Ok(Answer::json(200, &Value::object(body)))
}

fn entries(ctx: &Ctx) -> HandlerResult {
    let (messages, total) = chosen(ctx)?;
    let shown = messages.iter().map(|m| {
        Value::from_pairs([
            ("id", Value::Int(m.id)),
            ("topic", Value::str(m.topic)),
            ("level", Value::str(m.severity.name())),
            ("date", Value::str(iso_seconds(m.at))),
            ("message", Value::str(m.text.as_str())),
        ])
    });
    let body = object([("total", Value::Int(total as i64)), ("messages", Value::array(shown.collect()))]);
    Ok(Answer::json(200, &Value::object(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_known_by_its_name_and_its_number() {
        assert_eq!(Severity::parse("warning").ok(), Some(Severity::Warning));
        assert_eq!(Severity::parse("4").ok(), Some(Severity::Debug));
        assert!(Severity::parse("loud").is_err());
    }

    #[test]
    fn a_message_is_kept_with_its_fields() {
        use tracing_subscriber::layer::SubscriberExt;
        let subscriber = tracing_subscriber::registry().with(RecentMessages);
        tracing::subscriber::with_default(subscriber, || tracing::warn!(answer = 42, "kept for later"));
        let recent = RECENT.lock();
        let kept = recent.messages.iter().find(|m| m.text.starts_with("kept for later")).expect("kept");
        assert_eq!((kept.severity, kept.text.as_str()), (Severity::Warning, "kept for later answer=42"));
    }
}
