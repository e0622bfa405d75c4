//! Answering a query from the cache of results, and filling it.

use super::cursor::{Call, Executed};
use super::request::Ctx;
use super::session::Access;
use super::state::results::{CachedResult, Key, Results, Source};
use super::syntax_tree;
use crate::Result;
use crate::functions;
use crate::value::{SmolStr, Value};

/// A query whose result may be cached, with how its collections were before it ran.
pub struct Cacheable {
    key: Key,
    sources: Vec<Source>,
}

impl Cacheable {
    /// The query, if its result may be cached: the settings allow it, it only reads, and it gives the same result again.
    pub fn of(ctx: &Ctx, call: &Call) -> Result<Option<Self>> {
        if !ctx.engine.results.wanted(call.cache) || call.stream || ctx.transaction_id()?.is_some() {
            return Ok(None);
        }
        // what is wrong with the text is reported when it is planned
        let Ok(parsed) = syntax_tree::parse(&call.text) else { return Ok(None) };
        let mut names: Vec<SmolStr> = parsed.collections;
        for name in parsed.bind_vars.iter().filter(|name| name.starts_with('@')) {
            names.extend(call.bind_vars.get(name).as_str().map(SmolStr::from));
        }
        if !repeatable(&parsed.ast) {
            return Ok(None);
        }
        let Some(sources) = sources(ctx, &names)? else { return Ok(None) };
        let parameters = format!("{}{:?}", call.bind_vars.to_json(), call.options);
        let key = Key { database: ctx.database().into(), text: call.text.to_string(), parameters };
        Ok(Some(Self { key, sources }))
    }

    /// The rows of an earlier run, if nothing has changed since and the caller may read where they came from.
    pub fn rows(&self, ctx: &Ctx) -> Option<Vec<Value>> {
        let entry = ctx.engine.results.get(&self.key)?;
        if entry.sources != self.sources {
            ctx.engine.results.remove(&self.key);
            return None;
        }
        entry.sources.iter().try_for_each(|s| ctx.check(&s.name, Access::Read)).ok()?;
        Results::hit(&entry);
        Some(entry.rows.clone())
    }

    /// Keeps the result of a run without warnings.
    pub fn keep(self, ctx: &Ctx, call: &Call, executed: &Executed) {
        if executed.outcome.warnings.is_empty() {
            let seconds = executed.outcome.stats.execution_time.as_secs_f64();
            let rows = executed.outcome.rows.clone();
            ctx.engine.results.add(CachedResult::new(self.key, call.bind_vars.clone(), rows, self.sources, seconds));
        }
    }
}

/// How the collections are now; `None` when one does not exist.
fn sources(ctx: &Ctx, names: &[SmolStr]) -> Result<Option<Vec<Source>>> {
    let database = ctx.current_database()?;
    let view = ctx.engine.store.view();
    let mut sources = Vec::with_capacity(names.len());
    for name in names {
        let Some(collection) = database.collection(name) else { return Ok(None) };
        let last = view.scan(collection, true)?.next_raw()?.map_or(0, |(id, _)| id);
        let count = view.count(collection)?;
        sources.push(Source { name: name.clone(), id: collection.id, count, last });
    }
    Ok(Some(sources))
}

/// Does a query with this syntax tree only read, and give the same result as long as its collections stay as they are?
fn repeatable(ast: &Value) -> bool {
    // what a named graph consists of is not written in the query
    const NOT: [&str; 9] = [
        "insert",
        "update",
        "replace",
        "remove",
        "upsert",
        "traversal",
        "shortest path",
        "k-shortest paths",
        "user function call",
    ];
    let kind = ast.get("type");
    let kind = kind.as_str().unwrap_or_default();
    if NOT.contains(&kind) {
        return false;
    }
    if kind == "function call" {
        let name = ast.get("name");
        if !functions::lookup(name.as_str().unwrap_or_default()).is_some_and(|f| f.deterministic) {
            return false;
        }
    }
    if ast.is_array() {
        return ast.iter_array().all(|node| repeatable(&node));
    }
    ast.get("subNodes").iter_array().all(|node| repeatable(&node))
}
