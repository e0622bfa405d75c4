//! Where the log goes.

use std::io::IsTerminal;

use aqlite::http::log_filter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

use crate::settings::{LogFormat, Settings};

/// Sends the log to standard error in the shape and with the filter of the settings.
pub fn init(settings: &Settings) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let filtered = registry().with(log_filter(&settings.log)?);
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    match settings.log_format {
        LogFormat::Text => filtered.with(lines).try_init()?,
        LogFormat::Json => filtered.with(lines.json().flatten_event(true)).try_init()?,
    }
    Ok(())
}
