//! `FOR d IN collection FILTER …` by an inverted index.

use std::sync::Arc;

use super::super::context::{Ctx, Kept};
use super::super::early::{self, Early, passes_filters};
use super::super::ops::{BoxOp, Op};
use super::compile::{Compiler, Limit, Scope};
use super::postings::Source;
use super::tree::{Kind, Tree};
use crate::Result;
use crate::lang::ast::BinaryOp;
use crate::plan::inverted::{Asked, asked};
use crate::plan::optimize::literal_prefix;
use crate::plan::{InvertedAccess, ScanNode};
use crate::search::{LONGEST, keys};
use crate::txn::{DocId, Scan};
use crate::value::Value;

pub(in crate::exec) fn filter(input: BoxOp, node: Arc<ScanNode>, access: Arc<InvertedAccess>) -> BoxOp {
    Box::new(Filter { input, node, access, current: Current::None, early: Vec::new(), kept: Kept::default() })
}

struct Filter {
    input: BoxOp,
    node: Arc<ScanNode>,
    access: Arc<InvertedAccess>,
    current: Current,
    early: Vec<Early>,
    kept: Kept,
}

/// Where the documents of a row come from.
enum Current {
    None,
    /// Postings, and the least document that comes next.
    Found(Box<(Source, Tree, DocId)>),
    /// The conditions say nothing that postings know, for the values they have now.
    Everything(Box<Scan>),
}

impl Filter {
    fn start(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        self.early.clear();
        self.kept.release(ctx);
        self.early = early::values(&self.node, ctx, &mut self.kept)?;
        let collection = &self.node.collection;
        let Some(source) = Source::new(ctx.view()?, collection, &self.access.index) else { return Ok(()) };
        let mut compiler = Compiler::new(ctx, &source, self.node.slot, false);
        let mut trees = Vec::new();
        let mut plain = Vec::new();
        for (condition, only_here) in &self.access.conditions {
            if *only_here {
                trees.push(compiler.compile(condition)?);
            } else {
                plain.extend(asked(self.node.slot, &source.definition, condition));
            }
        }
        trees.extend(compiler.superset(&Asked::All(plain))?);
        self.current = if trees.is_empty() {
            Current::Everything(Box::new(ctx.view()?.scan(collection, false)?))
        } else {
            Current::Found(Box::new((source, Kind::And(trees).into(), 0)))
        };
        Ok(())
    }

    /// The document [`Self::next_id`] stopped at.
    fn document(&self, ctx: &Ctx<'_>, id: DocId) -> Result<Option<Value>> {
        match &self.current {
            Current::Found(found) => found.0.document(id),
            _ => ctx.view()?.by_id(&self.node.collection, id),
        }
    }

    fn next_id(&mut self) -> Result<Option<DocId>> {
        match &mut self.current {
            Current::None => Ok(None),
            Current::Found(found) => {
                let (source, tree, target) = &mut **found;
                let id = tree.seek(source, *target)?;
                *target = id.map_or(DocId::MAX, |id| id + 1);
                Ok(id)
            }
            Current::Everything(scan) => Ok(scan.next_raw()?.map(|(id, _)| id)),
        }
    }
}

impl Op for Filter {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            ctx.tick()?;
            let Some(id) = self.next_id()? else {
                self.current = Current::None;
                if !self.input.next(ctx)? {
                    return Ok(false);
                }
                self.start(ctx)?;
                continue;
            };
            ctx.stats.scanned_index += 1;
            if node.needs_document || !node.early.is_empty() {
                let Some(document) = self.document(ctx, id)? else { continue };
                ctx.stats.documents += 1;
                if !early::admits(&node, &mut self.early, document, ctx) {
                    continue;
                }
            }
            if passes_filters(&node, ctx)? {
                return Ok(true);
            }
        }
    }
}

impl Compiler<'_, '_, '_> {
    /// Documents among which are all that fulfil a plain condition; `None`: those without the attribute may, too.
    fn superset(&mut self, asked: &Asked<'_>) -> Result<Option<Tree>> {
        match asked {
            Asked::All(parts) => self.all(parts),
            Asked::Any(parts) => {
                let trees = parts.iter().map(|part| self.superset(part)).collect::<Result<Option<Vec<_>>>>()?;
                Ok(trees.map(|trees| Kind::Or(trees).into()))
            }
            Asked::Compare(path, op, value) => {
                let value = self.ctx.eval(value)?;
                self.comparison(path, *op, &value, None)
            }
            Asked::Member(path, None, value) => {
                let value = self.ctx.eval(value)?;
                self.exactly(path, &value)
            }
            Asked::Member(path, Some(all), values) => {
                let values = self.ctx.eval(values)?;
                let trees = values.iter_array().map(|value| self.exactly(path, &value));
                let trees: Option<Vec<Tree>> = trees.collect::<Result<_>>()?;
                Ok(trees.filter(|trees| !(*all && trees.is_empty())).map(|trees| {
                    let kind = if *all { Kind::And(trees) } else { Kind::Or(trees) };
                    kind.into()
                }))
            }
            Asked::Prefix(path, prefix) => {
                let prefix = self.ctx.eval(prefix)?.to_text();
                let Some(field) = self.tokens_of(path, None) else { return Ok(None) };
                let scan = self.source.beginning(&[field.as_slice(), &keys::beginning(&prefix)].concat())?;
                let found = self.list(scan, 1.0)?;
                self.or_long(path, found).map(Some)
            }
            Asked::Like(path, pattern) => {
                let pattern = self.ctx.eval(pattern)?.to_text();
                let Some(field) = self.tokens_of(path, None) else { return Ok(None) };
                if self.is_like("", &pattern)? {
                    return Ok(None);
                }
                let (prefix, _) = literal_prefix(&pattern);
                let terms = self.terms(&field, &prefix, &mut |compiler, text| compiler.is_like(text, &pattern))?;
                let mut found = vec![self.any_of(&field, &terms, &Scope::plain())?];
                // other values are compared as the texts that stand for them, nothing as the empty one
                for what in [keys::present::LONG, keys::present::BOOL, keys::present::NUMBER, keys::present::NESTED] {
                    found.push(self.present(path, what)?);
                }
                Ok(Some(Kind::Or(found).into()))
            }
            Asked::Between(path, bounds) => {
                let [low, high] = bounds;
                let low = (self.ctx.eval(low.0)?, low.1);
                let high = (self.ctx.eval(high.0)?, high.1);
                self.range(path, Some(low), Some(high), &Scope::plain()).map(Some)
            }
        }
    }

    /// All of some conditions: two bounds of one attribute are read as one range.
    fn all(&mut self, parts: &[Asked<'_>]) -> Result<Option<Tree>> {
        let mut uppers: Vec<(&str, Limit)> = Vec::new();
        for part in parts {
            if let Asked::Compare(path, op @ (BinaryOp::Lt | BinaryOp::Le), value) = part {
                let value = self.ctx.eval(value)?;
                uppers.push((path.as_str(), value.is_number().then_some((value, *op == BinaryOp::Le))));
            }
        }
        let mut trees = Vec::new();
        for part in parts {
            trees.extend(match part {
                Asked::Compare(path, op @ (BinaryOp::Gt | BinaryOp::Ge), value) => {
                    let value = self.ctx.eval(value)?;
                    let upper = uppers.iter().find(|(of, limit)| of == path && limit.is_some());
                    self.comparison(path, *op, &value, upper.and_then(|(_, limit)| limit.clone()))?
                }
                part => self.superset(part)?,
            });
        }
        Ok((!trees.is_empty()).then(|| Kind::And(trees).into()))
    }

    fn comparison(&mut self, path: &str, op: BinaryOp, value: &Value, upper: Limit) -> Result<Option<Tree>> {
        match op {
            BinaryOp::Eq => self.exactly(path, value),
            BinaryOp::In if value.is_array() => {
                let trees = value.iter_array().map(|member| self.exactly(path, &member));
                let trees: Option<Vec<Tree>> = trees.collect::<Result<_>>()?;
                Ok(trees.map(|trees| Kind::Or(trees).into()))
            }
            BinaryOp::Ne if value.is_null() => self.above(path, value, false).map(Some),
            BinaryOp::Ge if value.is_null() => Ok(None),
            BinaryOp::Gt | BinaryOp::Ge if value.is_number() && upper.is_some() => {
                let lower = Some((value.clone(), op == BinaryOp::Ge));
                self.range(path, lower, upper, &Scope::plain()).map(Some)
            }
            BinaryOp::Gt | BinaryOp::Ge => self.above(path, value, op == BinaryOp::Ge).map(Some),
            _ => Ok(None),
        }
    }

    /// Documents whose attribute, or one of its members, is a value.
    fn exactly(&mut self, path: &str, value: &Value) -> Result<Option<Tree>> {
        match value {
            // so is what is not there
            Value::Null => Ok(None),
            Value::Str(text) if text.len() > LONGEST => {
                let nothing = Tree::nothing();
                self.or_long(path, nothing).map(Some)
            }
            // what arrays and objects hold is not asked
            value if value.is_array() || value.is_object() => self.present(path, keys::present::NESTED).map(Some),
            value => self.equal(path, value, &Scope::plain()).map(Some),
        }
    }

    /// Documents whose attribute comes behind a value in the order of all values, as far as postings tell.
    fn above(&mut self, path: &str, value: &Value, inclusive: bool) -> Result<Tree> {
        use keys::present::{BOOL, NESTED, NUMBER, STRING};
        let mut trees = Vec::new();
        let behind: &[u8] = match value {
            Value::Null => &[BOOL, NUMBER, STRING, NESTED],
            Value::Bool(_) => {
                trees.push(self.range(path, Some((value.clone(), inclusive)), None, &Scope::plain())?);
                &[NUMBER, STRING, NESTED]
            }
            Value::Int(_) | Value::Float(_) => {
                trees.push(self.range(path, Some((value.clone(), inclusive)), None, &Scope::plain())?);
                &[STRING, NESTED]
            }
            // texts are compared as their language orders them, not as they are stored
            Value::Str(_) => &[STRING, NESTED],
            _ => &[NESTED],
        };
        for what in behind {
            trees.push(self.present(path, *what)?);
        }
        Ok(Kind::Or(trees).into())
    }

    /// Documents whose attribute is of a type.
    fn present(&mut self, path: &str, what: u8) -> Result<Tree> {
        let (postings, weight) = self.term(&keys::field(path, keys::PRESENT), &[what], 1.0)?;
        Ok(Kind::Term(postings, weight).into())
    }

    /// The same, and documents whose text is too long to be found.
    fn or_long(&mut self, path: &str, found: Tree) -> Result<Tree> {
        Ok(Kind::Or(vec![found, self.present(path, keys::present::LONG)?]).into())
    }
}
