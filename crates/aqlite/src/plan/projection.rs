//! Which attributes of a document a query reads.

use std::sync::Arc;

use super::expr::{Ex, Slot};
use super::{Node, Pipeline, ScanNode};
use crate::value::SmolStr;

/// What is read of one variable.
#[derive(Default)]
pub(super) struct Uses {
    /// Something reads the document itself.
    pub whole: bool,
    /// The attributes that are read, each once.
    pub paths: Vec<Arc<[SmolStr]>>,
}

impl Uses {
    /// All that a scan's own filters, the nodes behind it and the output read of its documents.
    pub(super) fn of_scan(scan: &ScanNode, nodes: &[Node], output: Option<&Ex>) -> Self {
        let mut uses = Self::default();
        scan.projections.iter().for_each(|(_, path)| uses.path(path));
        scan.filters.iter().for_each(|filter| uses.of_ex(filter, scan.slot));
        uses.of_nodes(nodes, scan.slot);
        if let Some(output) = output {
            uses.of_ex(output, scan.slot);
        }
        uses
    }

    fn path(&mut self, path: &Arc<[SmolStr]>) {
        if !self.paths.contains(path) {
            self.paths.push(Arc::clone(path));
        }
    }

    /// Adds what an expression reads of a variable.
    pub(super) fn of_ex(&mut self, ex: &Ex, slot: Slot) {
        match ex {
            Ex::Slot(s) => self.whole |= *s == slot,
            Ex::Path(s, names) if *s == slot => self.path(names),
            Ex::Subquery(p) | Ex::SubqueryCount(p) => self.of_pipeline(p, slot),
            other => other.for_each_child(&mut |child| self.of_ex(child, slot)),
        }
    }

    /// Adds what nodes read of a variable.
    pub(super) fn of_nodes(&mut self, nodes: &[Node], slot: Slot) {
        for node in nodes {
            node.for_each_ex(&mut |ex| self.of_ex(ex, slot));
            if let Node::Upsert(n) = node {
                self.of_pipeline(&n.find, slot);
            }
        }
    }

    fn of_pipeline(&mut self, pipeline: &Pipeline, slot: Slot) {
        self.of_nodes(&pipeline.nodes, slot);
        if let Some(output) = &pipeline.output {
            self.of_ex(output, slot);
        }
    }
}
