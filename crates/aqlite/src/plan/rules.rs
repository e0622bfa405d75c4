//! The rules of the planner, by the names ArangoDB gives to its own.

/// Every rule that can be switched off with `optimizer.rules`, in the order in which they are tried.
pub const RULES: &[&str] = &[
    "move-calculations-up",
    "move-filters-up",
    "inline-calculations",
    "optimize-traversals",
    "use-indexes",
    "use-index-for-sort",
    "sort-limit",
    "move-filters-into-enumerate",
];
