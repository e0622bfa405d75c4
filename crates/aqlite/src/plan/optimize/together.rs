//! Subqueries whose rows go into the result as a whole: nobody keeps one of them without the others, so that they may share
//! their memory.

use std::sync::Arc;

use crate::plan::expr::{Ex, ObjectEntry, Slot};
use crate::plan::{Node, Pipeline};

/// Notes which subqueries of a query are of that kind.
pub(super) fn note(query: &mut Pipeline) {
    let Some(output) = query.output.take() else { return };
    for at in 0..query.nodes.len() {
        let Node::Let(slot, _) = query.nodes[at] else { continue };
        let is_read = query.nodes.iter().any(|node| {
            let mut reads = false;
            node.for_each_slot(&mut |read| reads |= read == slot);
            reads
        });
        if let Node::Let(_, value) = &mut query.nodes[at]
            && !is_read
            && returns_whole(&output, slot)
            && let Ex::Subquery(subquery) = Arc::make_mut(value)
        {
            Arc::make_mut(subquery).stays_together = true;
        }
    }
    query.output = Some(output);
}

/// Does what is returned have the variable as a whole, if at all?
fn returns_whole(output: &Ex, slot: Slot) -> bool {
    match output {
        Ex::Slot(_) => true,
        Ex::Array(items) => items.iter().all(|item| returns_whole(item, slot)),
        Ex::Object(entries) => entries.iter().all(|entry| match entry {
            ObjectEntry::Named(_, value) => returns_whole(value, slot),
            ObjectEntry::Computed(name, value) => !name.reads(slot) && returns_whole(value, slot),
            ObjectEntry::Spread(value) => !value.reads(slot),
        }),
        other => !other.reads(slot),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    /// Is it noted that the rows of a subquery stay together, which stands in the first variable?
    fn stays_together(behind: Option<Node>, output: Ex) -> bool {
        let subquery = Pipeline { nodes: Vec::new(), output: Some(Ex::Const(Value::Null)), stays_together: false };
        let assigned = Node::Let(0, Arc::new(Ex::Subquery(Arc::new(subquery))));
        let nodes = std::iter::once(assigned).chain(behind).collect();
        let mut query = Pipeline { nodes, output: Some(output), stays_together: false };
        note(&mut query);
        assert!(query.output.is_some());
        let Node::Let(_, value) = &query.nodes[0] else { panic!("the subquery has gone") };
        matches!(&**value, Ex::Subquery(subquery) if subquery.stays_together)
    }

    #[test]
    fn rows_that_are_returned_as_a_whole_stay_together() {
        let object = |value| Ex::Object(vec![ObjectEntry::Named("rows".into(), value)]);
        assert!(stays_together(None, Ex::Slot(0)));
        assert!(stays_together(None, object(Ex::Array(vec![Ex::Slot(1), Ex::Slot(0)]))));
        assert!(stays_together(Some(Node::Filter(Arc::new(Ex::Slot(1)))), object(Ex::Slot(0))));
    }

    #[test]
    fn rows_of_which_one_may_be_taken_do_not() {
        let path = || Ex::Path(0, vec!["first".into()].into());
        assert!(!stays_together(None, path()));
        assert!(!stays_together(None, Ex::Array(vec![Ex::Slot(0), path()])));
        assert!(!stays_together(None, Ex::Object(vec![ObjectEntry::Spread(Ex::Slot(0))])));
        assert!(!stays_together(Some(Node::Filter(Arc::new(Ex::Slot(0)))), Ex::Slot(0)));
    }
}
