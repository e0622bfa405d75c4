//! Which queries are light: a few look-ups and no computing to speak of. They may be answered by threads that others wait
//! for, as far as what they look up is in memory. So are a few documents that are written, unless more has to be done for
//! them than to put them and the entries of their indexes in their places.

use super::{Outcome, Prepared};
use crate::catalog::Collection;
use crate::plan::expr::Ex;
use crate::plan::{AccessPath, Node, Pipeline, Plan};
use crate::storage::at_hand;

/// A light query holds no more bytes than this,
const MEMORY: usize = 64 << 10;
/// and looks at no more entries of indexes.
const SCAN: u64 = 256;

/// The bytes a query may hold that is limited to so many (0: not at all): less on a thread that others wait for.
pub(super) fn memory_limit(limit: usize) -> usize {
    match limit {
        limit if !at_hand::is_from_memory() => limit,
        0 => MEMORY,
        limit => limit.min(MEMORY),
    }
}

/// Functions that take no longer than making their arguments did.
const LIGHT: [&str; 73] = [
    "ABS",
    "APPEND",
    "ATTRIBUTES",
    "CEIL",
    "CONCAT",
    "CONCAT_SEPARATOR",
    "CONTAINS",
    "COUNT",
    "CURRENT_USER",
    "DATE_ISO8601",
    "DATE_NOW",
    "DATE_TIMESTAMP",
    "DOCUMENT",
    "FIRST",
    "FIRST_DOCUMENT",
    "FLATTEN",
    "FLOOR",
    "HAS",
    "INTERSECTION",
    "IN_RANGE",
    "IS_ARRAY",
    "IS_BOOL",
    "IS_DATESTRING",
    "IS_LIST",
    "IS_NULL",
    "IS_NUMBER",
    "IS_OBJECT",
    "IS_SAME_COLLECTION",
    "IS_STRING",
    "KEEP",
    "LAST",
    "LEFT",
    "LENGTH",
    "LOWER",
    "MAX",
    "MERGE",
    "MERGE_RECURSIVE",
    "MIN",
    "MINUS",
    "NOT_NULL",
    "NTH",
    "PARSE_COLLECTION",
    "PARSE_IDENTIFIER",
    "PARSE_KEY",
    "POSITION",
    "PUSH",
    "REMOVE_NTH",
    "REMOVE_VALUE",
    "REMOVE_VALUES",
    "REVERSE",
    "RIGHT",
    "ROUND",
    "SLICE",
    "SORTED",
    "SORTED_UNIQUE",
    "SPLIT",
    "STARTS_WITH",
    "SUBSTRING",
    "SUM",
    "TO_ARRAY",
    "TO_BOOL",
    "TO_NUMBER",
    "TO_STRING",
    "TRIM",
    "TYPENAME",
    "UNION",
    "UNION_DISTINCT",
    "UNIQUE",
    "UNSET",
    "UNSHIFT",
    "UPPER",
    "VALUES",
    "ZIP",
];

impl Prepared {
    /// Is it a light one?
    pub fn is_light(&self) -> bool {
        self.options.profile == 0 && *self.plan.is_light.get_or_init(|| is_light(&self.plan))
    }
}

impl Outcome {
    /// Was it light work?
    pub fn was_light(&self) -> bool {
        self.stats.peak_memory <= MEMORY && self.stats.scanned_index <= SCAN
    }
}

fn is_light(plan: &Plan) -> bool {
    is_light_pipeline(&plan.main)
}

/// Is a document written there without computing for long or waiting for the disk?
fn takes_light_writes(collection: &Collection) -> bool {
    let properties = &collection.properties;
    let is_plain = properties.schema.is_none() && properties.computed_values.is_empty();
    is_plain && !properties.wait_for_sync && !collection.is_searched()
}

fn is_light_pipeline(pipeline: &Pipeline) -> bool {
    pipeline.nodes.iter().all(is_light_node) && pipeline.output.as_ref().is_none_or(is_light_expression)
}

fn is_light_node(node: &Node) -> bool {
    let is_light_kind = match node {
        Node::Scan(scan) => match &scan.access {
            AccessPath::Index { lookups, .. } => lookups.iter().all(|lookup| lookup.area.is_none()),
            AccessPath::Full { .. } | AccessPath::Inverted(_) => false,
        },
        Node::List(_)
        | Node::Traverse(_)
        | Node::Paths(_)
        | Node::Filter(_)
        | Node::Let(..)
        | Node::Limit(_)
        | Node::Distinct(_)
        | Node::Sort(_)
        | Node::Collect(_) => true,
        Node::Modify(modify) => takes_light_writes(&modify.collection),
        Node::Upsert(upsert) => takes_light_writes(&upsert.collection) && is_light_pipeline(&upsert.find),
        Node::Search(_) | Node::Materialize(_) | Node::IndexCollect(_) | Node::Window(_) => false,
    };
    let mut all = is_light_kind;
    match node {
        // a loop over a range makes no array of it
        Node::List(list) if matches!(list.source, Ex::Range(..)) => {
            list.source.for_each_child(&mut |ex| all &= is_light_expression(ex));
        }
        node => node.for_each_ex(&mut |ex| all &= is_light_expression(ex)),
    }
    all
}

/// Is it evaluated in no time?
pub(super) fn is_light_expression(ex: &Ex) -> bool {
    match ex {
        Ex::Range(..) => false,
        Ex::Call(function, _) if LIGHT.binary_search(&function.name).is_err() => false,
        Ex::Subquery(pipeline) | Ex::SubqueryCount(pipeline) => is_light_pipeline(pipeline),
        _ => {
            let mut all = true;
            ex.for_each_child(&mut |child| all &= is_light_expression(child));
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    #[test]
    fn light_functions_are_known_and_in_order() {
        assert!(LIGHT.is_sorted());
        for name in LIGHT {
            assert!(functions::lookup(name).is_some(), "{name}");
        }
    }
}
