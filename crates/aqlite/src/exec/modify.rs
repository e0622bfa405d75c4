//! `INSERT`, `UPDATE`, `REPLACE`, `REMOVE`, `UPSERT`.

use std::sync::Arc;

use super::context::Ctx;
use super::ops::{self, BoxOp, Op, Rows};
use crate::Result;
use crate::error::{Error, code};
use crate::lang::ast::ModifyKind;
use crate::plan::expr::Slot;
use crate::plan::{ModifyNode, UpsertNode};
use crate::txn::{OverwriteMode, Written};
use crate::value::Value;

pub(super) fn modify(input: BoxOp, node: Arc<ModifyNode>) -> BoxOp {
    let eager = node.eager.clone();
    wrap(input, Modify(node), eager)
}

pub(super) fn upsert(input: BoxOp, node: Arc<UpsertNode>) -> BoxOp {
    let eager = node.eager.clone();
    wrap(input, Upsert(node), eager)
}

fn wrap<W: Write + 'static>(input: BoxOp, write: W, eager: Option<Vec<Slot>>) -> BoxOp {
    let writer = Writer { input, write };
    match eager {
        None => Box::new(writer),
        Some(live) => Box::new(Eager { writer, live, rows: None }),
    }
}

/// Writes for the row in the frame; false when the row is dropped because its error is ignored.
trait Write {
    fn write(&self, ctx: &mut Ctx<'_>) -> Result<bool>;
}

struct Writer<W> {
    input: BoxOp,
    write: W,
}

impl<W: Write> Op for Writer<W> {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        while self.input.next(ctx)? {
            ctx.tick()?;
            if self.write.write(ctx)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Writes for all rows before it hands on the first.
struct Eager<W> {
    writer: Writer<W>,
    live: Vec<Slot>,
    rows: Option<Rows>,
}

impl<W: Write> Op for Eager<W> {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        if self.rows.is_none() {
            let mut rows = Vec::new();
            while self.writer.next(ctx)? {
                let row = ctx.save(&self.live);
                ctx.grow(row.iter().map(Value::memory).sum::<usize>() + 24)?;
                rows.push(row);
            }
            self.rows = Some(Rows::new(self.live.clone(), rows));
        }
        Ok(self.rows.as_mut().is_some_and(|rows| rows.next(ctx)))
    }
}

struct Modify(Arc<ModifyNode>);

impl Write for Modify {
    fn write(&self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = &*self.0;
        let key = node.key.as_ref().map(|e| ctx.eval(e)).transpose()?;
        let doc = node.doc.as_ref().map(|e| ctx.eval(e)).transpose()?;
        let mut doc = doc.unwrap_or_default();
        // where a document is named apart from what is written, its revision is asked for there, too
        if key.is_some()
            && !node.options.ignore_revs
            && doc.has("_rev")
            && let Some(mut without) = doc.to_object()
        {
            without.shift_remove("_rev");
            doc = without.into();
        }
        let txn = ctx.txn()?;
        let selector = key.as_ref().unwrap_or(&doc);
        let written = match node.kind {
            ModifyKind::Insert => txn.insert(&node.collection, &doc, &node.options),
            ModifyKind::Update | ModifyKind::Replace if !doc.is_object() => {
                Err(Error::plain(code::DOCUMENT_TYPE_INVALID))
            }
            ModifyKind::Update => check_selector(selector, node.kind)
                .and_then(|()| txn.update(&node.collection, selector, &doc, &node.options)),
            ModifyKind::Replace => check_selector(selector, node.kind)
                .and_then(|()| txn.replace(&node.collection, selector, &doc, &node.options)),
            ModifyKind::Remove => {
                check_selector(selector, node.kind).and_then(|()| txn.remove(&node.collection, selector, &node.options))
            }
        };
        // an insert that left the existing document alone has nothing new to show
        let written = written.map(|mut w| {
            if w.ignored && node.kind == ModifyKind::Insert && node.options.overwrite_mode == OverwriteMode::Ignore {
                w.new = None;
            }
            w
        });
        finish(ctx, written, Failure { ignore: node.ignore_errors, drop: node.returns }, node.old, node.new)
    }
}

/// A document is named by its key, or by an object that has it; an identifier is no key, and nothing has an empty one.
fn check_selector(selector: &Value, kind: ModifyKind) -> Result<()> {
    let key = if selector.is_object() { selector.get("_key") } else { selector.clone() };
    let problem = match key.as_str() {
        Some("") if kind == ModifyKind::Remove => code::DOCUMENT_HANDLE_BAD,
        Some("") => code::DOCUMENT_KEY_BAD,
        Some(key) if key.contains('/') && !selector.is_object() => code::DOCUMENT_NOT_FOUND,
        Some(_) => return Ok(()),
        None if selector.is_object() => code::DOCUMENT_KEY_MISSING,
        None => code::DOCUMENT_TYPE_INVALID,
    };
    Err(Error::plain(problem))
}

struct Upsert(Arc<UpsertNode>);

impl Write for Upsert {
    fn write(&self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = &*self.0;
        let before = ctx.memory();
        let found = ctx.with_own_writes(|ctx| {
            let mut op = ops::build(&node.find, ctx);
            match (op.next(ctx)?, &node.find.output) {
                (true, Some(output)) => Ok(Some(ctx.eval(output)?)),
                _ => Ok(None),
            }
        })?;
        // the search is over
        ctx.reset_memory(before);
        let written = match found {
            None => {
                ctx.frame[node.old] = Value::Null;
                let doc = ctx.eval(&node.insert)?;
                ctx.txn()?.insert(&node.collection, &doc, &node.options)
            }
            Some(old) => {
                ctx.frame[node.old] = old.clone();
                let doc = ctx.eval(&node.update)?;
                let txn = ctx.txn()?;
                if node.replace {
                    txn.replace(&node.collection, &old.get("_key"), &doc, &node.options)
                } else {
                    txn.update(&node.collection, &old.get("_key"), &doc, &node.options)
                }
            }
        };
        let failure = Failure { ignore: node.ignore_errors, drop: node.returns };
        finish(ctx, written, failure, Some(node.old), Some(node.new))
    }
}

/// What becomes of a row whose write failed.
struct Failure {
    /// It is counted, not an error.
    ignore: bool,
    /// And dropped, because something reads what it wrote.
    drop: bool,
}

/// Sets `OLD` and `NEW`, counts, and turns an error into a dropped row where errors are ignored.
fn finish(
    ctx: &mut Ctx<'_>,
    written: Result<Written>,
    failure: Failure,
    old: Option<Slot>,
    new: Option<Slot>,
) -> Result<bool> {
    match written {
        Ok(written) => {
            ctx.note_writes()?;
            if written.ignored {
                ctx.stats.writes_ignored += 1;
            } else {
                ctx.stats.writes += 1;
            }
            if let Some(slot) = old {
                ctx.frame[slot] = written.old.unwrap_or_default();
            }
            if let Some(slot) = new {
                ctx.frame[slot] = written.new.unwrap_or_default();
            }
            Ok(true)
        }
        Err(e) if failure.ignore && e.num != code::RESOURCE_LIMIT => {
            ctx.stats.writes_ignored += 1;
            for slot in old.into_iter().chain(new) {
                ctx.frame[slot] = Value::Null;
            }
            Ok(!failure.drop)
        }
        Err(e) => Err(Error::new(e.num, format!("AQL: {} (while executing)", e.message)).with_status(e.http_status())),
    }
}
