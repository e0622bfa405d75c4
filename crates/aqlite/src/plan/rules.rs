//! The rules of the planner, by the names ArangoDB gives to its own.

/// Only what is read of a document is taken out of it.
pub(super) const PROJECTION: &str = "reduce-extraction-to-projection";

/// Patterns that begin with text are ranges, too.
pub(super) const LIKE_RANGE: &str = "replace-like-with-range";

/// A subquery ends when as many rows are there as count.
pub(super) const FIRST_ROWS: &str = "limit-counted-subqueries";

/// Conditions on places, and the order of distances, by a geo index.
pub(super) const GEO: &str = "geo-index-optimizer";

/// Documents of views are read behind a limit.
pub(super) const LATE: &str = "late-document-materialization-arangosearch";

/// Documents of views are not read where the index keeps what is read of them.
pub(super) const COVERED: &str = "arangosearch-view-stored-values";

/// Documents of an inner loop are found by a table of one of their attributes.
pub(super) const HASH_JOIN: &str = "use-hash-joins";

/// Subqueries that are looped over become a part of the query around them.
pub(super) const INLINE_SUBQUERIES: &str = "inline-subqueries";

/// Loops begin with the one that finds few documents.
pub(super) const INTERCHANGE: &str = "interchange-adjacent-enumerations";

/// Groups and distinct values are read from the entries of an index.
pub(super) const COLLECT_INDEX: &str = "use-index-for-collect";

/// Every rule, in the order in which ArangoDB applies its own.
pub const RULES: &[&str] = &[
    INLINE_SUBQUERIES,
    "move-calculations-up",
    "move-filters-up",
    "inline-calculations",
    "remove-unnecessary-filters",
    "remove-unnecessary-calculations",
    LIKE_RANGE,
    FIRST_ROWS,
    INTERCHANGE,
    GEO,
    "use-indexes",
    "remove-filter-covered-by-index",
    "use-index-for-sort",
    COLLECT_INDEX,
    HASH_JOIN,
    "optimize-traversals",
    "remove-unnecessary-calculations-2",
    "sort-limit",
    LATE,
    COVERED,
    PROJECTION,
    "move-filters-into-enumerate",
];
