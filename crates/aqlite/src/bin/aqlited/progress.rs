//! How far an import or export is, on the terminal.

use aqlite::dump::{Progress, Unit};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

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
        let style = ProgressStyle::with_template(&format!("{{prefix:24}} {{bar:30}} {counts} {{eta}}"));
        self.bar = ProgressBar::new(total);
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_prefix(collection.to_owned());
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
