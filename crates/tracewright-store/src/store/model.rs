//! The collections of the data model, and what its edges connect. The build reads it too: it holds the stored queries to it.

/// Every collection of the data model. A lower-case first letter makes an edge collection.
pub const COLLECTIONS: &[&str] = &[
    "Batch",
    "Change",
    "ChangeChain",
    "CodeGuard",
    "Config",
    "Counter",
    "CustomData",
    "CustomField",
    "CustomListValue",
    "Department",
    "Event",
    "EventReceipt",
    "InventoryCountAssignment",
    "InventoryCountRecord",
    "InventoryCountSession",
    "InventorySnapshot",
    "InventorySnapshotItem",
    "Issue",
    "IssueType",
    "Job",
    "Media",
    "MovementList",
    "Notification",
    "Operation",
    "Phase",
    "Position",
    "PrintTemplate",
    "Product",
    "Queue",
    "Serial",
    "Site",
    "Step",
    "StepExecutionData",
    "Tag",
    "Task",
    "TaskType",
    "Token",
    "User",
    "UserSession",
    "WorkOrder",
    "WorkSession",
    "batch_serial",
    "can_use_print_template",
    "contains",
    "event_source",
    "has_tag",
    "inventory_count_position_complete",
    "inventory_count_record",
    "is_in_position",
    "issue_rel",
    "media_connection",
    "message",
    "movement",
    "requires",
    "task_rel",
    "wip",
];

/// Whether a collection holds edges.
pub fn is_edge(collection: &str) -> bool {
    collection.starts_with(|first: char| first.is_ascii_lowercase())
}

/// An edge collection and the collections of its two ends.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// The edge collection.
    pub name: &'static str,
    /// Where its edges begin.
    pub from: &'static [&'static str],
    /// Where they end.
    pub to: &'static [&'static str],
}

macro_rules! edges {
    ($($name:ident: $($from:ident)+ => $($to:ident)+;)*) => {
        &[$(Edge { name: stringify!($name), from: &[$(stringify!($from)),+], to: &[$(stringify!($to)),+] },)*]
    };
}

/// What every edge collection connects.
pub const EDGES: &[Edge] = edges! {
    batch_serial: Batch => Serial;
    can_use_print_template: IssueType Phase Position Product Step TaskType => PrintTemplate;
    // a batch contains the components of work orders without traceability
    contains: Batch Serial => Serial;
    event_source: Event => Event;
    has_tag: Product => Tag;
    inventory_count_position_complete: InventoryCountSession => Position;
    inventory_count_record: Product => Position;
    // positions lie in each other; what lies in them is stock
    is_in_position: Position Product => Position;
    // also to projects, of which there are only names
    issue_rel: Issue => Job Operation Phase Product Serial User WorkOrder;
    media_connection: Operation Phase Step => Media;
    message: User => Issue Job Task User WorkOrder;
    movement: Position => Position;
    // a product owns phases, a phase is based on an operation and consumes products
    requires: Phase Product => Operation Phase Product;
    task_rel: Task => Issue Product Serial Task WorkOrder;
    wip: Phase => Job Phase;
};

/// A search view over one collection: its documents are found by the runs of characters of these attributes, wherever in
/// them they stand.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Its name, which no collection has.
    pub name: &'static str,
    /// The collection.
    pub collection: &'static str,
    /// Attributes with texts. Nothing else of a document is found through the view.
    pub fields: &'static [&'static str],
}

macro_rules! views {
    ($($name:ident: $collection:ident $($field:ident)+;)*) => {
        &[$(View {
            name: stringify!($name),
            collection: stringify!($collection),
            fields: &[$(stringify!($field)),+],
        },)*]
    };
}

/// Every search view.
pub const VIEWS: &[View] = views! {
    CustomDataTexts: CustomData _key description;
    CustomListValueTexts: CustomListValue ext_key value;
    IssueTexts: Issue _key;
    MovementListTexts: MovementList code;
    PhaseTexts: Phase alias;
    PositionTexts: Position code;
    ProductTexts: Product code description;
    SerialTexts: Serial code;
    TaskTexts: Task code description title;
    WorkOrderTexts: WorkOrder project_code wo_code;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_a_name_of_its_own_and_belongs_to_a_collection() {
        for view in VIEWS {
            assert!(!COLLECTIONS.contains(&view.name) && COLLECTIONS.contains(&view.collection), "{}", view.name);
            assert!(VIEWS.iter().filter(|other| other.collection == view.collection).count() == 1, "{}", view.name);
        }
    }

    #[test]
    fn the_case_of_the_first_letter_tells_documents_from_edges() {
        assert!(is_edge("contains"));
        assert!(!is_edge("Serial"));
        assert_eq!(COLLECTIONS.iter().filter(|name| is_edge(name)).count(), 15);
    }

    #[test]
    fn every_edge_collection_is_listed_once_with_ends_that_are_documents() {
        let listed: Vec<&str> = EDGES.iter().map(|edge| edge.name).collect();
        let edges: Vec<&str> = COLLECTIONS.iter().copied().filter(|name| is_edge(name)).collect();
        assert_eq!(listed, edges);
        for end in EDGES.iter().flat_map(|edge| edge.from.iter().chain(edge.to)) {
            assert!(COLLECTIONS.contains(end) && !is_edge(end), "{end}");
        }
    }
}
