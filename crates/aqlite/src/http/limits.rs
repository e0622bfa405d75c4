//! Limits that hold where a client names none.

use std::sync::OnceLock;

/// Bytes a query may use when it sets no limit: half of the machine's memory, where the system tells how much there is.
pub fn query_memory() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        total_memory(&info).map_or(0, |bytes| bytes / 2)
    })
}

/// The line `MemTotal:  16384 kB` of Linux' description of the memory.
fn total_memory(info: &str) -> Option<usize> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_memory_is_read_in_bytes() {
        assert_eq!(total_memory("Foo: 1 kB\nMemTotal:       16384 kB\n"), Some(16_777_216));
        assert_eq!(total_memory("nothing"), None);
    }
}
