//! `/_api/index`

use std::sync::Arc;

use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, post};
use super::session::Access;
use crate::catalog::{Collection, FieldPath, Index, IndexDefinition, IndexKind};
use crate::error::code;
use crate::txn::View;
use crate::value::{Object, Value, parse_json};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/index", list),
    get("/_api/index/{}/{}", show),
    get("/_api/index/*", malformed),
    post("/_api/index", create),
    delete("/_api/index/{}/{}", drop_index),
    delete("/_api/index/*", malformed_delete),
];

fn malformed(_: &Ctx) -> HandlerResult {
    Err(bad_request("bad parameter"))
}

fn malformed_delete(_: &Ctx) -> HandlerResult {
    Err(bad_request("expecting DELETE /<collection-name>/<index-identifier>"))
}

fn named_collection(ctx: &Ctx, name: &str) -> Result<Arc<Collection>> {
    let collection = ctx.collection(name)?;
    ctx.check(&collection.name, Access::Read)?;
    Ok(collection)
}

/// What is shown of an index.
pub(crate) fn describe(collection: &Collection, index: &Index) -> Object {
    let names = |fields: &[FieldPath]| Value::array(fields.iter().map(|f| Value::str(f.to_string())).collect());
    let (prefix, fields) = index.fields.split_at(index.prefix.min(index.fields.len()));
    let mut shown = object([
        ("fields", names(fields)),
        ("id", Value::str(format!("{}/{}", collection.name, index.id))),
        ("name", Value::Str(index.name.clone())),
        ("sparse", Value::Bool(index.sparse)),
        ("type", Value::Str(index.created_as.clone())),
        ("unique", Value::Bool(index.unique)),
    ]);
    match index.kind {
        IndexKind::Primary | IndexKind::Edge => {}
        IndexKind::Search => {
            let more = index.search.as_ref().and_then(|search| parse_json(&search.shown).ok());
            shown.extend(more.and_then(|more| more.to_object()).unwrap_or_default());
        }
        IndexKind::Ttl { expire_after } => {
            shown.insert("expireAfter".into(), Value::float(expire_after));
        }
        IndexKind::Geo { geo_json, legacy_polygons } => {
            shown.extend(object([
                ("geoJson", Value::Bool(geo_json)),
                ("legacyPolygons", Value::Bool(legacy_polygons)),
                // how ArangoDB covers shapes with cells of the sphere; shown for those who compare definitions
                ("bestIndexedLevel", Value::Int(17)),
                ("worstIndexedLevel", Value::Int(4)),
                ("maxNumCoverCells", Value::Int(8)),
            ]));
        }
        IndexKind::Fulltext { min_length } => {
            shown.insert("minLength".into(), Value::Int(i64::from(min_length)));
        }
        IndexKind::Persistent | IndexKind::Mdi if index.is_over_numbers() => {
            shown.insert("fieldValueTypes".into(), Value::str("double"));
            if !prefix.is_empty() {
                shown.insert("prefixFields".into(), names(prefix));
            }
        }
        IndexKind::Persistent | IndexKind::Mdi => {
            shown.insert("deduplicate".into(), Value::Bool(index.deduplicate));
            shown.insert("estimates".into(), Value::Bool(index.estimates));
            shown.insert("cacheEnabled".into(), Value::Bool(index.cache_enabled));
        }
    }
    if !index.stored_values.is_empty() {
        let stored = index.stored_values.iter().cloned().map(Value::Str);
        shown.insert("storedValues".into(), Value::array(stored.collect()));
    }
    shown
}

/// The same with how well the index tells documents apart, where that is known.
fn describe_with_estimate(view: &View, collection: &Collection, index: &Index) -> Result<Object> {
    let mut shown = describe(collection, index);
    if let Some(estimate) = selectivity(view, collection, index)? {
        shown.insert("selectivityEstimate".into(), Value::float(estimate));
    }
    Ok(shown)
}

/// How many different values there are in proportion to documents.
fn selectivity(view: &View, collection: &Collection, index: &Index) -> Result<Option<f64>> {
    match index.kind {
        IndexKind::Ttl { .. } | IndexKind::Geo { .. } | IndexKind::Fulltext { .. } | IndexKind::Search => Ok(None),
        IndexKind::Persistent | IndexKind::Mdi if !index.estimates => Ok(None),
        _ => view.selectivity(collection, index).map(Some),
    }
}

fn list(ctx: &Ctx) -> HandlerResult {
    let collection = named_collection(ctx, ctx.param("collection").unwrap_or_default())?;
    let with_stats = ctx.flag("withStats");
    let view = ctx.view(&collection)?;
    let shown = collection.indexes.iter().filter(|index| index.is_shown()).map(|index| {
        let mut shown = describe_with_estimate(&view, &collection, index)?;
        if with_stats {
            let figures = [("memory", Value::Int(0)), ("cacheInUse", Value::Bool(false)), ("cacheSize", Value::Int(0))];
            shown.insert("figures".into(), Value::from_pairs(figures));
        }
        Ok(Value::object(shown))
    });
    let indexes: Vec<Value> = shown.collect::<Result<_>>()?;
    let identifiers: Object = indexes.iter().map(|index| (index.get("id").to_text(), index.clone())).collect();
    let body = object([("indexes", Value::array(indexes)), ("identifiers", Value::object(identifiers))]);
    Ok(Answer::success(200, body))
}

fn show(ctx: &Ctx) -> HandlerResult {
    let collection = named_collection(ctx, ctx.arg(0))?;
    let index = collection.index(ctx.arg(1)).filter(|index| index.is_shown());
    let index = index.ok_or_else(|| Error::plain(code::INDEX_NOT_FOUND))?;
    Ok(Answer::success(200, describe(&collection, index)))
}

fn create(ctx: &Ctx) -> HandlerResult {
    let collection = ctx.collection(ctx.param("collection").unwrap_or_default())?;
    ctx.check_database_write("forbidden")?;
    ctx.check(&collection.name, Access::Write)?;
    let body = ctx.json()?;
    if !body.is_object() {
        return Err(super::request::no_object());
    }
    let definition = match body.get("type").as_str() {
        Some("inverted") => ctx.engine.store.define_inverted(ctx.database(), &body)?,
        _ => IndexDefinition::from_value(&body)?,
    };
    let created = ctx.changing_store().create_index(ctx.database(), &collection.name, definition);
    // documents that break the new rule make the request a bad one, not a conflict
    let (index, new) =
        created.map_err(|e| if e.num == code::UNIQUE_CONSTRAINT_VIOLATED { e.with_status(400) } else { e })?;
    let collection = ctx.collection(&collection.name)?;
    let mut shown = describe_with_estimate(&ctx.engine.store.view(), &collection, &index)?;
    shown.insert("isNewlyCreated".into(), Value::Bool(new));
    Ok(Answer::success(if new { 201 } else { 200 }, shown))
}

fn drop_index(ctx: &Ctx) -> HandlerResult {
    let collection = ctx.collection(ctx.arg(0))?;
    ctx.check_database_write("forbidden")?;
    ctx.check(&collection.name, Access::Write)?;
    // both numbers ArangoDB gives to its edge indexes
    if collection.is_edge() && matches!(ctx.arg(1), "1" | "2" | "edge") {
        return Err(Error::plain(code::FORBIDDEN));
    }
    let index = collection.index(ctx.arg(1)).filter(|index| index.is_shown() && index.kind != IndexKind::Primary);
    let index = index.ok_or_else(|| Error::plain(code::INDEX_NOT_FOUND))?;
    ctx.changing_store().drop_index(ctx.database(), &collection.name, &index.name)?;
    let id = Value::str(format!("{}/{}", collection.name, ctx.arg(1)));
    Ok(Answer::success(200, object([("id", id)])))
}
