//! From the syntax tree to what is executed: binding of names, rewriting, choice of indexes, explanation.

pub(crate) mod analyzers;
mod area;
pub mod bind;
mod bind_expr;
mod bind_graph;
mod bind_modify;
mod bind_names;
mod bind_search;
pub(crate) mod bound;
mod box_choice;
pub(crate) mod cache;
mod estimates;
pub mod explain;
pub mod expr;
mod geo_choice;
mod geo_reading;
pub mod index_choice;
pub(crate) mod inverted;
mod node;
pub mod optimize;
mod outline;
mod projection;
mod rules;

use std::sync::{Arc, OnceLock};

use crate::catalog::{Collection, Index};
use crate::exec::Warning;
use crate::functions::aggregate::Aggregate;
use crate::lang::ast::{BinaryOp, ModifyKind, PathKind};
use crate::search::SearchView;
use crate::txn::WriteOptions;
use crate::value::{SmolStr, Value};
pub use area::{Area, Distance, Side};
use expr::{Ex, Slot};
pub use rules::RULES;

/// Where a node of a plan stands in memory: what tells it from all others of its plan, as long as that lives.
pub(crate) fn node_place(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}

/// A query ready to run.
pub struct Plan {
    /// The clauses of the main query.
    pub main: Arc<Pipeline>,
    /// Size of the frame.
    pub slots: usize,
    /// Names of the variables, by slot.
    pub names: Vec<SmolStr>,
    /// Collections read and written.
    pub collections: Vec<(Arc<Collection>, bool)>,
    /// Names of the optimizer rules that changed something, for explain.
    pub rules: Vec<&'static str>,
    /// Writes data.
    pub modifies: bool,
    /// What planning has to warn of.
    pub warnings: Vec<Warning>,
    /// Bytes of its computed constants.
    pub constants: usize,
    /// Is it a few look-ups and no computing to speak of? Known once somebody has asked.
    pub is_light: OnceLock<bool>,
}

/// The clauses of a query or a subquery.
#[derive(Clone)]
pub struct Pipeline {
    /// In the order of execution.
    pub nodes: Vec<Node>,
    /// What each row gives; `None` when the last clause is a modification without `RETURN`.
    pub output: Option<Ex>,
    /// Is none of its rows kept without the others?
    pub stays_together: bool,
}

/// One step of a pipeline.
#[derive(Clone)]
pub enum Node {
    /// `FOR x IN array`
    List(Arc<ListNode>),
    /// `FOR d IN collection`, by scan or index.
    Scan(Arc<ScanNode>),
    /// `FOR d IN view SEARCH …`
    Search(Arc<SearchNode>),
    /// `FOR v, e, p IN 1..3 OUTBOUND …`
    Traverse(Arc<TraverseNode>),
    /// `FOR p IN OUTBOUND K_PATHS …`
    Paths(Arc<PathsNode>),
    /// Reads the documents of a view that a limit has left.
    Materialize(Arc<MaterializeNode>),
    /// `FILTER`
    Filter(Arc<Ex>),
    /// `LET`
    Let(Slot, Arc<Ex>),
    /// `SORT`
    Sort(Arc<SortNode>),
    /// `LIMIT`
    Limit(Arc<LimitNode>),
    /// `COLLECT`
    Collect(Arc<CollectNode>),
    /// A loop and its `COLLECT` or `RETURN DISTINCT`, read from the entries of an index.
    IndexCollect(Arc<IndexCollectNode>),
    /// `RETURN DISTINCT`: rows whose value was seen before are dropped.
    Distinct(Arc<Ex>),
    /// `WINDOW`
    Window(Arc<WindowNode>),
    /// `INSERT`, `UPDATE`, `REPLACE`, `REMOVE`
    Modify(Arc<ModifyNode>),
    /// `UPSERT`
    Upsert(Arc<UpsertNode>),
}

/// See [`Node::List`].
#[derive(Clone)]
pub struct ListNode {
    /// The variable.
    pub slot: Slot,
    /// The array.
    pub source: Ex,
}

/// See [`Node::Scan`].
#[derive(Clone)]
pub struct ScanNode {
    /// The variable.
    pub slot: Slot,
    /// Where the documents come from.
    pub collection: Arc<Collection>,
    /// How they are found.
    pub access: AccessPath,
    /// Conditions on the document that can be tested on its stored bytes.
    pub early: Vec<EarlyFilter>,
    /// The one of them by which a table of the documents is made, in a full scan inside other loops.
    pub join: Option<usize>,
    /// Conditions that are tested on the document, after `early`.
    pub filters: Vec<Ex>,
    /// Attributes that are read on their own, each with its variable.
    pub projections: Vec<(Slot, Arc<[SmolStr]>)>,
    /// Whether anything but `early` and `projections` looks at the document.
    pub needs_document: bool,
    /// Nothing but `_key` and `_id` is read, which the primary index alone can tell.
    pub keys_only: bool,
    /// Nothing is read that the entries of the index do not hold.
    pub from_entries: bool,
    /// The runs of its lookups are read side by side, in the order of what follows their values.
    pub merged: bool,
    /// `OPTIONS { indexHint, forceIndexHint }`
    pub hint: Option<(Vec<SmolStr>, bool)>,
    /// `OPTIONS { disableIndex: true }`
    pub no_index: bool,
}

/// See [`Node::Search`].
#[derive(Clone)]
pub struct SearchNode {
    /// The variable.
    pub slot: Slot,
    /// Where the documents come from.
    pub view: Arc<SearchView>,
    /// Its collections, each with the index that has its postings.
    pub links: Vec<(Arc<Collection>, Arc<Index>)>,
    /// What is behind `SEARCH`.
    pub condition: Ex,
    /// Scores that somebody reads, each with its variable.
    pub scorers: Vec<(Slot, Scorer)>,
    /// The variable of the terms that were searched for, where somebody asks for their places.
    pub terms: Option<Slot>,
    /// Attributes that the index keeps and that are read on their own, each with its variable.
    pub projections: Vec<(Slot, Arc<[SmolStr]>)>,
    /// Where a document that is read later lies: the variables of its link and its id.
    pub place: Option<(Slot, Slot)>,
    /// Whether anything looks at the document.
    pub needs_document: bool,
}

/// See [`Node::Materialize`].
#[derive(Clone)]
pub struct MaterializeNode {
    /// The variable of the document.
    pub slot: Slot,
    /// The place of its link among these.
    pub link: Ex,
    /// The number its postings know it by.
    pub id: Ex,
    /// The links of the view.
    pub links: Vec<(Arc<Collection>, Arc<Index>)>,
}

/// How a score is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scorer {
    /// Okapi BM25.
    Bm25 {
        /// How soon more of a term counts no more.
        k: f64,
        /// How much the length of the attribute counts.
        b: f64,
    },
    /// Frequency by rarity.
    TfIdf {
        /// In proportion to the length of the attribute.
        normalize: bool,
    },
}

/// How a [`ScanNode`] finds its documents.
#[derive(Clone)]
pub enum AccessPath {
    /// All documents, in the order of their last write.
    Full {
        /// From the last to the first.
        reverse: bool,
    },
    /// Those that one of the lookups finds.
    Index {
        /// From the greatest to the least key (single lookup only).
        reverse: bool,
        /// Alternatives; more than one when an `OR` is answered by indexes.
        lookups: Vec<Lookup>,
    },
    /// Those that an inverted index finds.
    Inverted(Arc<InvertedAccess>),
}

/// See [`AccessPath::Inverted`].
#[derive(Clone)]
pub struct InvertedAccess {
    /// Which index.
    pub index: Arc<Index>,
    /// What is asked of it, each with whether nothing but the index tells whether it holds.
    pub conditions: Vec<(Ex, bool)>,
}

/// One use of an index.
#[derive(Clone)]
pub struct Lookup {
    /// Which index.
    pub index: Arc<Index>,
    /// The field, for primary (`_key` or `_id`) and edge indexes (`_from` or `_to`).
    pub field: SmolStr,
    /// Leading fields that equal a value, or one of several.
    pub equal: Vec<KeyPart>,
    /// Bounds on the field after them.
    pub lower: Option<(Ex, bool)>,
    /// Upper bound: expression and whether inclusive.
    pub upper: Option<(Ex, bool)>,
    /// What is asked of an index that does not order values.
    pub area: Option<Box<Area>>,
}

impl Lookup {
    /// Calls `f` for every expression.
    fn for_each_ex<'a>(&'a self, f: &mut dyn FnMut(&'a Ex)) {
        for part in &self.equal {
            match part {
                KeyPart::Equal(e) | KeyPart::In(e) => f(e),
            }
        }
        self.lower.iter().chain(&self.upper).for_each(|(e, _)| f(e));
        self.area.iter().for_each(|area| area.for_each_ex(f));
    }

    fn for_each_ex_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        for part in &mut self.equal {
            match part {
                KeyPart::Equal(e) | KeyPart::In(e) => f(e),
            }
        }
        self.lower.iter_mut().chain(&mut self.upper).for_each(|(e, _)| f(e));
        self.area.iter_mut().for_each(|area| area.for_each_ex_mut(f));
    }

    /// Everything that is in an index.
    fn whole(index: &Arc<Index>) -> Self {
        let field = SmolStr::default();
        Self { index: Arc::clone(index), field, equal: Vec::new(), lower: None, upper: None, area: None }
    }
}

/// Condition on one field of a [`Lookup`].
#[derive(Clone)]
pub enum KeyPart {
    /// `field == expr`
    Equal(Ex),
    /// `field IN expr`
    In(Ex),
}

/// `document.path op value`, where the value does not depend on the document.
#[derive(Clone)]
pub struct EarlyFilter {
    /// Attribute path.
    pub path: Arc<[SmolStr]>,
    /// A comparison.
    pub op: BinaryOp,
    /// What to compare with; evaluated once a scan.
    pub value: Ex,
}

/// One edge collection of a graph operation.
#[derive(Clone)]
pub struct EdgeSource {
    /// The edges.
    pub collection: Arc<Collection>,
    /// Walked from `_from` to `_to`.
    pub outbound: bool,
    /// Walked from `_to` to `_from`.
    pub inbound: bool,
}

/// Order in which a traversal visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraversalOrder {
    /// Depth first.
    Depth,
    /// Breadth first.
    Breadth,
    /// By total weight.
    Weighted,
}

/// What may not repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unique {
    /// Anything may.
    None,
    /// Not on one path.
    Path,
    /// Not in the whole traversal.
    Global,
}

/// A condition on the path that must hold while walking.
#[derive(Clone)]
pub enum PathCondition {
    /// For every vertex of the path (those at depth `from` or deeper), with the vertex in the slot.
    EveryVertex {
        /// Where the vertex stands during the test.
        slot: Slot,
        /// The test.
        test: Ex,
    },
    /// For every edge of the path.
    EveryEdge {
        /// Where the edge stands during the test.
        slot: Slot,
        /// The test.
        test: Ex,
    },
    /// For the vertex at one depth.
    VertexAt {
        /// Depth.
        depth: usize,
        /// Where the vertex stands during the test.
        slot: Slot,
        /// The test.
        test: Ex,
    },
    /// For the edge at one position of the path.
    EdgeAt {
        /// Position, the first edge is 0.
        depth: usize,
        /// Where the edge stands during the test.
        slot: Slot,
        /// The test.
        test: Ex,
    },
}

/// An index that finds those edges at a vertex that fulfil conditions on every edge.
#[derive(Clone)]
pub struct EdgeIndex {
    /// The position of their collection among those of the traversal.
    pub source: usize,
    /// Those whose `_from` the vertex is, else those whose `_to` it is.
    pub outbound: bool,
    /// The index: its first field is that end of the edge.
    pub index: Arc<Index>,
    /// What the fields behind it equal.
    pub values: Vec<Ex>,
}

/// See [`Node::Traverse`].
#[derive(Clone)]
pub struct TraverseNode {
    /// Vertex variable.
    pub vertex: Option<Slot>,
    /// Edge variable.
    pub edge: Option<Slot>,
    /// Path variable.
    pub path: Option<Slot>,
    /// Start vertex.
    pub start: Ex,
    /// Least depth.
    pub min: Ex,
    /// Greatest depth.
    pub max: Ex,
    /// Edges.
    pub edges: Vec<EdgeSource>,
    /// `PRUNE`, with the variable that takes its value.
    pub prune: Option<(Option<Slot>, Ex)>,
    /// Order.
    pub order: TraversalOrder,
    /// Vertices that may not repeat.
    pub unique_vertices: Unique,
    /// Edges that may not repeat.
    pub unique_edges: Unique,
    /// `weightAttribute` and `defaultWeight`.
    pub weight: Option<(Option<SmolStr>, f64)>,
    /// Only these vertex collections are entered.
    pub vertex_collections: Option<Vec<SmolStr>>,
    /// Indexes that answer some of the conditions, for vertices with many edges.
    pub indexes: Vec<EdgeIndex>,
    /// Conditions that cut branches.
    pub conditions: Vec<PathCondition>,
    /// Conditions on the row, tested before it is handed on.
    pub filters: Vec<Ex>,
    /// Whether vertex documents are read at all.
    pub needs_vertices: bool,
    /// Whether edge documents are read at all.
    pub needs_edges: bool,
    /// The graph, for explain.
    pub graph: Option<SmolStr>,
}

/// See [`Node::Paths`].
#[derive(Clone)]
pub struct PathsNode {
    /// Which search.
    pub kind: PathKind,
    /// Vertex variable (`SHORTEST_PATH`) or path variable.
    pub first: Slot,
    /// Edge variable (`SHORTEST_PATH`).
    pub second: Option<Slot>,
    /// From.
    pub start: Ex,
    /// To.
    pub target: Ex,
    /// Least length (`K_PATHS`).
    pub min: Ex,
    /// Greatest length (`K_PATHS`).
    pub max: Ex,
    /// Edges.
    pub edges: Vec<EdgeSource>,
    /// `weightAttribute` and `defaultWeight`.
    pub weight: Option<(SmolStr, f64)>,
    /// The graph, for explain.
    pub graph: Option<SmolStr>,
}

/// See [`Node::Sort`].
#[derive(Clone)]
pub struct SortNode {
    /// Expressions, and whether ascending.
    pub keys: Vec<(Ex, bool)>,
    /// Slots of this pipeline that are read later: the rows that are kept consist of these.
    pub live: Vec<Slot>,
    /// Only this many rows are needed.
    pub keep: Option<usize>,
    /// Those beyond are counted (option `fullCount`).
    pub counts: bool,
    /// Those that are equal to the last one stay, too: another sort chooses among them.
    pub with_equals: bool,
    /// So many of the first keys are in order already.
    pub sorted: usize,
}

/// See [`Node::Limit`].
#[derive(Clone)]
pub struct LimitNode {
    /// Rows to skip.
    pub offset: usize,
    /// Rows to keep.
    pub count: usize,
    /// Count the rows beyond (option `fullCount`).
    pub full_count: bool,
    /// A subquery before it writes for every row: the rows beyond are made and dropped.
    pub drains: bool,
}

/// See [`Node::Collect`].
#[derive(Clone)]
pub struct CollectNode {
    /// Group criteria.
    pub groups: Vec<(Slot, Ex)>,
    /// Aggregates with their arguments.
    pub aggregates: Vec<(Slot, Aggregate, Vec<Ex>)>,
    /// Number of rows.
    pub count: Option<Slot>,
    /// The rows of the group, and what each becomes.
    pub into: Option<(Slot, Ex)>,
    /// Groups come out ordered by their criteria.
    pub sorted: bool,
    /// `OPTIONS { disableIndex: true }`
    pub no_index: bool,
}

/// See [`Node::IndexCollect`].
#[derive(Clone)]
pub struct IndexCollectNode {
    /// The variable of the loop, which holds nothing.
    pub slot: Slot,
    /// Where the documents come from.
    pub collection: Arc<Collection>,
    /// What is read of the index: one run of entries.
    pub lookup: Lookup,
    /// The groups, and what is computed of each.
    pub collect: CollectNode,
    /// The field of the index that each criterion is.
    pub fields: Vec<usize>,
    /// So many leading fields of the index tell one group from the next.
    pub depth: usize,
    /// Attributes that aggregates read in the entries, each with its variable.
    pub projections: Vec<(Slot, Arc<[SmolStr]>)>,
}

/// See [`Node::Window`].
#[derive(Clone)]
pub struct WindowNode {
    /// The value the range is about; `None`: rows are counted.
    pub range_value: Option<Ex>,
    /// How far back: rows, a number or an ISO duration.
    pub preceding: Value,
    /// How far ahead.
    pub following: Value,
    /// Aggregates with their arguments.
    pub aggregates: Vec<(Slot, Aggregate, Vec<Ex>)>,
    /// Slots of this pipeline that are read later.
    pub live: Vec<Slot>,
}

/// See [`Node::Modify`].
#[derive(Clone)]
pub struct ModifyNode {
    /// Which.
    pub kind: ModifyKind,
    /// Collection written.
    pub collection: Arc<Collection>,
    /// Key part.
    pub key: Option<Ex>,
    /// Document part.
    pub doc: Option<Ex>,
    /// Where the document before stands.
    pub old: Option<Slot>,
    /// Where the document after stands.
    pub new: Option<Slot>,
    /// Options of the write.
    pub options: WriteOptions,
    /// Failed rows are counted, not errors.
    pub ignore_errors: bool,
    /// `OLD` or `NEW` is read later: a row whose write failed has none and is dropped.
    pub returns: bool,
    /// All rows are written before the first is handed on.
    pub eager: Option<Vec<Slot>>,
}

/// See [`Node::Upsert`].
#[derive(Clone)]
pub struct UpsertNode {
    /// Finds the document: a pipeline that gives at most one.
    pub find: Arc<Pipeline>,
    /// What is inserted.
    pub insert: Ex,
    /// What an existing document is changed with; reads `old`.
    pub update: Ex,
    /// `REPLACE`.
    pub replace: bool,
    /// Collection written.
    pub collection: Arc<Collection>,
    /// Where the document before stands.
    pub old: Slot,
    /// Where the document after stands.
    pub new: Slot,
    /// Options of the write.
    pub options: WriteOptions,
    /// Failed rows are counted, not errors.
    pub ignore_errors: bool,
    /// `OLD` or `NEW` is read later: a row whose write failed has none and is dropped.
    pub returns: bool,
    /// All rows are written before the first is handed on.
    pub eager: Option<Vec<Slot>>,
}
