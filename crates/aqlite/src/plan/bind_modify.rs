//! Binding of data modification.

use std::sync::Arc;

use super::bind::Binder;
use super::expr::{Entry, Ex};
use super::{Access, ModifyNode, Node, Pipeline, ScanNode, UpsertNode};
use crate::Result;
use crate::error::{Error, code};
use crate::functions;
use crate::lang::ast::{self, BinaryOp, Expr, ModifyKind, UpsertSearch};
use crate::txn::{OverwriteMode, WriteOptions};
use crate::value::{SmolStr, Value};

impl Binder<'_> {
    pub(super) fn modify(&mut self, m: &ast::Modify) -> Result<Node> {
        let key = m.key.as_ref().map(|e| self.expr(e)).transpose()?;
        let doc = m.doc.as_ref().map(|e| self.expr(e)).transpose()?;
        let (options, ignore_errors) = self.write_options(m.options.as_ref())?;
        let name = self.collection_name(&m.collection)?;
        let collection = self.collection_to_write(&name)?;
        self.forget("OLD");
        self.forget("NEW");
        // an insert has a document before only when it may overwrite one
        let overwrites = !matches!(options.overwrite_mode, OverwriteMode::Conflict);
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
        let (options, ignore_errors) = self.write_options(u.options.as_ref())?;
        let name = self.collection_name(&u.collection)?;
        let collection = self.collection(&name, true)?;
        let document = self.hidden_slot("upsert");
        let filters = match &u.search {
            UpsertSearch::Example(example) => {
                let example = self.expr(example)?;
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
        let collection = {
            self.collection_to_write(&name)?;
            collection
        };
        self.forget("OLD");
        self.forget("NEW");
        let old = self.declare_name(SmolStr::new_static("OLD"));
        let update = self.expr(&u.update)?;
        let new = self.declare_name(SmolStr::new_static("NEW"));
        let mut nodes = vec![Node::Scan(Arc::new(ScanNode {
            slot: document,
            collection: Arc::clone(&collection),
            access: Access::Full { reverse: false },
            early: Vec::new(),
            filters: Vec::new(),
            projections: Vec::new(),
            needs_document: true,
            hint: None,
            no_index: false,
        }))];
        nodes.extend(filters.into_iter().map(|f| Node::Filter(Arc::new(f))));
        Ok(Node::Upsert(Arc::new(UpsertNode {
            find: Arc::new(Pipeline { nodes, output: Some(Ex::Slot(document)) }),
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

    fn write_options(&mut self, options: Option<&Expr>) -> Result<(WriteOptions, bool)> {
        let options = self.options_object(options)?;
        let flag = |name: &str, default: bool| match options.get_opt(name) {
            Some(v) => v.truthy(),
            None => default,
        };
        let overwrite_mode = match options.get("overwriteMode").as_str() {
            Some("ignore") => OverwriteMode::Ignore,
            Some("replace") => OverwriteMode::Replace,
            Some("update") => OverwriteMode::Update,
            Some(_) => OverwriteMode::Conflict,
            None if flag("overwrite", false) => OverwriteMode::Replace,
            None => OverwriteMode::Conflict,
        };
        let write = WriteOptions {
            keep_null: flag("keepNull", true),
            merge_objects: flag("mergeObjects", true),
            ignore_revs: flag("ignoreRevs", true),
            overwrite_mode,
            version_attribute: options.get("versionAttribute").as_str().map(SmolStr::new),
            ..WriteOptions::default()
        };
        Ok((write, flag("ignoreErrors", false)))
    }
}

/// `{ a: x, b: { c: y } }` as the conditions `a == x` and `b == { c: y }`.
fn example_filters(document: usize, example: &Ex) -> Result<Vec<Ex>> {
    let equal = |name: &SmolStr, value: Ex| {
        Ex::Binary(BinaryOp::Eq, Box::new(Ex::Path(document, [name.clone()].into())), Box::new(value))
    };
    match example {
        Ex::Const(object) if object.is_object() => {
            Ok(object.iter_object().map(|(name, value)| equal(&name.into(), Ex::Const(value))).collect())
        }
        Ex::Object(entries) if entries.iter().all(|e| matches!(e, Entry::Named(..))) => Ok(entries
            .iter()
            .filter_map(|e| match e {
                Entry::Named(name, value) => Some(equal(name, value.clone())),
                _ => None,
            })
            .collect()),
        Ex::Const(_) | Ex::Array(_) => Err(Error::new(
            code::QUERY_PARSE,
            "AQL: expecting object literal with literal attribute names in UPSERT example (while parsing)",
        )),
        // the names are known only at run time: no index, but the same meaning
        other => {
            let Some(matches) = functions::lookup("MATCHES") else { return Ok(Vec::new()) };
            Ok(vec![Ex::Call(matches, vec![Ex::Slot(document), other.clone(), Ex::Const(Value::Bool(false))])])
        }
    }
}
