//! `FOR d IN view SEARCH …`: documents found by their postings.

mod compile;
mod functions;
mod phrase;
mod postings;
mod score;
mod tree;

use std::sync::Arc;

use self::compile::Compiler;
use self::postings::Source;
use self::tree::Tree;
use super::context::Ctx;
use super::ops::{BoxOp, Op};
use crate::Result;
use crate::plan::SearchNode;
use crate::value::Value;

pub(super) fn search(input: BoxOp, node: Arc<SearchNode>) -> BoxOp {
    Box::new(Search { input, node, link: usize::MAX, current: None })
}

struct Search {
    input: BoxOp,
    node: Arc<SearchNode>,
    /// The link whose documents come next.
    link: usize,
    /// The one whose documents come, and what is asked of them.
    current: Option<(Source, Tree, u64)>,
}

impl Search {
    /// Opens the next link; false when there is none.
    fn open(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let Some((collection, index)) = self.node.links.get(self.link) else { return Ok(false) };
        self.link += 1;
        let Some(source) = Source::new(ctx.view()?, collection, index) else { return Ok(true) };
        let tree = Compiler::new(ctx, &source, &self.node).compile(&self.node.condition)?;
        self.current = Some((source, tree, 0));
        Ok(true)
    }
}

impl Op for Search {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            ctx.tick()?;
            let Some((source, tree, target)) = &mut self.current else {
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
            let Some(id) = tree.seek(source, *target)? else {
                self.current = None;
                continue;
            };
            *target = id + 1;
            ctx.stats.scanned_index += 1;
            for (slot, scorer) in &node.scorers {
                ctx.frame[*slot] = Value::float(tree.score(id, scorer));
            }
            if node.needs_document {
                let Some(document) = ctx.view()?.by_id(&source.collection, id)? else { continue };
                ctx.frame[node.slot] = document;
            }
            return Ok(true);
        }
    }
}
