//! Edges of a vertex with many of them, found by an index that knows more of them than their ends.

use std::sync::Arc;

use super::graph::Neighbor;
use crate::Result;
use crate::catalog::Index;
use crate::exec::context::Ctx;
use crate::plan::{EdgeSource, TraverseNode};
use crate::txn::View;
use crate::value::{Value, index_key};

/// So many edges are found at once; a vertex with more of them is read as one without an index.
const MOST: usize = 4096;

/// What an index is asked for at every vertex of a walk.
pub(in crate::exec) struct FoundBy {
    source: usize,
    outbound: bool,
    index: Arc<Index>,
    /// The key behind the vertex.
    values: Vec<u8>,
}

impl FoundBy {
    /// What the indexes of a walk are asked for.
    pub(super) fn of(node: &TraverseNode, ctx: &mut Ctx<'_>) -> Result<Vec<Self>> {
        let mut all = Vec::with_capacity(node.indexes.len());
        for asked in &node.indexes {
            let mut values = Vec::new();
            for value in &asked.values {
                index_key::encode(&ctx.eval(value)?, &mut values);
            }
            let (source, outbound) = (asked.source, asked.outbound);
            all.push(Self { source, outbound, index: Arc::clone(&asked.index), values });
        }
        Ok(all)
    }

    pub(super) fn fits(&self, source: usize, outbound: bool) -> bool {
        self.source == source && self.outbound == outbound
    }

    /// The edges at a vertex in the order in which they are read without the index; `None` where there are too many.
    pub(super) fn read(&self, view: &View, source: &EdgeSource, vertex: &str) -> Result<Option<Vec<Neighbor>>> {
        let mut lower = Vec::with_capacity(2 * vertex.len() + self.values.len() + 8);
        index_key::encode(&Value::str(vertex), &mut lower);
        lower.extend_from_slice(&self.values);
        let mut upper = lower.clone();
        index_key::increment(&mut upper);
        let mut range = view.range(&source.collection, &self.index, &lower, Some(&upper), false)?;
        let mut found = Vec::new();
        while let Some(id) = range.next()? {
            if found.len() >= MOST {
                return Ok(None);
            }
            let document = view.by_id(&source.collection, id)?.unwrap_or_default();
            let Value::Str(vertex) = document.get(if self.outbound { "_to" } else { "_from" }) else { continue };
            found.push(Neighbor { edge: (self.source as u32, id), vertex, document: Some(document), known: None });
        }
        found.sort_unstable_by_key(|neighbor| neighbor.edge.1);
        Ok(Some(found))
    }
}
