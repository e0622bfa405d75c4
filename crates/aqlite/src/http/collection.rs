//! `/_api/collection`

use std::sync::Arc;

use http::header;
use sha2::{Digest, Sha256};

use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, post, put};
use super::session::Access;
use super::syntax_tree;
use crate::auth::Level;
use crate::catalog::{Collection, CollectionDefinition, ComputedValue};
use crate::error::code;
use crate::txn::{View, revision_id};
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/collection", list),
    get("/_api/collection/{}", show),
    get("/_api/collection/{}/properties", properties),
    get("/_api/collection/{}/count", count),
    get("/_api/collection/{}/figures", figures),
    get("/_api/collection/{}/revision", revision),
    get("/_api/collection/{}/checksum", checksum),
    get("/_api/collection/{}/shards", shards),
    get("/_api/collection/*", unknown_resource),
    post("/_api/collection", create),
    post("/_api/collection/*", create),
    put("/_api/collection/{}/load", load),
    put("/_api/collection/{}/unload", summary_action),
    put("/_api/collection/{}/compact", summary_action),
    put("/_api/collection/{}/truncate", truncate),
    put("/_api/collection/{}/properties", set_properties),
    put("/_api/collection/{}/rename", rename),
    put("/_api/collection/{}/loadIndexesIntoMemory", load_indexes),
    put("/_api/collection/{}/recalculateCount", recalculate_count),
    put("/_api/collection/{}/responsibleShard", responsible_shard),
    put("/_api/collection/{}", action_missing),
    put("/_api/collection", action_missing),
    put("/_api/collection/*", unknown_action),
    delete("/_api/collection/{}", drop_collection),
    delete("/_api/collection/*", name_missing),
];

/// ArangoDB's number for what only a cluster can do.
const CLUSTER_ONLY: u16 = 1471;

// ---------- what is shown ----------

fn globally_unique_id(ctx: &Ctx, collection: &Collection) -> Value {
    if collection.properties.is_system {
        return Value::Str(collection.name.clone());
    }
    Value::str(format!("h{:X}/{}", ctx.engine.store.server_id(), collection.id))
}

/// A number for the collection among those of all databases.
fn object_id(collection: &Collection) -> u64 {
    collection.database.wrapping_shl(32) ^ collection.id
}

/// The attributes every answer about a collection has.
fn summary(ctx: &Ctx, collection: &Collection) -> Object {
    object([
        ("id", Value::str(collection.id.to_string())),
        ("name", Value::Str(collection.name.clone())),
        ("status", Value::Int(3)),
        ("type", Value::Int(collection.kind.number())),
        ("isSystem", Value::Bool(collection.properties.is_system)),
        ("globallyUniqueId", globally_unique_id(ctx, collection)),
    ])
}

/// All properties.
fn full(ctx: &Ctx, collection: &Collection) -> Result<Object> {
    let properties = &collection.properties;
    let mut all = summary(ctx, collection);
    all.extend(object([
        ("statusString", Value::str("loaded")),
        ("waitForSync", Value::Bool(properties.wait_for_sync)),
        ("keyOptions", properties.key_options.to_value(ctx.engine.store.last_key(collection)?)),
        ("schema", properties.schema_value()),
        ("cacheEnabled", Value::Bool(properties.cache_enabled)),
        ("objectId", Value::str(object_id(collection).to_string())),
        ("writeConcern", Value::Int(1)),
        ("syncByRevision", Value::Bool(true)),
        ("usesRevisionsAsDocumentIds", Value::Bool(true)),
        ("internalValidatorType", Value::Int(0)),
        ("isSmartChild", Value::Bool(false)),
        ("computedValues", properties.computed_value()),
    ]));
    Ok(all)
}

/// A collection the caller may at least read.
fn visible(ctx: &Ctx) -> Result<Arc<Collection>> {
    let collection = ctx.collection(ctx.arg(0))?;
    if ctx.level(&collection.name) == Level::None {
        return Err(Error::new(code::FORBIDDEN, format!("No access to collection '{}'", collection.name)));
    }
    Ok(collection)
}

/// An answer with the address of what was asked for.
fn located(ctx: &Ctx, attributes: Object) -> Answer {
    let path = ctx.target.path.trim_end_matches('/');
    Answer::success(200, attributes).with(header::LOCATION, &format!("/_db/{}{path}", ctx.database()))
}

// ---------- reading ----------

fn list(ctx: &Ctx) -> HandlerResult {
    let database = ctx.current_database()?;
    let without_system = ctx.flag("excludeSystem");
    let shown = database
        .collections()
        .filter(|c| !(without_system && c.properties.is_system) && ctx.level(&c.name) != Level::None)
        .map(|c| Value::object(summary(ctx, c)));
    Ok(Answer::result(200, Value::array(shown.collect())))
}

fn show(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, summary(ctx, &*visible(ctx)?)))
}

fn properties(ctx: &Ctx) -> HandlerResult {
    Ok(located(ctx, full(ctx, &*visible(ctx)?)?))
}

fn number_of_documents(ctx: &Ctx, collection: &Collection) -> Result<Value> {
    Ok(Value::Int(ctx.view(collection)?.count(collection)? as i64))
}

fn count(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    let mut body = full(ctx, &collection)?;
    body.insert("count".into(), number_of_documents(ctx, &collection)?);
    Ok(located(ctx, body))
}

fn figures(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    let (documents, size) = sampled_size(&ctx.view(&collection)?, &collection)?;
    let cached = collection.properties.cache_enabled;
    let indexes = collection.indexes.iter().filter(|index| index.is_shown()).count();
    let mut figures = object([
        (
            "indexes",
            Value::from_pairs([
                ("count", Value::Int(indexes as i64)),
                ("size", Value::Int((documents * 33 * indexes as u64) as i64)),
            ]),
        ),
        ("documentsSize", Value::Int(size as i64)),
        ("cacheInUse", Value::Bool(cached)),
        ("cacheSize", Value::Int(0)),
        ("cacheUsage", Value::Int(0)),
    ]);
    if cached {
        figures.extend(object([("cacheLifeTimeHitRate", Value::Int(0)), ("cacheWindowedHitRate", Value::Int(0))]));
    }
    if ctx.flag("details") {
        let indexes = collection.indexes.iter().filter(|index| index.is_shown()).map(|index| {
            Value::from_pairs([
                ("type", Value::Str(index.created_as.clone())),
                ("id", Value::Int(index.id as i64)),
                ("count", Value::Int(documents as i64)),
            ])
        });
        let engine = Value::from_pairs([
            ("documents", Value::Int(documents as i64)),
            ("indexes", Value::array(indexes.collect())),
        ]);
        figures.insert("engine".into(), engine);
    }
    let mut body = full(ctx, &collection)?;
    body.insert("count".into(), Value::Int(documents as i64));
    body.insert("figures".into(), Value::object(figures));
    Ok(located(ctx, body))
}

/// Number of documents and roughly their size, extrapolated from the first ones: reading all would take too long.
fn sampled_size(view: &View, collection: &Collection) -> Result<(u64, u64)> {
    const SAMPLE: u64 = 1000;
    let documents = view.count(collection)?;
    let mut scan = view.scan(collection, false)?;
    let (mut seen, mut bytes) = (0_u64, 0_u64);
    while seen < SAMPLE
        && let Some((_, raw)) = scan.next_raw()?
    {
        seen += 1;
        bytes += raw.byte_len() as u64;
    }
    Ok((documents, bytes.checked_div(seen).unwrap_or(0).saturating_mul(documents).max(bytes)))
}

/// The revision of the document written last.
fn last_revision(view: &View, collection: &Collection) -> Result<Option<SmolStr>> {
    let last = view.scan(collection, true)?.next()?;
    Ok(last.map(|(_, document)| document.get("_rev").to_text()))
}

fn revision(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    let last = last_revision(&ctx.view(&collection)?, &collection)?;
    let number = last.as_deref().and_then(revision_id).unwrap_or(0);
    let mut body = full(ctx, &collection)?;
    body.insert("revision".into(), Value::str(number.to_string()));
    Ok(located(ctx, body))
}

fn checksum(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    let (revisions, data) = (ctx.flag("withRevisions"), ctx.flag("withData"));
    let view = ctx.view(&collection)?;
    let mut scan = view.scan(&collection, false)?;
    let mut sum = 0_u64;
    while let Some((_, document)) = scan.next()? {
        // a sum does not depend on the order in which the documents are stored
        sum = sum.wrapping_add(fingerprint(&document, revisions, data));
    }
    let last = last_revision(&view, &collection)?;
    let mut body = summary(ctx, &collection);
    body.insert("checksum".into(), Value::str(sum.to_string()));
    body.insert("revision".into(), Value::Str(last.unwrap_or_else(|| "0".into())));
    Ok(located(ctx, body))
}

fn fingerprint(document: &Value, revisions: bool, data: bool) -> u64 {
    let mut hash = Sha256::new();
    hash.update(document.get("_key").to_text().as_bytes());
    for (name, value) in document.iter_object() {
        let included = match name {
            "_rev" => revisions,
            "_key" | "_id" => false,
            "_from" | "_to" => true,
            _ => data,
        };
        if included {
            hash.update(name.as_bytes());
            hash.update(value.to_json().as_bytes());
        }
    }
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

fn shards(ctx: &Ctx) -> HandlerResult {
    visible(ctx)?;
    Err(Error::new(code::NOT_IMPLEMENTED, "shards API is only available in a cluster"))
}

fn responsible_shard(_: &Ctx) -> HandlerResult {
    let message = "this operation is only valid on a coordinator in a cluster";
    Err(Error::new(CLUSTER_ONLY, message).with_status(501))
}

// ---------- changing ----------

fn create(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write(format!("cannot create collection in {}", ctx.database()))?;
    let definition = CollectionDefinition::from_value(&ctx.json()?)?;
    check_computed(&definition.properties.computed_values)?;
    let collection = ctx.engine.store.create_collection(ctx.database(), definition)?;
    Ok(Answer::success(200, full(ctx, &collection)?))
}

/// A computed value is one RETURN that knows nothing but the document.
fn check_computed(values: &[ComputedValue]) -> Result<()> {
    for value in values {
        let bad = |reason: String| {
            let message = format!("computation expression of '{}' is invalid: {reason}", value.name);
            Error::new(code::BAD_PARAMETER, message)
        };
        let parsed = syntax_tree::parse(&value.expression).map_err(|e| bad(e.message))?;
        if !value.expression.trim_start().to_ascii_uppercase().starts_with("RETURN") {
            return Err(bad("it must begin with RETURN".to_owned()));
        }
        if !parsed.collections.is_empty() || parsed.bind_vars.iter().any(|name| name != "doc") {
            return Err(bad("only @doc can be read".to_owned()));
        }
    }
    Ok(())
}

fn load(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    let mut body = summary(ctx, &collection);
    if ctx.json()?.get("count").as_bool().unwrap_or(true) {
        body.insert("count".into(), number_of_documents(ctx, &collection)?);
    }
    Ok(located(ctx, body))
}

/// Everything is always loaded and compact: there is nothing to do but to answer.
fn summary_action(ctx: &Ctx) -> HandlerResult {
    Ok(located(ctx, summary(ctx, &*visible(ctx)?)))
}

fn load_indexes(ctx: &Ctx) -> HandlerResult {
    visible(ctx)?;
    Ok(located(ctx, object([("result", Value::Bool(true))])))
}

fn recalculate_count(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    let count = number_of_documents(ctx, &collection)?;
    Ok(located(ctx, object([("result", Value::Bool(true)), ("count", count)])))
}

fn truncate(ctx: &Ctx) -> HandlerResult {
    let collection = visible(ctx)?;
    ctx.check(&collection.name, Access::Exclusive)?;
    if ctx.transaction_id()?.is_some() {
        ctx.write(&[], false, |txn| {
            let collection = txn.collection_for_write(&collection.name)?;
            txn.truncate(&collection)
        })?;
    } else {
        ctx.changing_store().truncate_collection(ctx.database(), &collection.name)?;
    }
    Ok(located(ctx, summary(ctx, &collection)))
}

/// A collection the caller may change as a whole.
fn changeable(ctx: &Ctx) -> Result<Arc<Collection>> {
    let collection = visible(ctx)?;
    ctx.check_database_write("forbidden")?;
    if ctx.level(&collection.name) != Level::Rw {
        return Err(Error::plain(code::FORBIDDEN));
    }
    Ok(collection)
}

fn set_properties(ctx: &Ctx) -> HandlerResult {
    let collection = changeable(ctx)?;
    let body = ctx.json()?;
    check_computed(&ComputedValue::list(&body.get("computedValues"))?)?;
    let changed = ctx.engine.store.set_properties(ctx.database(), &collection.name, &body)?;
    Ok(located(ctx, full(ctx, &changed)?))
}

fn rename(ctx: &Ctx) -> HandlerResult {
    let collection = changeable(ctx)?;
    let body = ctx.json()?;
    let name = body.get("name");
    let Some(name) = name.as_str().filter(|n| !n.is_empty()) else {
        return Err(Error::new(code::ILLEGAL_NAME, "name is empty"));
    };
    if name != collection.name {
        ctx.changing_store().rename_collection(ctx.database(), &collection.name, name)?;
        super::graph::rename_collection(ctx, &collection.name, name)?;
    }
    let renamed = ctx.collection(name)?;
    Ok(located(ctx, summary(ctx, &renamed)))
}

fn drop_collection(ctx: &Ctx) -> HandlerResult {
    let collection = ctx.collection(ctx.arg(0))?;
    let allowed = ctx.user.database_level(ctx.database()) == Level::Rw && ctx.level(&collection.name) == Level::Rw;
    if !allowed {
        let message = format!("Insufficient rights to drop collection {}", collection.name);
        return Err(Error::new(code::FORBIDDEN, message));
    }
    if collection.properties.is_system && !ctx.flag("isSystem") {
        return Err(Error::plain(code::FORBIDDEN));
    }
    ctx.changing_store().drop_collection(ctx.database(), &collection.name, ctx.flag("isSystem"))?;
    Ok(Answer::success(200, object([("id", Value::str(collection.id.to_string()))])))
}

// ---------- paths that mean nothing ----------

fn unknown_resource(ctx: &Ctx) -> HandlerResult {
    ctx.collection(ctx.arg(0))?;
    let message = "expecting one of the resources 'checksum', 'count', 'figures', 'properties', 'responsibleShard', \
                   'revision', 'shards'";
    Err(Error::new(code::HTTP_NOT_FOUND, message))
}

fn unknown_action(ctx: &Ctx) -> HandlerResult {
    ctx.collection(ctx.arg(0))?;
    let message = "expecting one of the actions 'load', 'unload', 'truncate', 'properties', 'compact', 'rename', \
                   'loadIndexesIntoMemory'";
    Err(Error::new(code::HTTP_NOT_FOUND, message))
}

fn action_missing(_: &Ctx) -> HandlerResult {
    Err(bad_request("expected PUT /_api/collection/<collection-name>/<action>"))
}

fn name_missing(_: &Ctx) -> HandlerResult {
    Err(bad_request("expected DELETE /_api/collection/<collection-name>"))
}
