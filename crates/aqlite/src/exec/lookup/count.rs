//! How many edges some vertices have: told by what is kept about each vertex, without looking at the edges.

use std::sync::Arc;

use super::super::context::{Ctx, Kept};
use crate::Result;
use crate::catalog::IndexKind;
use crate::plan::{AccessPath, KeyPart, ScanNode};
use crate::seeded::{Seeded, SeededSet};
use crate::value::Look;

/// What a vertex takes that was counted.
const COUNTED_BYTES: usize = 2 * size_of::<&str>();

/// There is room for so many from the beginning on.
const MOST_AT_FIRST: usize = 4096;

/// How many rows a loop over the edges of some vertices has, where nothing else is asked of them; `None`: it has to run.
pub(in crate::exec) fn edges_of_all(node: &Arc<ScanNode>, ctx: &mut Ctx<'_>) -> Result<Option<usize>> {
    let AccessPath::Index { lookups, .. } = &node.access else { return Ok(None) };
    let ([lookup], true) = (lookups.as_slice(), node.early.is_empty() && node.filters.is_empty()) else {
        return Ok(None);
    };
    let ([KeyPart::In(vertices)], IndexKind::Edge) = (lookup.equal.as_slice(), lookup.index.kind) else {
        return Ok(None);
    };
    let vertices = ctx.eval(vertices)?;
    let vertices = Look::from(&vertices).elements();
    let outbound = lookup.field == "_from";
    let most = vertices.len().min(MOST_AT_FIRST);
    let mut counted: SeededSet<&str> = SeededSet::with_capacity_and_hasher(most, Seeded);
    let mut kept = Kept::default();
    let mut edges = 0;
    for vertex in vertices {
        ctx.tick()?;
        let Some(vertex) = vertex.text() else { continue };
        if counted.insert(vertex) {
            kept.add(ctx, COUNTED_BYTES)?;
            edges += ctx.view()?.edges(&node.collection, vertex, outbound)?.count_all()?;
        }
    }
    kept.release(ctx);
    ctx.stats.scanned_index += edges as u64;
    Ok(Some(edges))
}
