//! `/_api/view`

use std::sync::Arc;

use smol_str::SmolStr;

use super::request::{Ctx, bad_parameter, no_object};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, patch, post, put};
use super::session::Access;
use crate::catalog::Database;
use crate::error::code;
use crate::search::{Link, SearchDefinition, SearchView};
use crate::value::{Object, Value, parse_json};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/view", list),
    get("/_api/view/{}", show),
    get("/_api/view/{}/properties", properties),
    post("/_api/view", create),
    put("/_api/view/{}/properties", replace_properties),
    patch("/_api/view/{}/properties", update_properties),
    put("/_api/view/{}/rename", rename),
    delete("/_api/view/{}", drop_view),
];

/// What can be set later, too, as it is when it is not set.
fn changeable() -> Object {
    let policy = Value::from_pairs([
        ("type", Value::str("tier")),
        ("segmentsBytesFloor", Value::Int(2 << 20)),
        ("segmentsBytesMax", Value::Int(5 << 30)),
        ("segmentsMax", Value::Int(10)),
        ("segmentsMin", Value::Int(1)),
        ("minScore", Value::Int(0)),
    ]);
    object([
        ("cleanupIntervalStep", Value::Int(2)),
        ("commitIntervalMsec", Value::Int(1000)),
        ("consolidationIntervalMsec", Value::Int(1000)),
        ("consolidationPolicy", policy),
    ])
}

/// What is set when a view is made.
fn fixed() -> Object {
    object([
        ("primarySort", Value::array(Vec::new())),
        ("primarySortCompression", Value::str("lz4")),
        ("storedValues", Value::array(Vec::new())),
        ("writebufferActive", Value::Int(0)),
        ("writebufferIdle", Value::Int(64)),
        ("writebufferSizeMax", Value::Int(32 << 20)),
    ])
}

/// Takes over what a body sets; all of it is about how ArangoDB's index is kept, and only shown here.
fn set(properties: &mut Object, body: &Value) -> Result<()> {
    for (name, value) in &mut *properties {
        let given = body.get(name);
        if given.is_null() {
            continue;
        }
        let fits = (given.is_number() && value.is_number() && given.as_f64().is_some_and(|n| n >= 0.0))
            || (given.is_array() && value.is_array())
            || (given.is_object() && value.is_object())
            || (given.is_string() && value.is_string());
        if !fits {
            return Err(bad_parameter(format!("invalid value of '{name}' in the properties of a view")));
        }
        *value = match name.as_str() {
            "consolidationPolicy" => policy(value, &given),
            "primarySort" => Value::array(given.iter_array().map(|sort| direction(&sort)).collect()),
            "storedValues" => Value::array(given.iter_array().map(|stored| stored_values(&stored)).collect()),
            _ => given,
        };
    }
    Ok(())
}

fn policy(known: &Value, given: &Value) -> Value {
    let mut policy = known.to_object().unwrap_or_default();
    if given.get("type").as_str() == Some("bytes_accum") {
        let threshold = given.get("threshold").as_f64().unwrap_or(0.1);
        return Value::from_pairs([("type", Value::str("bytes_accum")), ("threshold", Value::float(threshold))]);
    }
    for (name, value) in given.iter_object() {
        policy.insert(name.into(), value);
    }
    Value::object(policy)
}

fn direction(sort: &Value) -> Value {
    let ascending = match sort.get("direction").as_str() {
        Some(direction) => !direction.eq_ignore_ascii_case("desc"),
        None => sort.get("asc").as_bool().unwrap_or(true),
    };
    Value::from_pairs([("field", sort.get("field")), ("asc", Value::Bool(ascending))])
}

fn stored_values(stored: &Value) -> Value {
    let fields = if stored.is_object() { stored.get("fields") } else { stored.clone() };
    let fields = if fields.is_array() { fields } else { Value::array(vec![fields]) };
    let compression = stored.get("compression");
    let compression = if compression.is_string() { compression } else { Value::str("lz4") };
    Value::from_pairs([("fields", fields), ("compression", compression)])
}

fn described(view: &SearchView) -> Object {
    object([
        ("globallyUniqueId", Value::from(format!("h{:X}/{}", view.id, view.id))),
        ("id", Value::from(view.id.to_string())),
        ("name", Value::Str(view.name.clone())),
        ("type", Value::str("arangosearch")),
    ])
}

/// The links of a view, by the names of the collections.
pub(crate) fn links(database: &Database, view: &SearchView) -> Object {
    let linked = database.collections().filter_map(|collection| {
        let mut searches = collection.indexes.iter().filter_map(|index| index.search.as_ref());
        let search = searches.find(|search| search.view == view.id)?;
        Some((collection.name.clone(), search.link.to_value()))
    });
    linked.collect()
}

/// A view with everything that is known of it.
pub(crate) fn described_fully(database: &Database, view: &SearchView) -> Result<Object> {
    let mut shown = described(view);
    shown.extend(parse_json(&view.properties)?.to_object().unwrap_or_default());
    shown.insert("links".into(), Value::object(links(database, view)));
    Ok(shown)
}

fn found(ctx: &Ctx) -> Result<Arc<SearchView>> {
    let database = ctx.current_database()?;
    let view = database.view(ctx.arg(0)).cloned().ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))?;
    check_collections(ctx, &database, &view)?;
    Ok(view)
}

/// A view is seen by those who may read all it finds.
fn check_collections(ctx: &Ctx, database: &Database, view: &SearchView) -> Result<()> {
    links(database, view).keys().try_for_each(|name| ctx.check(name, Access::Read))
}

fn list(ctx: &Ctx) -> HandlerResult {
    let database = ctx.current_database()?;
    let visible = database.views.iter().filter(|view| check_collections(ctx, &database, view).is_ok());
    let shown = visible.map(|view| Value::object(described(view))).collect();
    Ok(Answer::success(200, object([("result", Value::array(shown))])))
}

fn show(ctx: &Ctx) -> HandlerResult {
    let view = found(ctx)?;
    Ok(Answer::success(200, described(&view)))
}

fn properties(ctx: &Ctx) -> HandlerResult {
    let view = found(ctx)?;
    answer(ctx, 200, &view.name)
}

fn answer(ctx: &Ctx, status: u16, name: &str) -> HandlerResult {
    let database = ctx.current_database()?;
    let view = database.view(name).ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))?;
    Ok(Answer::success(status, described_fully(&database, view)?))
}

fn object_body(ctx: &Ctx) -> Result<Value> {
    let body = ctx.json()?;
    if body.is_object() { Ok(body) } else { Err(no_object()) }
}

fn create(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write("insufficient rights to create views")?;
    let body = object_body(ctx)?;
    let name = body.get("name");
    let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
        return Err(bad_parameter("expecting a non-empty 'name' of a view"));
    };
    match body.get("type").as_str() {
        Some("arangosearch") => {}
        Some("search-alias") => {
            return Err(Error::new(code::NOT_IMPLEMENTED, "views of type 'search-alias' are not supported"));
        }
        _ => return Err(bad_parameter("failure while creating view: unknown type")),
    }
    let mut properties = changeable();
    properties.extend(fixed());
    set(&mut properties, &body)?;
    create_view(ctx, name, properties, &body.get("links"))?;
    answer(ctx, 201, name)
}

/// Makes a view with its links, or nothing.
fn create_view(ctx: &Ctx, name: &str, properties: Object, links: &Value) -> Result<()> {
    let store = &ctx.engine.store;
    let database = ctx.current_database()?;
    if database.view(name).is_some() || database.collection(name).is_some() {
        return Err(Error::plain(code::DUPLICATE_NAME));
    }
    // everything that can be wrong with the links is told before the view is there
    let nobody = SearchView { id: 0, name: name.into(), properties: String::new() };
    definitions(ctx, &nobody, links)?;
    let view = store.create_view(ctx.database(), name, Value::object(properties).to_json())?;
    let linked = definitions(ctx, &view, links).and_then(|wanted| apply(ctx, &view, wanted));
    if let Err(error) = linked {
        store.drop_view(ctx.database(), &view)?;
        return Err(error);
    }
    Ok(())
}

/// A collection, and the link it is to have; `None`: no link any more.
type Wanted = (SmolStr, Option<SearchDefinition>);

/// The links a body asks for.
fn definitions(ctx: &Ctx, view: &SearchView, links: &Value) -> Result<Vec<Wanted>> {
    if !links.is_null() && !links.is_object() {
        return Err(bad_parameter("invalid value of 'links' in the properties of a view"));
    }
    let wanted = links.iter_object().map(|(name, link)| {
        let collection = ctx.collection(name)?;
        ctx.check(&collection.name, Access::Read)?;
        if link.is_null() {
            return Ok((collection.name.clone(), None));
        }
        let link = Link::from_value(&link)?;
        Ok((collection.name.clone(), Some(ctx.engine.store.define_link(ctx.database(), view, link)?)))
    });
    wanted.collect()
}

fn apply(ctx: &Ctx, view: &SearchView, wanted: Vec<Wanted>) -> Result<()> {
    let store = &ctx.engine.store;
    wanted.into_iter().try_for_each(|(collection, definition)| match definition {
        Some(definition) => store.link(ctx.database(), &collection, definition),
        None => store.unlink(ctx.database(), &collection, view),
    })
}

fn change_properties(ctx: &Ctx, replace: bool) -> HandlerResult {
    ctx.check_database_write("insufficient rights to change views")?;
    let view = found(ctx)?;
    let body = object_body(ctx)?;
    let mut properties = parse_json(&view.properties)?.to_object().unwrap_or_default();
    let mut changed: Object = changeable();
    if !replace {
        for (name, value) in &mut changed {
            if let Some(known) = properties.get(name) {
                *value = known.clone();
            }
        }
    }
    set(&mut changed, &body)?;
    properties.extend(changed);
    let mut wanted = definitions(ctx, &view, &body.get("links"))?;
    if replace {
        let kept: Vec<SmolStr> = wanted.iter().map(|(name, _)| name.clone()).collect();
        let database = ctx.current_database()?;
        let linked = links(&database, &view);
        wanted.extend(
            linked.into_iter().map(|(name, _)| name).filter(|name| !kept.contains(name)).map(|name| (name, None)),
        );
    }
    apply(ctx, &view, wanted)?;
    let changed = SearchView { properties: Value::object(properties).to_json(), ..(*view).clone() };
    ctx.engine.store.change_view(ctx.database(), &changed)?;
    answer(ctx, 200, &view.name)
}

fn replace_properties(ctx: &Ctx) -> HandlerResult {
    change_properties(ctx, true)
}

fn update_properties(ctx: &Ctx) -> HandlerResult {
    change_properties(ctx, false)
}

fn rename(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write("insufficient rights to rename views")?;
    let view = found(ctx)?;
    let name = object_body(ctx)?.get("name");
    let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
        return Err(bad_parameter("expecting a non-empty 'name' of a view"));
    };
    ctx.engine.store.change_view(ctx.database(), &SearchView { name: name.into(), ..(*view).clone() })?;
    answer(ctx, 200, name)
}

fn drop_view(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write("insufficient rights to remove views")?;
    let view = found(ctx)?;
    ctx.engine.store.drop_view(ctx.database(), &view)?;
    Ok(Answer::success(200, object([("result", Value::Bool(true))])))
}

/// Makes a view of a dump anew.
pub(crate) fn restore(store: &crate::txn::Store, database: &str, described: &Value) -> Result<()> {
    let mut properties = changeable();
    properties.extend(fixed());
    set(&mut properties, described)?;
    let name = described.get("name").to_text();
    if let Some(before) = store.database(database)?.view(&name) {
        store.drop_view(database, before)?;
    }
    let view = store.create_view(database, &name, Value::object(properties).to_json())?;
    for (collection, link) in described.get("links").iter_object() {
        if store.database(database)?.collection(collection).is_some() {
            let definition = store.define_link(database, &view, Link::from_value(&link)?)?;
            store.link(database, collection, definition)?;
        }
    }
    Ok(())
}
