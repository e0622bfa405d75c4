//! What is held alone in the database: whoever else writes one of these collections waits, in whatever process. That is only
//! right where those who must not meet write no document in common; everybody else collides on one and begins again, see
//! [`guards`](super::guards). `docs/writers.md` lists what is here, with the reasons.

/// Collections that an operation holds alone.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The operation, or several.
    pub operation: &'static str,
    /// The collections.
    pub collections: &'static [&'static str],
}

macro_rules! held {
    ($($(#[$about:meta])* $name:ident: $operation:literal [$($collection:ident)+];)*) => {
        $(
            $(#[$about])*
            pub const $name: Held = Held { operation: $operation, collections: &[$(stringify!($collection)),+] };
        )*
        /// All of them.
        pub const ALL: &[Held] = &[$($name),*];
    };
}

held! {
    /// Positions are moved and deleted.
    POSITIONS: "positions moved or deleted" [Position is_in_position];
    /// A container is moved with what is in it.
    CONTAINER: "a movement of a container" [is_in_position];
    /// A count begins.
    COUNT: "`COUNT_STARTED`" [is_in_position];
    /// The counts of a session are looked at as a whole.
    COUNTS: "`COUNT_SESSION_COMPLETED`, `COUNT_SESSION_CANCELED`, `COUNT_SESSION_CONFIRMED`, counts imported" [inventory_count_record];
    /// A counter goes.
    COUNTER: "a counter deleted" [Config Counter Product Serial];
    /// An operation of processes is written, with the files its steps show.
    OPERATION: "an operation created or changed" [Media Operation media_connection];
    /// An operation of processes goes.
    OPERATION_DELETED: "an operation deleted" [Media Operation media_connection requires];
    /// A stored file goes.
    MEDIA: "a stored file deleted" [Media];
    /// Processes are written.
    PROCESS: "a process written or copied" [Phase Product Step can_use_print_template requires];
    /// Bills of materials are written.
    BOM: "a bill of materials replaced" [requires];
    /// Products are written.
    PRODUCT: "a product created, changed, copied or deleted" [Product];
    /// Products are imported.
    PRODUCTS: "products imported" [Product can_use_print_template has_tag];
    /// Components are collected.
    COMPONENTS: "components collected for a batch" [contains];
    /// A work order goes with all that is recorded of it.
    WORK_ORDER: "a work order deleted by force" [Job WorkOrder];
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../docs/writers.md");

    #[test]
    fn the_page_about_writers_lists_what_is_held_alone_with_a_reason() {
        let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
        let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>()).skip(1).collect::<Vec<_>>();
        let listed: Vec<(&str, Vec<String>)> = cells
            .iter()
            .map(|row| (row[0], row[1].split(", ").map(|name| name.trim_matches('`').to_owned()).collect()))
            .collect();
        let expected: Vec<(&str, Vec<String>)> = ALL
            .iter()
            .map(|held| (held.operation, held.collections.iter().map(|name| (*name).to_owned()).collect()))
            .collect();
        assert_eq!(listed, expected);
        assert!(cells.iter().all(|row| row.len() == 3 && row[2].len() > 20), "each with a reason");
    }

    #[test]
    fn what_is_held_are_collections() {
        for held in ALL {
            assert!(held.collections.iter().all(|name| crate::store::COLLECTIONS.contains(name)), "{held:?}");
            assert!(held.collections.is_sorted(), "{held:?}");
        }
    }
}
