//! What the document, graph and import APIs have in common: options, selectors, one write, and the shape of its answer.

use std::sync::Arc;

use http::header;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::request::Ctx;
use super::response::{Answer, item_error, object};
use crate::catalog::Collection;
use crate::error::code;
use crate::txn::{OverwriteMode, Txn, WriteOptions, Written};
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A new document, or with `overwriteMode` also a change of an old one.
    Insert,
    /// Changes attributes.
    Update,
    /// Changes the whole document.
    Replace,
    /// Takes the document away.
    Remove,
}

/// How a write is done and answered, of the query parameters.
pub struct WriteFlags {
    /// Show the document as it is now.
    pub return_new: bool,
    /// Show the document as it was.
    pub return_old: bool,
    /// Show nothing but errors.
    pub silent: bool,
    /// Do the revisions in the documents matter?
    pub ignore_revs: bool,
    /// The store's part.
    pub options: WriteOptions,
}

impl WriteFlags {
    /// Of the query parameters of a request.
    pub fn of(ctx: &Ctx) -> Self {
        let overwrite_mode = match ctx.param("overwriteMode") {
            Some("ignore") => OverwriteMode::Ignore,
            Some("replace") => OverwriteMode::Replace,
            Some("update") => OverwriteMode::Update,
            Some("conflict") => OverwriteMode::Conflict,
            _ if ctx.flag("overwrite") => OverwriteMode::Replace,
            _ => OverwriteMode::Conflict,
        };
        Self {
            return_new: ctx.flag("returnNew"),
            return_old: ctx.flag("returnOld"),
            silent: ctx.flag("silent"),
            ignore_revs: ctx.flag_opt("ignoreRevs").unwrap_or(true),
            options: WriteOptions {
                skip_validation: ctx.flag("skipDocumentValidation"),
                keep_null: ctx.flag_opt("keepNull").unwrap_or(true),
                merge_objects: ctx.flag_opt("mergeObjects").unwrap_or(true),
                overwrite_mode,
                is_restore: ctx.flag("isRestore"),
                version_attribute: ctx.param("versionAttribute").filter(|v| !v.is_empty()).map(SmolStr::from),
                ..WriteOptions::default()
            },
        }
    }

    /// The options for one document that must have a certain revision.
    pub fn expecting(&self, revision: Option<SmolStr>) -> WriteOptions {
        WriteOptions { if_match: revision, ..self.options.clone() }
    }

    /// The revision a document of the body must have, where revisions matter.
    pub fn expected_in(&self, document: &Value) -> Option<SmolStr> {
        if self.ignore_revs { None } else { document.get("_rev").as_str().map(SmolStr::from) }
    }
}

/// Does one write.
pub fn apply(
    txn: &mut Txn,
    operation: Operation,
    collection: &Arc<Collection>,
    key: &str,
    document: &Value,
    options: &WriteOptions,
) -> Result<Written> {
    let key = Value::str(key);
    match operation {
        Operation::Insert => txn.insert(collection, document, options),
        Operation::Update => txn.update(collection, &key, document, options),
        Operation::Replace => txn.replace(collection, &key, document, options),
        Operation::Remove => txn.remove(collection, &key, options),
    }
}

/// The key an element of a list names: `"key"`, `"collection/key"` or `{"_key": "key"}`.
pub fn selected_key(collection: &Collection, selector: &Value) -> Result<SmolStr> {
    let bad = || Error::plain(code::DOCUMENT_HANDLE_BAD);
    match selector.as_str() {
        Some(text) => match text.split_once('/') {
            None => Ok(text.into()),
            Some((name, key)) if name == collection.name => Ok(key.into()),
            Some(_) => Err(Error::plain(code::DOCUMENT_NOT_FOUND)),
        },
        None => selector.get("_key").as_str().map(SmolStr::from).ok_or_else(bad),
    }
}

/// The key of a document in a list of changes.
pub fn changed_key(document: &Value) -> Result<SmolStr> {
    if !document.is_object() {
        return Err(Error::plain(code::DOCUMENT_TYPE_INVALID));
    }
    match document.get_opt("_key") {
        None => Err(Error::plain(code::DOCUMENT_HANDLE_BAD)),
        Some(key) => key.as_str().map(SmolStr::from).ok_or_else(|| Error::plain(code::DOCUMENT_KEY_BAD)),
    }
}

/// `_id`, `_key`, `_rev` and, for a change, `_oldRev` of a write.
pub fn identity(collection: &str, operation: Operation, written: &Written) -> Object {
    let rev = match operation {
        Operation::Remove => written.old_rev.as_ref().unwrap_or(&written.rev),
        _ => &written.rev,
    };
    let mut identity = object([
        ("_id", Value::str(format!("{collection}/{}", written.key))),
        ("_key", Value::Str(written.key.clone())),
        ("_rev", Value::Str(rev.clone())),
    ]);
    let old = match operation {
        Operation::Remove => None,
        Operation::Insert => written.old_rev.as_ref().filter(|_| !written.ignored),
        // a change that came too late (`versionAttribute`) has left the revision as it was
        Operation::Update | Operation::Replace => Some(written.old_rev.as_ref().unwrap_or(&written.rev)),
    };
    if let Some(old) = old {
        identity.insert("_oldRev".into(), Value::Str(old.clone()));
    }
    identity
}

/// The documents before and after a write, as far as they were asked for.
pub fn versions(flags: &WriteFlags, operation: Operation, written: Written) -> Object {
    let mut versions = Object::default();
    if written.ignored {
        return versions;
    }
    if flags.return_old
        && let Some(old) = written.old
    {
        versions.insert("old".into(), old);
    }
    if flags.return_new
        && operation != Operation::Remove
        && let Some(new) = written.new
    {
        versions.insert("new".into(), new);
    }
    versions
}

/// Status of a write: 201 or 200 once it is on disk, 202 when it is merely accepted.
pub fn write_status(operation: Operation, synced: bool) -> u16 {
    match (synced, operation) {
        (false, _) => 202,
        (true, Operation::Remove) => 200,
        (true, _) => 201,
    }
}

/// The answer for one write.
pub fn written_answer(
    ctx: &Ctx,
    collection: &Collection,
    operation: Operation,
    flags: &WriteFlags,
    status: u16,
    written: Written,
) -> Answer {
    if flags.silent {
        return Answer::json(status, &Value::object(Object::default()));
    }
    let mut body = identity(&collection.name, operation, &written);
    let rev = body.get("_rev").map(Value::to_text).unwrap_or_default();
    let location = location(ctx.database(), &collection.name, &written.key);
    body.extend(versions(flags, operation, written));
    Answer::json(status, &Value::object(body))
        .with(header::ETAG, &format!("\"{rev}\""))
        .with(header::LOCATION, &location)
}

const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Where a document is found.
pub fn location(database: &str, collection: &str, key: &str) -> String {
    format!("/_db/{database}/_api/document/{collection}/{}", utf8_percent_encode(key, PATH))
}

/// A write that met another revision than it expected, or another transaction's write.
pub struct Conflict {
    error: Error,
    key: SmolStr,
    /// The revision the document has, as far as the request sees it.
    rev: SmolStr,
}

impl Conflict {
    /// Of the error of a write; any other error is passed on.
    pub fn of(error: Error, txn: &Txn, collection: &Collection, key: &str, expected: Option<&str>) -> Result<Self> {
        if error.num != code::CONFLICT {
            return Err(error);
        }
        let document = if key.is_empty() { None } else { txn.view().by_key(collection, key)? };
        let rev = document.map_or_else(|| "0".into(), |d| d.get("_rev").to_text());
        let status = if expected.is_some_and(|e| e != rev) { 412 } else { 409 };
        Ok(Self { error: error.with_status(status), key: key.into(), rev })
    }

    /// A read that expected another revision.
    pub fn of_read(key: &str, rev: SmolStr) -> Self {
        Self { error: Error::plain(code::CONFLICT).with_status(412), key: key.into(), rev }
    }

    /// ArangoDB's answer: the error with the identity of the document as it is.
    pub fn answer(&self, collection: &Collection) -> Answer {
        let mut body = object([
            ("error", Value::Bool(true)),
            ("code", Value::Int(i64::from(self.error.http_status()))),
            ("errorNum", Value::Int(i64::from(self.error.num))),
            ("errorMessage", Value::str(self.error.message.as_str())),
        ]);
        body.insert("_id".into(), Value::str(format!("{}/{}", collection.name, self.key)));
        body.insert("_key".into(), Value::Str(self.key.clone()));
        body.insert("_rev".into(), Value::Str(self.rev.clone()));
        Answer::json(self.error.http_status(), &Value::object(body)).with(header::ETAG, &format!("\"{}\"", self.rev))
    }
}

/// Collects the answer about many documents.
pub struct ListAnswer {
    body: Vec<u8>,
    silent: bool,
    /// Error numbers in the order of their first occurrence, with how often they occurred.
    errors: Vec<(u16, usize)>,
    /// Was anything no error?
    has_successes: bool,
}

impl ListAnswer {
    /// An empty list; a silent one keeps errors only.
    pub fn new(silent: bool) -> Self {
        Self { body: vec![b'['], silent, errors: Vec::new(), has_successes: false }
    }

    /// Adds what became of one document.
    pub fn push(&mut self, result: Result<Value>) {
        self.has_successes |= result.is_ok();
        match result {
            Ok(_) if self.silent => {}
            Ok(value) => self.write(&value),
            Err(error) => {
                match self.errors.iter_mut().find(|(num, _)| *num == error.num) {
                    Some((_, count)) => *count += 1,
                    None => self.errors.push((error.num, 1)),
                }
                self.write(&item_error(&error));
            }
        }
    }

    /// Was there anything that did not fail?
    pub fn has_successes(&self) -> bool {
        self.has_successes
    }

    fn write(&mut self, value: &Value) {
        if self.body.len() > 1 {
            self.body.push(b',');
        }
        value.write_json(&mut self.body);
    }

    /// The answer, without the header that counts the errors.
    pub fn plain(mut self, status: u16) -> Answer {
        self.body.push(b']');
        Answer::raw_json(status, self.body)
    }

    /// The answer.
    pub fn finish(self, status: u16) -> Answer {
        if self.errors.is_empty() {
            return if self.silent {
                Answer::json(status, &Value::object(Object::default()))
            } else {
                self.plain(status)
            };
        }
        // newest first, as ArangoDB lists them
        let counts: Vec<String> = self.errors.iter().rev().map(|(num, n)| format!("\"{num}\":{n}")).collect();
        let codes = format!("{{{}}}", counts.join(","));
        self.plain(status).with(http::HeaderName::from_static("x-arango-error-codes"), &codes)
    }
}
