//! Which attributes of a document a query reads.

use super::expr::{Ex, Slot};
use super::{Node, ScanNode};
use crate::value::SmolStr;

/// The paths read so far; `None` once the document is read as a whole.
type Paths = Option<Vec<Vec<SmolStr>>>;

/// The attributes of the documents of a scan that its own filters, the nodes behind it and the output read; `None` where
/// something reads the document itself.
pub(super) fn paths_read(scan: &ScanNode, nodes: &[Node], output: Option<&Ex>) -> Paths {
    let mut paths = Some(Vec::new());
    for filter in &scan.filters {
        read_paths(filter, scan.slot, &mut paths);
    }
    for node in nodes {
        read_by_node(node, scan.slot, &mut paths);
    }
    if let Some(output) = output {
        read_paths(output, scan.slot, &mut paths);
    }
    paths
}

fn read_by_node(node: &Node, slot: Slot, paths: &mut Paths) {
    node.for_each_ex(&mut |e| read_paths(e, slot, paths));
    if let Node::Upsert(n) = node {
        let mut reads = false;
        n.find.for_each_slot(&mut |s| reads |= s == slot);
        if reads {
            *paths = None;
        }
    }
}

/// Adds the paths an expression reads of a variable; `None` once it is read as a whole.
fn read_paths(ex: &Ex, slot: Slot, paths: &mut Paths) {
    match ex {
        Ex::Slot(s) if *s == slot => *paths = None,
        Ex::Path(s, names) if *s == slot => {
            if let Some(paths) = paths
                && !paths.iter().any(|path| path.as_slice() == &**names)
            {
                paths.push(names.to_vec());
            }
        }
        Ex::Subquery(p) | Ex::SubqueryCount(p) => {
            for node in &p.nodes {
                read_by_node(node, slot, paths);
            }
            if let Some(output) = &p.output {
                read_paths(output, slot, paths);
            }
        }
        other => other.for_each_child(&mut |child| read_paths(child, slot, paths)),
    }
}
