//! Which crate has which queries. A folder belongs to the lowest one that runs a query of it.

use super::{fragments, shared};

/// The crate above all others. It has the folders that are not named here, and the list of all queries.
pub const SERVICE: &str = "tracewright";
/// The crate that has the shared rows: the lowest whose queries name some.
pub const OF_ROWS: &str = "tracewright-record";

/// The crates below the service, lowest first, with their folders.
const LOWER: [(&str, &[&str]); 2] = [
    ("tracewright-store", &["change", "console", "guards", "transfer"]),
    (
        OF_ROWS,
        &[
            "audit",
            "collaboration_events",
            "counters",
            "counting",
            "counting_events",
            "event",
            "notification",
            "production",
            "production_events",
            "security",
            "serial_events",
            "stock_events",
            "warehouse",
        ],
    ),
];

/// The crate to which a folder belongs.
pub fn owner(area: &str) -> &'static str {
    LOWER.iter().find(|(_, areas)| areas.contains(&area)).map_or(SERVICE, |(owner, _)| owner)
}

/// Whether the queries of a crate may name shared rows.
pub fn knows_rows(of: &str) -> bool {
    [OF_ROWS, SERVICE].contains(&of)
}

/// What the queries of a crate are made of, below `aql/`. Only when one of these changes is it built again.
pub fn sources(of: &str) -> Vec<&'static str> {
    let Some((_, areas)) = LOWER.iter().find(|(owner, _)| *owner == of) else { return vec![""] };
    let rows = knows_rows(of).then_some(shared::FILE);
    areas.iter().copied().chain([fragments::FOLDER]).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_and_the_service_what_nobody_else_has() {
        assert_eq!((owner("guards"), owner("tag")), ("tracewright-store", SERVICE));
        let areas: Vec<&str> = LOWER.iter().flat_map(|(_, areas)| *areas).copied().collect();
        assert!(areas.iter().enumerate().all(|(at, area)| !areas[..at].contains(area)), "{areas:?}");
    }

    #[test]
    fn a_query_of_the_service_builds_no_lower_crate_again() {
        assert_eq!(sources("tracewright-store"), ["change", "console", "guards", "transfer", "fragments"]);
        assert_eq!(sources(SERVICE), [""]);
    }
}
