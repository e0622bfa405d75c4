//! `/_api/document`: single documents and lists of them.

use std::sync::Arc;

use http::{Method, header};

use super::documents::*;
use super::request::Ctx;
use super::response::{Answer, HandlerResult};
use super::router::{Route, delete, get, head, patch, post, put};
use super::session::Access;
use crate::catalog::Collection;
use crate::error::code;
use crate::txn::{Txn, Written};
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    post("/_api/document", insert),
    post("/_api/document/{}", insert),
    post("/_api/document/*", superfluous),
    get("/_api/document/{}/{}", read),
    head("/_api/document/{}/{}", read),
    get("/_api/document/*", read_nothing),
    head("/_api/document/*", read_nothing),
    put("/_api/document/{}/{}", change_one),
    patch("/_api/document/{}/{}", change_one),
    delete("/_api/document/{}/{}", remove_one),
    put("/_api/document/{}", put_many),
    patch("/_api/document/{}", change_many),
    put("/_api/document", change_many),
    patch("/_api/document", change_many),
    delete("/_api/document/{}", remove_many),
    put("/_api/document/*", malformed),
    patch("/_api/document/*", malformed),
    delete("/_api/document/*", malformed),
];

fn superfluous(_: &Ctx) -> HandlerResult {
    let message = "superfluous suffix, expecting /_api/document?collection=<identifier>";
    Err(Error::new(code::HTTP_SUPERFLUOUS_SUFFICES, message))
}

fn read_nothing(ctx: &Ctx) -> HandlerResult {
    let message = "expecting GET /_api/document/<collection>/<key>";
    let num = if ctx.args.len() > 2 { code::HTTP_SUPERFLUOUS_SUFFICES } else { code::DATA_SOURCE_NOT_FOUND };
    Err(Error::new(num, message))
}

fn malformed(ctx: &Ctx) -> HandlerResult {
    let message = format!("expecting {} /_api/document/<collection>/<key>", ctx.method);
    Err(Error::new(code::HTTP_BAD_PARAMETER, message))
}

// ---------- reading ----------

fn read(ctx: &Ctx) -> HandlerResult {
    let (collection, document) = fetch(ctx, ctx.arg(0), ctx.arg(1))?;
    Ok(read_answer(ctx, &collection, ctx.arg(1), &document))
}

fn fetch(ctx: &Ctx, collection: &str, key: &str) -> Result<(Arc<Collection>, Value)> {
    let collection = ctx.collection_for(collection, Access::Read)?;
    let document = ctx.view(&collection)?.by_key(&collection, key)?;
    Ok((collection, document.ok_or_else(|| Error::plain(code::DOCUMENT_NOT_FOUND))?))
}

/// The document, unless the conditions of the request's headers say otherwise.
fn read_answer(ctx: &Ctx, collection: &Collection, key: &str, document: &Value) -> Answer {
    let rev = document.get("_rev").to_text();
    let etag = format!("\"{rev}\"");
    if ctx.revision_header("if-none-match").is_some_and(|r| r == rev) {
        return Answer::empty(304).with(header::ETAG, &etag);
    }
    if ctx.revision_header("if-match").is_some_and(|r| r != rev) {
        return Conflict::of_read(key, rev).answer(collection);
    }
    Answer::json(200, document).with(header::ETAG, &etag)
}

fn read_many(ctx: &Ctx, selectors: &Value) -> HandlerResult {
    let collection = ctx.collection_for(ctx.arg(0), Access::Read)?;
    let ignore_revs = ctx.flag_opt("ignoreRevs").unwrap_or(true);
    let mut list = ListAnswer::new(false);
    let view = ctx.view(&collection)?;
    for selector in selectors.iter_array() {
        let found = selected_key(&collection, &selector).and_then(|key| {
            let document = view.by_key(&collection, &key)?.ok_or_else(|| Error::plain(code::DOCUMENT_NOT_FOUND))?;
            let expected = selector.get("_rev");
            if !ignore_revs && expected.is_string() && expected != document.get("_rev") {
                return Err(Error::plain(code::CONFLICT));
            }
            Ok(document)
        });
        list.push(found);
    }
    Ok(list.plain(200))
}

// ---------- writing one ----------

fn insert(ctx: &Ctx) -> HandlerResult {
    let name = ctx.args.first().map(SmolStr::as_str).or_else(|| ctx.param("collection"));
    let Some(name) = name.filter(|n| !n.is_empty()) else {
        let message = "'collection' is missing, expecting /_api/document POST /_api/document/<collection> or query \
                       parameter 'collection'";
        return Err(Error::new(code::COLLECTION_PARAMETER_MISSING, message));
    };
    let body = ctx.json()?;
    if body.is_array() {
        return write_many(ctx, Operation::Insert, name, &body);
    }
    require_object(&body)?;
    write_one(ctx, Operation::Insert, name, "", &body, None)
}

fn change_one(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    require_object(&body)?;
    let operation = if ctx.method == Method::PUT { Operation::Replace } else { Operation::Update };
    let expected = ctx.revision_header("if-match").or_else(|| WriteFlags::of(ctx).expected_in(&body));
    write_one(ctx, operation, ctx.arg(0), ctx.arg(1), &body, expected)
}

fn remove_one(ctx: &Ctx) -> HandlerResult {
    let expected = ctx.revision_header("if-match");
    write_one(ctx, Operation::Remove, ctx.arg(0), ctx.arg(1), &Value::Null, expected)
}

fn require_object(body: &Value) -> Result<()> {
    if body.is_object() { Ok(()) } else { Err(Error::plain(code::DOCUMENT_TYPE_INVALID)) }
}

fn write_one(
    ctx: &Ctx,
    operation: Operation,
    collection: &str,
    key: &str,
    document: &Value,
    expected: Option<SmolStr>,
) -> HandlerResult {
    let collection = ctx.collection_for(collection, Access::Write)?;
    let flags = WriteFlags::of(ctx);
    let sync = ctx.waits_for_sync(&collection);
    match try_write(ctx, operation, &collection, key, document, &flags, expected, sync)? {
        Ok(written) => {
            let status = write_status(operation, sync);
            Ok(written_answer(ctx, &collection, operation, &flags, status, written))
        }
        Err(conflict) => Ok(conflict.answer(&collection)),
    }
}

/// One write in the transaction of the request. A conflict is told apart from other errors: it has an answer of its own.
#[expect(clippy::too_many_arguments, reason = "the parts of one write, each from another place of the request")]
pub fn try_write(
    ctx: &Ctx,
    operation: Operation,
    collection: &Arc<Collection>,
    key: &str,
    document: &Value,
    flags: &WriteFlags,
    expected: Option<SmolStr>,
    sync: bool,
) -> Result<Result<Written, Conflict>> {
    ctx.write(std::slice::from_ref(&collection.name), sync, |txn| {
        txn.collection_for_write(&collection.name)?;
        let options = flags.expecting(expected.clone());
        match apply(txn, operation, collection, key, document, &options) {
            Ok(written) => Ok(Ok(written)),
            Err(error) => Conflict::of(error, txn, collection, key, expected.as_deref()).map(Err),
        }
    })
}

// ---------- writing many ----------

fn put_many(ctx: &Ctx) -> HandlerResult {
    if !ctx.flag("onlyget") {
        return change_many(ctx);
    }
    let body = ctx.json()?;
    if body.is_array() {
        return read_many(ctx, &body);
    }
    let collection = ctx.collection_for(ctx.arg(0), Access::Read)?;
    let key = selected_key(&collection, &body)?;
    let (collection, document) = fetch(ctx, &collection.name, &key)?;
    Ok(read_answer(ctx, &collection, &key, &document))
}

/// The collection is named in the path, or else by a parameter.
fn change_many(ctx: &Ctx) -> HandlerResult {
    let named = ctx.args.first().map(SmolStr::as_str).or_else(|| ctx.param("collection"));
    let Some(collection) = named else {
        let message = "collection must be given in URL path or query parameter 'collection' must be specified";
        return Err(Error::new(code::HTTP_BAD_PARAMETER, message));
    };
    let body = ctx.json()?;
    if !body.is_array() {
        return Err(Error::plain(code::DOCUMENT_TYPE_INVALID));
    }
    let operation = if ctx.method == Method::PUT { Operation::Replace } else { Operation::Update };
    write_many(ctx, operation, collection, &body)
}

fn remove_many(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    if body.is_array() {
        return write_many(ctx, Operation::Remove, ctx.arg(0), &body);
    }
    let unreadable = || Error::new(code::HTTP_BAD_PARAMETER, "Request body not parseable");
    if !body.is_object() && !body.is_string() {
        return Err(unreadable());
    }
    let collection = ctx.collection_for(ctx.arg(0), Access::Write)?;
    let key = selected_key(&collection, &body)?;
    let expected = WriteFlags::of(ctx).expected_in(&body);
    write_one(ctx, Operation::Remove, &collection.name, &key, &Value::Null, expected)
}

/// Writes a list: what fails is reported in its place, the rest is done.
fn write_many(ctx: &Ctx, operation: Operation, collection: &str, items: &Value) -> HandlerResult {
    let collection = ctx.collection_for(collection, Access::Write)?;
    let flags = WriteFlags::of(ctx);
    // that its writes wait for the disk is known of a collection when something is written to it
    let (asked, of_collection) = (ctx.flag("waitForSync"), collection.properties.wait_for_sync);
    let mut list = ListAnswer::new(flags.silent);
    ctx.write(std::slice::from_ref(&collection.name), asked || of_collection, |txn| {
        txn.collection_for_write(&collection.name)?;
        for item in items.iter_array() {
            let result = write_item(txn, operation, &collection, &flags, &item);
            list.push(result.map(|written| {
                let mut body = identity(&collection.name, operation, &written);
                body.extend(versions(&flags, operation, written));
                Value::object(body)
            }));
        }
        Ok(())
    })?;
    let synced = asked || of_collection && list.has_successes();
    Ok(list.finish(write_status(operation, synced)))
}

fn write_item(
    txn: &mut Txn,
    operation: Operation,
    collection: &Arc<Collection>,
    flags: &WriteFlags,
    item: &Value,
) -> Result<Written> {
    let key = match operation {
        Operation::Insert => {
            require_object(item)?;
            SmolStr::default()
        }
        Operation::Update | Operation::Replace => changed_key(item)?,
        Operation::Remove => selected_key(collection, item)?,
    };
    match flags.expected_in(item).filter(|_| operation != Operation::Insert) {
        Some(rev) => apply(txn, operation, collection, &key, item, &flags.expecting(Some(rev))),
        None => apply(txn, operation, collection, &key, item, &flags.options),
    }
}
