//! Binding of data modification.

use std::sync::Arc;

use super::bind::Binder;
use super::expr::{Ex, ObjectEntry, Slot};
use super::{AccessPath, ModifyNode, Node, Pipeline, ScanNode, UpsertNode};
use crate::Result;
use crate::error::{Error, code};
use crate::lang::ast::{self, BinaryOp, Expr, ExprKind, ModifyKind, ObjectItem, UpsertSearch};
use crate::txn::{OverwriteMode, WriteOptions};
use crate::value::SmolStr;

/// The options of data modification.
const WRITE_OPTIONS: &[&str] = &[
    "disableIndex",
    "exclusive",
    "forceIndexHint",
    "ignoreErrors",
    "ignoreRevs",
    "indexHint",
    "keepNull",
    "mergeObjects",
    "overwrite",
    "overwriteMode",
    "readOwnWrites",
    "refillIndexCaches",
    "skipDocumentValidation",
    "versionAttribute",
    "waitForSync",
];

impl Binder<'_> {
    pub(super) fn modify(&mut self, m: &ast::Modify) -> Result<Node> {
        let key = m.key.as_ref().map(|e| self.expr(e)).transpose()?;
        let doc = m.doc.as_ref().map(|e| self.expr(e)).transpose()?;
        let operation = match m.kind {
            ModifyKind::Insert => "INSERT",
            ModifyKind::Update => "UPDATE",
            ModifyKind::Replace => "REPLACE",
            ModifyKind::Remove => "REMOVE",
        };
        let (options, ignore_errors) = self.write_options(operation, m.options.as_ref())?;
        let name = self.collection_name(&m.collection)?;
        let collection = self.collection_to_write(&name)?;
        self.forget("OLD");
        self.forget("NEW");
        // an insert has a document before only when it may overwrite one
        let overwrites = matches!(options.overwrite_mode, OverwriteMode::Replace | OverwriteMode::Update);
        let old = (m.kind != ModifyKind::Insert || overwrites).then(|| self.declare_name(SmolStr::new_static("OLD")));
        let new = (m.kind != ModifyKind::Remove).then(|| self.declare_name(SmolStr::new_static("NEW")));
        Ok(Node::Modify(Arc::new(ModifyNode {
            kind: m.kind,
            collection,
            key,
            doc,
            old,
            new,
            options,
            ignore_errors,
            returns: true,
            eager: None,
        })))
    }

    pub(super) fn upsert(&mut self, u: &ast::Upsert) -> Result<Node> {
        let (options, ignore_errors) = self.write_options("UPSERT", u.options.as_ref())?;
        let name = self.collection_name(&u.collection)?;
        let collection = self.collection(&name, true)?;
        let document = self.hidden_slot("upsert");
        let filters = match &u.search {
            UpsertSearch::Example(example) => {
                if has_computed_names(example) {
                    return Err(no_literal("expecting object literal with literal attribute names in example"));
                }
                let example = self.expr(example)?.settled();
                example_filters(document, &example)?
            }
            UpsertSearch::Filter(condition) => {
                self.current.push(document);
                let condition = self.expr(condition);
                self.current.pop();
                vec![condition?]
            }
        };
        let insert = self.expr(&u.insert)?;
        self.forget("OLD");
        self.forget("NEW");
        let old = self.declare_name(SmolStr::new_static("OLD"));
        let update = self.expr(&u.update)?;
        // only what follows comes after the modification
        self.collection_to_write(&name)?;
        let new = self.declare_name(SmolStr::new_static("NEW"));
        let mut nodes = vec![Node::Scan(Arc::new(ScanNode {
            slot: document,
            collection: Arc::clone(&collection),
            access: AccessPath::Full { reverse: false },
            early: Vec::new(),
            join: None,
            filters: Vec::new(),
            projections: Vec::new(),
            needs_document: true,
            keys_only: false,
            from_entries: false,
            merged: false,
            hint: None,
            no_index: false,
        }))];
        nodes.extend(filters.into_iter().map(|f| Node::Filter(Arc::new(f))));
        Ok(Node::Upsert(Arc::new(UpsertNode {
            find: Arc::new(Pipeline { nodes, output: Some(Ex::Slot(document)), stays_together: false }),
            insert,
            update,
            replace: u.replace,
            collection,
            old,
            new,
            options,
            ignore_errors,
            returns: true,
            eager: None,
        })))
    }

    fn write_options(&mut self, operation: &str, options: Option<&Expr>) -> Result<(WriteOptions, bool)> {
        let options = self.options_object(options)?;
        self.check_options(operation, &options, WRITE_OPTIONS);
        let flag = |name: &str, default: bool| match options.get_opt(name) {
            Some(v) => v.truthy(),
            None => default,
        };
        let overwrite_mode = match options.get("overwriteMode").as_str() {
            Some("ignore") => OverwriteMode::Ignore,
            Some("replace") => OverwriteMode::Replace,
            Some("update") => OverwriteMode::Update,
            Some("conflict") => OverwriteMode::Conflict,
            _ if flag("overwrite", false) => OverwriteMode::Replace,
            _ => OverwriteMode::Conflict,
        };
        let write = WriteOptions {
            keep_null: flag("keepNull", true),
            merge_objects: flag("mergeObjects", true),
            ignore_revs: flag("ignoreRevs", true),
            overwrite_mode,
            skip_validation: flag("skipDocumentValidation", false),
            version_attribute: options.get("versionAttribute").as_str().map(SmolStr::new),
            ..WriteOptions::default()
        };
        Ok((write, flag("ignoreErrors", false)))
    }
}

/// `{ a: x, b: { c: y } }` as the conditions `a == x` and `b.c == y`.
fn example_filters(document: Slot, example: &Ex) -> Result<Vec<Ex>> {
    if !is_object(example) {
        return Err(no_literal("expecting object literal or bind parameter for example"));
    }
    let mut filters = Vec::new();
    add_conditions(document, &mut Vec::new(), example, &mut filters)?;
    Ok(filters)
}

fn has_computed_names(example: &Expr) -> bool {
    match &example.kind {
        ExprKind::Object(items) => items.iter().any(|item| match item {
            ObjectItem::Computed(..) => true,
            ObjectItem::Named(_, value) | ObjectItem::BoundName(_, value) => has_computed_names(value),
            _ => false,
        }),
        _ => false,
    }
}

fn is_object(ex: &Ex) -> bool {
    match ex {
        Ex::Object(_) => true,
        known => known.of_known_type().is_some_and(|value| value.is_object()),
    }
}

fn add_conditions(document: Slot, path: &mut Vec<SmolStr>, object: &Ex, filters: &mut Vec<Ex>) -> Result<()> {
    let members: Vec<(SmolStr, Ex)> = match object {
        Ex::Const(object) => object.iter_object().map(|(name, value)| (name.into(), Ex::Const(value))).collect(),
        Ex::Object(entries) => entries.iter().map(named).collect::<Result<_>>()?,
        _ => Vec::new(),
    };
    for (name, value) in members {
        let value = if is_object(&value) { value.settled() } else { value };
        path.push(name);
        // an empty object has no attributes to compare, so it is compared itself
        let empty = matches!(&value, Ex::Const(v) if v.object_len() == Some(0));
        if is_object(&value) && !empty {
            add_conditions(document, path, &value, filters)?;
        } else {
            let own = Ex::Path(document, path.as_slice().into());
            filters.push(Ex::Binary(BinaryOp::Eq, Box::new(own), Box::new(value)));
        }
        path.pop();
    }
    Ok(())
}

fn named(entry: &ObjectEntry) -> Result<(SmolStr, Ex)> {
    match entry {
        ObjectEntry::Named(name, value) => Ok((name.clone(), value.clone())),
        _ => Err(no_literal("expecting object literal with literal attribute names in example")),
    }
}

fn no_literal(message: &str) -> Error {
    Error::new(code::QUERY_PARSE, format!("AQL: {message} (while parsing)"))
}
