//! `/_api/import`: many documents at once, as JSON lines, as one list or as rows.

use std::sync::Arc;

use super::documents::Operation;
use super::documents::apply;
use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, post};
use super::session::Access;
use crate::catalog::Collection;
use crate::error::code;
use crate::txn::{InBetween, OverwriteMode, Txn, WriteOptions};
use crate::value::{Object, SmolStr, Value, parse_json_bytes};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[post("/_api/import", import), any("/_api/import/*", unsupported)];

/// Methods that the path does not have: status, number and words are those of ArangoDB.
fn unsupported(_: &Ctx) -> HandlerResult {
    Err(Error::new(code::NOT_IMPLEMENTED, "'ILLEGAL /_api/import' not implemented"))
}

/// What became of an import.
#[derive(Default)]
struct Report {
    created: usize,
    errors: usize,
    empty: usize,
    updated: usize,
    ignored: usize,
    details: Vec<String>,
}

impl Report {
    fn fail(&mut self, position: usize, reason: &str) {
        self.errors += 1;
        self.details.push(format!("at position {position}: {reason}"));
    }

    fn answer(self, with_details: bool) -> Answer {
        let number = |n: usize| Value::Int(n as i64);
        let mut body = object([
            ("error", Value::Bool(false)),
            ("created", number(self.created)),
            ("errors", number(self.errors)),
            ("empty", number(self.empty)),
            ("updated", number(self.updated)),
            ("ignored", number(self.ignored)),
        ]);
        if with_details {
            body.insert("details".into(), Value::array(self.details.into_iter().map(Value::str).collect()));
        }
        Answer::json(201, &Value::object(body))
    }
}

fn import(ctx: &Ctx) -> HandlerResult {
    let Some(name) = ctx.param("collection").filter(|n| !n.is_empty()) else {
        let message = "'collection' is missing, expecting /_api/import?collection=<identifier>";
        return Err(Error::new(code::COLLECTION_PARAMETER_MISSING, message));
    };
    let collection = ctx.collection_for(name, Access::Write)?;
    let mut report = Report::default();
    let documents = match ctx.param("type").unwrap_or_default() {
        "documents" => lines(&ctx.body, &mut report),
        "list" | "array" => list(&ctx.body, &mut report)?,
        "auto" if looks_like_a_list(&ctx.body) => list(&ctx.body, &mut report)?,
        "auto" => lines(&ctx.body, &mut report),
        _ => rows(&ctx.body, &mut report)?,
    };
    let ends = Ends::of(ctx, &collection);
    let documents = documents.into_iter().filter_map(|(position, d)| ends.complete(position, d, &mut report)).collect();
    write(ctx, &collection, documents, &mut report)?;
    Ok(report.answer(ctx.flag("details")))
}

// ---------- reading the body ----------

/// Documents with their positions in the body, counted from one.
type Documents = Vec<(usize, Value)>;

fn accept(position: usize, value: Value, documents: &mut Documents, report: &mut Report) {
    if value.is_object() {
        documents.push((position, value));
    } else {
        let reason = format!("invalid JSON type (expecting object), offending document: {}", value.to_json());
        report.fail(position, &reason);
    }
}

/// The lines of a body with their numbers; empty ones are counted, the end of the last one is not another line.
fn numbered_lines<'a>(body: &'a [u8], report: &mut Report) -> Vec<(usize, &'a [u8])> {
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    if body.is_empty() {
        return Vec::new();
    }
    let lines = body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
    let (full, empty): (Vec<_>, Vec<_>) = lines.map(|(i, line)| (i + 1, line)).partition(|(_, line)| !line.is_empty());
    report.empty += empty.len();
    full
}

fn unreadable(position: usize, line: &[u8], report: &mut Report) {
    let context: String = String::from_utf8_lossy(line).chars().take(200).collect();
    let reason = format!("invalid JSON type (expecting object, probably parse error), offending context: {context}");
    report.fail(position, &reason);
}

fn lines(body: &[u8], report: &mut Report) -> Documents {
    let mut documents = Documents::new();
    for (position, line) in numbered_lines(body, report) {
        match parse_json_bytes(line) {
            Ok(value) => accept(position, value, &mut documents, report),
            Err(_) => unreadable(position, line, report),
        }
    }
    documents
}

fn looks_like_a_list(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'[')
}

fn list(body: &[u8], report: &mut Report) -> Result<Documents> {
    let value = parse_json_bytes(body)
        .map_err(|e| bad_request(format!("expecting a valid JSON array in the request. got: {}", e.message)))?;
    if !value.is_array() {
        return Err(bad_request("expecting a JSON array in the request"));
    }
    let mut documents = Documents::new();
    for (index, item) in value.iter_array().enumerate() {
        accept(index + 1, item, &mut documents, report);
    }
    Ok(documents)
}

/// The first line names the attributes, each further one gives their values.
fn rows(body: &[u8], report: &mut Report) -> Result<Documents> {
    let mut lines = numbered_lines(body, report).into_iter();
    let Some((_, header)) = lines.next() else {
        return Err(bad_request("no JSON array found in second line"));
    };
    let names: Option<Vec<SmolStr>> = parse_json_bytes(header)
        .ok()
        .filter(Value::is_array)
        .and_then(|names| names.iter_array().map(|n| n.as_str().map(SmolStr::from)).collect());
    let names = names.ok_or_else(|| bad_request("no JSON string array found in first line"))?;
    let mut documents = Documents::new();
    for (position, line) in lines {
        // positions of rows do not count the line with the names
        let position = position - 1;
        let Some(values) = parse_json_bytes(line).ok().filter(Value::is_array) else {
            unreadable(position, line, report);
            continue;
        };
        let given = values.array_len().unwrap_or(0);
        if given != names.len() {
            let reason = format!("wrong number of JSON values (got {given}, expected {})", names.len());
            report.fail(position, &reason);
            continue;
        }
        let pairs = names.iter().cloned().zip(values.iter_array()).filter(|(_, value)| !value.is_null());
        documents.push((position, Value::object(pairs.collect())));
    }
    Ok(documents)
}

// ---------- the ends of edges ----------

/// What is put before the keys in `_from` and `_to`.
struct Ends {
    edges: bool,
    prefixes: [Option<String>; 2],
    overwrite: bool,
}

impl Ends {
    fn of(ctx: &Ctx, collection: &Collection) -> Self {
        let prefix = |name: &str| {
            let prefix = ctx.param(name).filter(|p| !p.is_empty())?;
            Some(format!("{}/", prefix.trim_end_matches('/')))
        };
        Self {
            edges: collection.is_edge(),
            prefixes: [prefix("fromPrefix"), prefix("toPrefix")],
            overwrite: ctx.flag("overwriteCollectionPrefix"),
        }
    }

    /// An edge with complete ends; one without them is reported.
    fn complete(&self, position: usize, document: Value, report: &mut Report) -> Option<Value> {
        if !self.edges {
            return Some(document);
        }
        if !document.has("_from") || !document.has("_to") {
            let reason = format!("missing '_from' or '_to' attribute, offending document: {}", document.to_json());
            report.fail(position, &reason);
            return None;
        }
        if self.prefixes.iter().all(Option::is_none) {
            return Some(document);
        }
        let mut edge: Object = document.to_object().unwrap_or_default();
        for (name, prefix) in ["_from", "_to"].into_iter().zip(&self.prefixes) {
            if let (Some(end), Some(prefix)) = (edge.get_mut(name), prefix) {
                *end = Value::str(self.prefixed(&end.to_text(), prefix));
            }
        }
        Some(Value::object(edge))
    }

    fn prefixed(&self, end: &str, prefix: &str) -> String {
        match end.split_once('/') {
            None => format!("{prefix}{end}"),
            Some((_, key)) if self.overwrite => format!("{prefix}{key}"),
            Some(_) => end.to_owned(),
        }
    }
}

// ---------- writing ----------

fn write(ctx: &Ctx, collection: &Arc<Collection>, documents: Vec<Value>, report: &mut Report) -> Result<()> {
    let overwrite_mode = match ctx.param("onDuplicate") {
        Some("update") => OverwriteMode::Update,
        Some("replace") => OverwriteMode::Replace,
        Some("ignore") => OverwriteMode::Ignore,
        _ => OverwriteMode::Conflict,
    };
    let options = WriteOptions { overwrite_mode, ..WriteOptions::default() };
    let (complete, overwrite) = (ctx.flag("complete"), ctx.flag("overwrite"));
    let number = |name| ctx.param(name).and_then(|n| n.parse::<u64>().ok()).filter(|n| *n > 0);
    let size = number("intermediateCommitSize").map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let in_between = InBetween { count: number("intermediateCommitCount"), size };
    let (name, sync) = (std::slice::from_ref(&collection.name), ctx.waits_for_sync(collection));
    // an import is a transaction of its own, also when the request names another one
    ctx.write_apart(name, in_between, sync, |txn| {
        if overwrite {
            txn.truncate(collection)?;
        }
        for (position, document) in documents.iter().enumerate() {
            match write_one(txn, collection, document, &options, report) {
                Err(error) if complete => return Err(Error::plain(error.num)),
                Err(error) => {
                    let reason = format!(
                        "creating document failed with error '{}', offending document: {}",
                        code::message(error.num),
                        document.to_json()
                    );
                    report.fail(position, &reason);
                }
                Ok(()) => {}
            }
        }
        Ok(())
    })
}

fn write_one(
    txn: &mut Txn,
    collection: &Arc<Collection>,
    document: &Value,
    options: &WriteOptions,
    report: &mut Report,
) -> Result<()> {
    let written = apply(txn, Operation::Insert, collection, "", document, options)?;
    match (written.ignored, written.old_rev) {
        (true, _) => report.ignored += 1,
        (false, Some(_)) => report.updated += 1,
        (false, None) => report.created += 1,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_is_counted_and_the_end_of_the_last_is_none() {
        let mut report = Report::default();
        let documents = lines(b"{\"a\":1}\n\n{\"a\":2}\r\n", &mut report);
        assert_eq!(documents.iter().map(|(p, _)| *p).collect::<Vec<_>>(), [1, 3]);
        assert_eq!((report.empty, report.errors), (1, 0));
    }

    #[test]
    fn a_row_gives_the_attributes_the_first_line_names() {
        let mut report = Report::default();
        let documents = rows(b"[\"a\",\"b\"]\n[1,null]\n[1]\n", &mut report).expect("rows");
        assert_eq!(documents.iter().map(|(_, d)| d.to_json()).collect::<Vec<_>>(), ["{\"a\":1}"]);
        assert_eq!(report.details, ["at position 2: wrong number of JSON values (got 1, expected 2)"]);
    }

    #[test]
    fn a_prefix_completes_an_end_without_a_collection() {
        let ends = Ends { edges: true, prefixes: [Some("c/".into()), None], overwrite: false };
        assert_eq!(ends.prefixed("a", "c/"), "c/a");
        assert_eq!(ends.prefixed("x/a", "c/"), "x/a");
    }
}
