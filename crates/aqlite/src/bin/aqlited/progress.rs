//! How far an import, export or check is, on the terminal.

use aqlite::dump::{Progress, Unit};
use aqlite::txn::Watch;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

fn bar(what: &str, counts: &str, total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{prefix:24}} {{bar:30}} {counts} {{eta}}"));
    let bar = ProgressBar::new(total);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(what.to_owned());
    bar
}

/// A bar for each part of a check.
pub struct Steps {
    bar: ProgressBar,
    quiet: bool,
}

impl Steps {
    /// Bars, or nothing at all.
    pub fn new(quiet: bool) -> Self {
        Self { bar: ProgressBar::hidden(), quiet }
    }
}

impl Watch for Steps {
    fn begin(&mut self, part: &str, steps: u64) {
        self.bar.finish_and_clear();
        if !self.quiet {
            self.bar = bar(part, "{human_pos}/{human_len} {per_sec}", steps);
        }
    }

    fn at(&mut self, done: u64) {
        self.bar.set_position(done);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for each collection. It is not drawn where standard error is no terminal.
pub struct Bars {
    bar: ProgressBar,
    collection: String,
    quiet: bool,
}

impl Bars {
    /// Bars, or nothing at all.
    pub fn new(quiet: bool) -> Self {
        Self { bar: ProgressBar::hidden(), collection: String::new(), quiet }
    }
}

impl Progress for Bars {
    fn begin(&mut self, collection: &str, unit: Unit, total: u64) {
        collection.clone_into(&mut self.collection);
        if self.quiet {
            return;
        }
        let counts = match unit {
            Unit::Bytes => "{bytes}/{total_bytes} {bytes_per_sec}",
            Unit::Documents => "{human_pos}/{human_len} {per_sec}",
        };
        self.bar = bar(collection, counts, total);
    }

    fn at(&mut self, done: u64) {
        self.bar.set_position(done);
    }

    fn end(&mut self, documents: u64) {
        self.bar.finish_and_clear();
        if !self.quiet {
            eprintln!("{}: {} documents", self.collection, HumanCount(documents));
        }
    }
}
