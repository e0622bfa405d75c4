//! The columns of the catalogue's files.

/// In their order.
pub(super) const COLUMNS: [&str; 8] = [
    "code",
    "description",
    "tags",
    "print_templates",
    "counter",
    "manage_inventory",
    "default_consumption_position",
    "default_production_position",
];
