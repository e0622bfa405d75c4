//! `aqlited check` and `aqlited compact`.

use aqlite::txn::Store;
use indicatif::{HumanBytes, HumanCount};

use super::progress::Steps;
use super::settings::Upkeep;

/// Reads everything stored; what does not fit together goes to standard output and makes it fail.
pub fn check(check: &Upkeep) -> Result<(), String> {
    let mut steps = Steps::new(check.quiet);
    let findings = Store::check_directory(&check.data_dir, &mut steps).map_err(|e| e.to_string())?;
    drop(steps);
    for problem in &findings.problems {
        println!("{problem}");
    }
    if findings.problem_count > 0 {
        return Err(format!("{} problems in {}", findings.problem_count, check.data_dir.display()));
    }
    if !check.quiet {
        let (documents, entries) = (HumanCount(findings.documents), HumanCount(findings.entries));
        println!("{documents} documents and {entries} entries of indexes fit together");
    }
    Ok(())
}

/// Gives free pages back to the system.
pub fn compact(compact: &Upkeep) -> Result<(), String> {
    let compacted = Store::compact_directory(&compact.data_dir).map_err(|e| e.to_string())?;
    if !compact.quiet {
        println!("{} before, {} after", HumanBytes(compacted.before), HumanBytes(compacted.after));
    }
    Ok(())
}
