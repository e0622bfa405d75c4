//! What the system tells about this process and its machine; nothing is known where it does not.

use std::fs::read_to_string;

use crate::memory::kilobytes;

/// Of this process.
#[derive(Debug, Default, PartialEq)]
pub struct Process {
    /// Page faults that needed no reading.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// Seconds spent in the program.
    pub user_time: f64,
    /// Seconds spent in the system for it.
    pub system_time: f64,
    /// Threads.
    pub threads: u64,
    /// Bytes of address space.
    pub virtual_size: u64,
    /// Bytes in memory.
    pub resident_size: u64,
}

/// Linux counts the time of programs in hundredths of seconds.
const TICKS: f64 = 100.0;

impl Process {
    /// As it is now.
    pub fn current() -> Self {
        let stat = read_to_string("/proc/self/stat").unwrap_or_default();
        let status = read_to_string("/proc/self/status").unwrap_or_default();
        let resident_size = kilobytes(&status, "VmRSS:").unwrap_or_default() as u64;
        Self { resident_size, ..Self::parse(&stat).unwrap_or_default() }
    }

    /// The fields behind the program's name, which may itself hold anything.
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<u64> =
            stat.rsplit_once(')')?.1.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            minor_faults: field(10)?,
            major_faults: field(12)?,
            user_time: field(14)? as f64 / TICKS,
            system_time: field(15)? as f64 / TICKS,
            threads: field(20)?,
            virtual_size: field(23)?,
            resident_size: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_a_process_stand_behind_its_name() {
        let stat = "7 (a) b c) S 1 7 7 0 -1 4194560 11 0 12 0 250 50 0 0 20 0 9 0 100 8192000 300 0";
        let process = Process::parse(stat).expect("read");
        assert_eq!((process.minor_faults, process.major_faults, process.threads), (11, 12, 9));
        assert!((process.user_time - 2.5).abs() < 1e-9 && (process.system_time - 0.5).abs() < 1e-9);
        assert_eq!(process.virtual_size, 8_192_000);
        assert_eq!(Process::parse("nothing"), None);
    }
}
