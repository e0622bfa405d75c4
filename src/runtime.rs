//! The threads of the process. A few answer requests; work that waits for the disk or computes for long has others, of which
//! there are only so many: each keeps memory for its next piece of work, also after a burst or a disk that stood still.
//!
//! Nobody who holds one waits for another that could not come. What the embedded engine works on takes places first, and
//! needs no second thread. Rows of sheets go between a thread and queries, so that few sheets are open at once. All others,
//! files and passwords, end by themselves.

use std::io;

use tokio::runtime::{Builder, Runtime};

use crate::settings::Settings;
use crate::store::Store;
use crate::{dhr, sheets};

/// Threads for files, and for what shows or ends queries.
const FILES: usize = 16;

/// The runtime of the process.
pub fn build(settings: &Settings) -> io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().max_blocking_threads(most_blocking(settings)).build()
}

/// Threads that may block: what each kind of work takes at most.
fn most_blocking(settings: &Settings) -> usize {
    let hashes = std::thread::available_parallelism().map_or(1, usize::from);
    Store::threads(settings) + hashes + sheets::AT_ONCE + dhr::AT_ONCE + FILES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: &[(&str, &str)]) -> usize {
        let owned: Vec<_> = values.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        most_blocking(&Settings::with(&owned).unwrap())
    }

    #[test]
    fn the_threads_follow_from_the_places_of_the_engine_and_a_server_needs_none() {
        let server = with(&[("database.url", "http://127.0.0.1:8529")]);
        assert!(server >= FILES + sheets::AT_ONCE + dhr::AT_ONCE);
        assert_eq!(with(&[("database.embedded_query_threads", "10")]), server + 20);
        assert_eq!(with(&[("database.embedded_query_threads", "11")]), server + 23);
    }
}
