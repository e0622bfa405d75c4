//! `FOR d IN view SEARCH …`: documents found by their postings.

mod compile;
mod filter;
mod functions;
mod geo;
mod likes;
mod nested;
mod phrase;
mod phrase_parts;
mod postings;
mod score;
mod tree;

use std::sync::Arc;

use self::compile::Compiler;
pub(super) use self::filter::filter;
use self::postings::{Postings, Source};
use self::tree::Tree;
use super::context::Ctx;
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::plan::{MaterializeNode, SearchNode};
use crate::txn::DocId;
use crate::value::Value;

pub(super) fn search(input: BoxOp, node: Arc<SearchNode>) -> BoxOp {
    Box::new(Search { input, node, link: usize::MAX, current: None })
}

struct Search {
    input: BoxOp,
    node: Arc<SearchNode>,
    /// The link whose documents come next.
    link: usize,
    current: Option<Current>,
}

/// The link whose documents come, and what is asked of them.
struct Current {
    source: Source,
    tree: Tree,
    /// The least document that comes next.
    target: DocId,
    /// What the index keeps of the documents besides.
    values: Postings,
}

impl Search {
    /// Opens the next link; false when there is none.
    fn open(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let Some((collection, index)) = self.node.links.get(self.link) else { return Ok(false) };
        self.link += 1;
        let Some(source) = Source::new(ctx.view()?, collection, index) else { return Ok(true) };
        let scored = !self.node.scorers.is_empty();
        let mut compiler = Compiler::new(ctx, &source, self.node.slot, scored);
        let tree = if let Some(terms) = self.node.terms {
            let (tree, searched) = compiler.compile_noting(&self.node.condition)?;
            ctx.frame[terms] = searched;
            tree
        } else {
            compiler.compile(&self.node.condition)?
        };
        self.current = Some(Current { source, tree, target: 0, values: Postings::values() });
        Ok(true)
    }
}

impl Current {
    /// Fills the variables of the attributes that are read on their own: from the index, or from the document where its
    /// values are too large for that.
    fn project(&mut self, ctx: &mut Ctx<'_>, node: &SearchNode, id: DocId) -> Result<()> {
        let here = self.values.seek(&self.source, id)? == Some(id);
        let values = self.values.about_as_value().filter(|_| here);
        let document = if values.is_some() {
            None
        } else {
            ctx.stats.documents += 1;
            self.source.document(id)?
        };
        for (slot, path) in &node.projections {
            ctx.frame[*slot] = match (&values, self.source.definition.kept(path)) {
                (Some(values), Some((at, rest))) => values.at(at as i64).path(rest),
                _ => document.as_ref().map_or(Value::Null, |document| document.path(path)),
            };
        }
        Ok(())
    }
}

impl Op for Search {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            ctx.tick()?;
            let Some(current) = &mut self.current else {
                if self.link < node.links.len() {
                    self.open(ctx)?;
                    continue;
                }
                if !self.input.next(ctx)? {
                    return Ok(false);
                }
                self.link = 0;
                continue;
            };
            let Some(id) = current.tree.seek(&current.source, current.target)? else {
                self.current = None;
                continue;
            };
            current.target = id + 1;
            ctx.stats.scanned_index += 1;
            for (slot, scorer) in &node.scorers {
                ctx.frame[*slot] = Value::float(current.tree.score(id, scorer));
            }
            if !node.projections.is_empty() {
                current.project(ctx, &node, id)?;
            }
            if let Some((link, place)) = node.place {
                ctx.frame[link] = Value::Int(self.link as i64 - 1);
                ctx.frame[place] = Value::Int(id.cast_signed());
            }
            if node.needs_document {
                let Some(document) = current.source.document(id)? else { continue };
                ctx.stats.documents += 1;
                ctx.frame[node.slot] = document;
            }
            return Ok(true);
        }
    }
}

/// Reads the documents of rows that have come without them.
pub(super) fn materialize(input: BoxOp, node: Arc<MaterializeNode>) -> BoxOp {
    Box::new(Materialize { input, node })
}

struct Materialize {
    input: BoxOp,
    node: Arc<MaterializeNode>,
}

impl Op for Materialize {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        while self.input.next(ctx)? {
            ctx.tick()?;
            let link = ctx.eval(&self.node.link)?.as_i64().and_then(|n| usize::try_from(n).ok());
            let id = ctx.eval(&self.node.id)?.as_i64().map(i64::cast_unsigned);
            let (Some(link), Some(id)) = (link.and_then(|n| self.node.links.get(n)), id) else { continue };
            let Some(document) = ctx.view()?.by_origin(&link.0, &link.1, id)? else { continue };
            ctx.stats.documents += 1;
            ctx.frame[self.node.slot] = document;
            return Ok(true);
        }
        Ok(false)
    }
}
