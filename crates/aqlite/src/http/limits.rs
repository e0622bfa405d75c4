//! Limits that hold where a client names none.

use std::sync::OnceLock;

use super::process::physical_memory;

/// Bytes a query may use when it sets no limit: half of the machine's memory, where the system tells how much there is.
pub fn query_memory() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| physical_memory().map_or(0, |bytes| bytes / 2))
}
