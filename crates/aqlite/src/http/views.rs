//! `/_api/view`

use std::sync::Arc;

use smol_str::SmolStr;

use super::request::{Ctx, bad_parameter, no_object};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, patch, post, put};
use super::session::Access;
use crate::catalog::Database;
use crate::error::code;
use crate::search::settings::{self, changeable, set, set_caches};
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

/// What is set when a view is made.
fn fixed() -> Object {
    let mut fixed = object([
        ("primarySort", Value::array(Vec::new())),
        ("primarySortCompression", Value::str("lz4")),
        ("storedValues", Value::array(Vec::new())),
    ]);
    fixed.extend(settings::of_buffers());
    fixed
}

fn described(view: &SearchView) -> Object {
    object([
        ("globallyUniqueId", Value::from(format!("h{:X}/{}", view.id, view.id))),
        ("id", Value::from(view.id.to_string())),
        ("name", Value::Str(view.name.clone())),
        ("type", Value::str(if view.aliases.is_some() { "search-alias" } else { "arangosearch" })),
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
    if let Some(aliases) = &view.aliases {
        let indexes = aliases.iter().filter_map(|(collection, index)| {
            let collection = database.collection(&collection.to_string())?;
            let index = collection.index(&index.to_string())?;
            let pair = [("collection", &collection.name), ("index", &index.name)];
            Some(Value::from_pairs(pair.map(|(what, name)| (what, Value::Str(name.clone())))))
        });
        shown.insert("indexes".into(), Value::array(indexes.collect()));
        return Ok(shown);
    }
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
    check_aliases(ctx, database, view.aliases.as_deref().unwrap_or_default())?;
    links(database, view).keys().try_for_each(|name| ctx.check(name, Access::Read))
}

fn check_aliases(ctx: &Ctx, database: &Database, aliases: &[(u64, u64)]) -> Result<()> {
    let mut collections = aliases.iter().filter_map(|(collection, _)| database.collection(&collection.to_string()));
    collections.try_for_each(|collection| ctx.check(&collection.name, Access::Read))
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
            let database = ctx.current_database()?;
            let aliases = aliases(&database, &body.get("indexes"))?;
            check_aliases(ctx, &database, &aliases)?;
            ctx.engine.store.create_view(ctx.database(), name, "{}".to_owned(), Some(aliases))?;
            return answer(ctx, 201, name);
        }
        _ => return Err(bad_parameter("failure while creating view: unknown type")),
    }
    let mut properties = changeable();
    properties.extend(fixed());
    set(&mut properties, &body)?;
    set_caches(&mut properties, &body)?;
    create_view(ctx, name, properties, &body.get("links"))?;
    answer(ctx, 201, name)
}

/// The inverted indexes a list names.
fn aliases(database: &Database, list: &Value) -> Result<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    for alias in list.iter_array() {
        let (collection, index) = (alias.get("collection").to_text(), alias.get("index").to_text());
        let collection = database.collection(&collection).ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))?;
        let index = collection.index(&index).filter(|index| index.is_shown());
        let index = index.ok_or_else(|| Error::plain(code::INDEX_NOT_FOUND))?;
        if index.search.is_none() {
            return Err(bad_parameter("a search-alias view needs inverted indexes"));
        }
        let alias = (collection.id, index.id);
        if !found.contains(&alias) {
            found.push(alias);
        }
    }
    check_agreement(database, &found)?;
    Ok(found)
}

/// Inverted indexes are searched together only where they agree on what each attribute is found by, and in which order.
/// Those of one collection have no attribute in common: a document is found by each of them on its own.
fn check_agreement(database: &Database, aliases: &[(u64, u64)]) -> Result<()> {
    let mut seen: Vec<(u64, Arc<SearchDefinition>)> = Vec::new();
    for (id, index) in aliases {
        let index = database.collection(&id.to_string()).and_then(|collection| collection.index(&index.to_string()));
        let Some(search) = index.and_then(|index| index.search.clone()) else { continue };
        if let Some(path) =
            seen.iter().filter(|(of, _)| of == id).find_map(|(_, known)| known.link.common(&search.link))
        {
            return Err(bad_parameter(format!("two inverted indexes of a collection have the same field '{path}'")));
        }
        if seen.iter().any(|(_, known)| !known.agrees(&search)) {
            return Err(bad_parameter("the inverted indexes of a search-alias view do not match"));
        }
        seen.push((*id, search));
    }
    Ok(())
}

/// What an alias stands for after a change: all that the body names, or what it adds and takes away.
fn change_aliases(ctx: &Ctx, view: &SearchView, body: &Value, replace: bool) -> Result<()> {
    let database = ctx.current_database()?;
    let mut left: Vec<_> = if replace { Vec::new() } else { view.aliases.clone().unwrap_or_default() };
    for change in body.get("indexes").iter_array() {
        let named = aliases(&database, &Value::array(vec![change.clone()]))?;
        left.retain(|known| !named.contains(known));
        if change.get("operation").as_str() != Some("del") {
            left.extend(named);
        }
    }
    check_agreement(&database, &left)?;
    check_aliases(ctx, &database, &left)?;
    ctx.engine.store.change_view(ctx.database(), &SearchView { aliases: Some(left), ..view.clone() })
}

/// Makes a view with its links, or nothing.
fn create_view(ctx: &Ctx, name: &str, properties: Object, links: &Value) -> Result<()> {
    let store = &ctx.changing_store();
    let database = ctx.current_database()?;
    if database.view(name).is_some() || database.collection(name).is_some() {
        return Err(Error::plain(code::DUPLICATE_NAME));
    }
    // everything that can be wrong with the links is told before the view is there
    let nobody = SearchView { id: u64::MAX, name: name.into(), properties: "{}".to_owned(), aliases: None };
    definitions(ctx, &nobody, links)?;
    let view = store.create_view(ctx.database(), name, Value::object(properties).to_json(), None)?;
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
    let store = &ctx.changing_store();
    wanted.into_iter().try_for_each(|(collection, definition)| match definition {
        Some(definition) => store.link(ctx.database(), &collection, definition),
        None => store.unlink(ctx.database(), &collection, view),
    })
}

fn change_properties(ctx: &Ctx, replace: bool) -> HandlerResult {
    ctx.check_database_write("insufficient rights to change views")?;
    let view = found(ctx)?;
    let body = object_body(ctx)?;
    if view.aliases.is_some() {
        change_aliases(ctx, &view, &body, replace)?;
        return answer(ctx, 200, &view.name);
    }
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
    ctx.changing_store().drop_view(ctx.database(), &view)?;
    Ok(Answer::success(200, object([("result", Value::Bool(true))])))
}

/// Makes a view of a dump anew.
pub(crate) fn restore(store: &crate::txn::Store, database: &str, described: &Value) -> Result<()> {
    let mut properties = changeable();
    properties.extend(fixed());
    set(&mut properties, described)?;
    set_caches(&mut properties, described)?;
    let name = described.get("name").to_text();
    if let Some(before) = store.database(database)?.view(&name) {
        store.drop_view(database, before)?;
    }
    if described.get("type").as_str() == Some("search-alias") {
        let now = store.database(database)?;
        let aliases = aliases(&now, &described.get("indexes"))?;
        return store.create_view(database, &name, "{}".to_owned(), Some(aliases)).map(|_| ());
    }
    let view = store.create_view(database, &name, Value::object(properties).to_json(), None)?;
    for (collection, link) in described.get("links").iter_object() {
        if store.database(database)?.collection(collection).is_some() {
            let definition = store.define_link(database, &view, Link::from_value(&link)?)?;
            store.link(database, collection, definition)?;
        }
    }
    Ok(())
}
