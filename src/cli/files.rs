//! The files of the embedded database as a whole: what `tracewright check --deep` and `tracewright compact` do with them.

use std::path::PathBuf;

use aqlite::txn::{Findings, Store, Watch};
use indicatif::{HumanBytes, HumanCount, ProgressBar};

use super::check::Outcome;
use super::{AnyError, explain, transfer};
use crate::settings::Settings;

/// A bar for each part of a check. Dropped, it leaves the screen as it was.
pub(super) struct Bars {
    bar: ProgressBar,
}

impl Bars {
    /// None yet.
    pub(super) fn new() -> Self {
        Self { bar: ProgressBar::hidden() }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Bars {
    fn begin(&mut self, part: &str, steps: u64) {
        self.bar.finish_and_clear();
        self.bar = transfer::bar(steps);
        self.bar.set_message(part.to_owned());
    }

    fn at(&mut self, done: u64) {
        self.bar.set_position(done);
    }
}

/// The folder of the embedded database; a server has files of its own.
fn folder(settings: &Settings) -> Result<PathBuf, AnyError> {
    if settings.database.is_embedded() {
        return Ok(settings.data_dir.join("db"));
    }
    Err(format!("the database is a server, {}, which looks after its files itself", settings.database.url).into())
}

/// Reads everything that is stored. A server looks after its files itself.
pub async fn check(settings: &Settings) -> Outcome {
    if !settings.database.is_embedded() {
        let text = format!("the database is a server, {}, which looks after its files itself", settings.database.url);
        return Outcome::Fine(text);
    }
    match read_everything(settings).await {
        Ok(findings) if findings.problem_count == 0 => Outcome::Fine(format!(
            "{} documents and {} entries of indexes fit together",
            HumanCount(findings.documents),
            HumanCount(findings.entries)
        )),
        Ok(findings) => {
            let mut lines = findings.problems;
            lines.push(format!(
                "{} problems. Restore the latest backup; see docs/operations.md.",
                findings.problem_count
            ));
            Outcome::Problem(lines.join("\n"))
        }
        Err(error) => Outcome::Problem(explain(&error, settings)),
    }
}

async fn read_everything(settings: &Settings) -> Result<Findings, AnyError> {
    let folder = folder(settings)?;
    Ok(tokio::task::spawn_blocking(move || Store::check_directory(&folder, &mut Bars::new())).await??)
}

/// Gives free pages back to the system.
pub async fn compact(settings: &Settings) -> Result<(), AnyError> {
    let folder = folder(settings)?;
    let compacted = tokio::task::spawn_blocking(move || Store::compact_directory(&folder)).await??;
    println!("{} before, {} after", HumanBytes(compacted.before), HumanBytes(compacted.after));
    Ok(())
}
