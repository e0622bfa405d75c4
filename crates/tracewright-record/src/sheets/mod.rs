//! Tables in files: comma-separated text and workbooks of both generations, read line by line so that no file has to fit
//! into memory, and workbooks that tell which lines are wrong.

#[cfg(test)]
mod fuzzed;
mod markup;
mod old_workbook;
mod portions;
mod read;
mod verdict;

pub use portions::{Message, Portions};
pub use read::read;
pub use verdict::{MEDIA_TYPE, Verdict, write_text};

use std::sync::Arc;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::{Error, Result};

/// Sheets that are read or written at once. Each takes a thread for as long as rows come and go.
pub const AT_ONCE: usize = 8;
static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);

/// Waits until a sheet may be read or written: as long as this lasts.
pub async fn place() -> Option<SemaphorePermit<'static>> {
    // It fails only when it is closed, which nobody does.
    PLACES.acquire().await.ok()
}

/// Work with a sheet on a thread of its own. It is told whether somebody waits for it still, which ends with the request.
pub async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T> + Send + 'static,
) -> Result<T> {
    let waiting = Arc::new(());
    let waits = Arc::downgrade(&waiting);
    let done = tokio::task::spawn_blocking(move || work(&|| waits.strong_count() > 0)).await;
    drop(waiting);
    done.map_err(|cause| Error::internal("The table could not be read or written.", cause))?
}

/// Most characters of a cell that are looked at: no text of ours has more, and a file of a few bytes can unpack to one
/// cell that fills the memory.
const MOST_TEXT: usize = 20_001;

/// What makes rows of lines.
pub trait Rows: Sized + Send + 'static {
    /// A row.
    type Row: Send + 'static;

    /// From the names of the columns, trimmed and in lower case. Required ones that are missing are 400.
    fn new(columns: &[String]) -> Result<Self>;

    /// The row of a line; `None` for one that says nothing.
    fn row(&mut self, cells: &[String]) -> Result<Option<Self::Row>>;

    /// At the end of the file: the columns that mean nothing; a file without rows is 400.
    fn finish(self) -> Result<Vec<String>>;
}

/// 400 for a file without rows.
pub fn no_rows() -> Error {
    Error::bad_request("The file has no rows")
}

/// 400 that says why a file cannot be read.
fn unreadable(cause: impl std::fmt::Display) -> Error {
    Error::bad_request(format!("The file cannot be read: {cause}"))
}

/// A text as far as it is looked at.
fn cut(text: &str) -> &str {
    shortened(text, MOST_TEXT)
}

/// The first characters of a text.
pub fn shortened(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::{AT_ONCE, on_a_thread, place, shortened};

    #[tokio::test]
    async fn only_so_many_sheets_are_open_at_once() {
        let mut open = Vec::new();
        for _ in 0..AT_ONCE {
            open.push(place().await);
        }
        assert!(place().now_or_never().is_none());
        open.pop();
        assert!(place().now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn work_is_told_when_nobody_waits_for_it_any_more() {
        let (begun, has_begun) = std::sync::mpsc::channel();
        let (over, is_over) = std::sync::mpsc::channel();
        let mut work = Box::pin(on_a_thread(move |is_wanted| {
            begun.send(is_wanted()).unwrap();
            while is_wanted() {
                std::thread::yield_now();
            }
            over.send(()).unwrap();
            Ok(())
        }));
        assert!((&mut work).now_or_never().is_none());
        assert_eq!(has_begun.recv(), Ok(true));
        drop(work);
        assert_eq!(is_over.recv(), Ok(()));
    }

    #[test]
    fn of_a_long_text_only_the_beginning_counts() {
        assert_eq!(shortened(&"é".repeat(2_000), 1_000), "é".repeat(1_000));
        assert_eq!(shortened("é", 1_000), "é");
    }
}
