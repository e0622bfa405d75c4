//! `tracewright export` and `tracewright import`: the whole database as a folder of files, on either kind of database.

mod export;
mod files;
mod import;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

pub use self::export::export;
pub use self::import::import;

/// Options of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Folder to write to, empty or not there; it is there when all is written.
    dir: PathBuf,
    /// Write one file of plain JSON lines a collection instead of arangodump's layout.
    #[arg(long)]
    lines: bool,
}

/// Options of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Folder that `export` or arangodump has written, or one with `Collection.jsonl` files; of a dump of all databases
    /// the one named like this database is read. Documents that exist are replaced, others stay.
    dir: PathBuf,
    /// Read an export that is not whole as far as it is there, and say what it lacks.
    #[arg(long)]
    incomplete: bool,
}

/// A bar on the terminal; nothing where there is none.
pub(super) fn bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    let style = ProgressStyle::with_template("{msg:24} {wide_bar} {human_pos}/{human_len} {eta:>4}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
