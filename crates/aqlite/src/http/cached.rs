//! Answering a query from the cache of results, and filling it.

use super::cursor::{self, Call, Executed, begin_statement};
use super::request::Ctx;
use super::session::Access;
use super::state::results::{CachedResult, Key, Results, Source};
use super::syntax_tree;
use crate::Result;
use crate::functions;
use crate::txn::{Txn, Used};
use crate::value::{SmolStr, Value};

/// A query whose result may be cached, with the transaction it would run in and how its collections are there: what is kept
/// must be of the state that it is said to be of, whatever others commit meanwhile.
pub struct Cacheable {
    key: Key,
    txn: Txn,
    sources: Vec<Source>,
    used: Used,
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
        let txn = begin_statement(ctx, call)?;
        let used = Used::default();
        let Some(sources) = sources(&txn, &names, &used) else { return Ok(None) };
        let parameters = format!("{}{:?}", call.bind_vars.to_json(), call.options);
        let key = Key { database: ctx.database().into(), text: call.text.to_string(), parameters };
        Ok(Some(Self { key, txn, sources, used }))
    }

    /// The rows of an earlier run and what they came from, if nothing has changed since and the caller may read that.
    pub fn rows(&self, ctx: &Ctx) -> Option<(Vec<Value>, Used)> {
        let entry = ctx.engine.results.get(&self.key)?;
        if entry.sources != self.sources {
            ctx.engine.results.remove(&self.key);
            return None;
        }
        entry.sources.iter().try_for_each(|s| ctx.check(&s.name, Access::Read)).ok()?;
        Results::hit(&entry);
        Some((entry.rows.clone(), self.used.clone()))
    }

    /// Runs it and keeps its result, unless there are warnings.
    pub fn execute(self, ctx: &Ctx, call: &Call) -> Result<Executed> {
        let executed = cursor::execute_in(ctx, call, self.txn)?;
        if executed.outcome.warnings.is_empty() {
            let seconds = executed.outcome.stats.execution_time.as_secs_f64();
            let rows = executed.outcome.rows.clone();
            let mut result = CachedResult::new(self.key, call.bind_vars.clone(), rows, self.sources, seconds);
            // where there is no memory for it, it is not kept
            if result.hold(ctx.engine.store.memory()).is_ok() {
                ctx.engine.results.add(result);
            }
        }
        Ok(executed)
    }
}

/// How the collections are in a transaction; `None` when one does not exist.
fn sources(txn: &Txn, names: &[SmolStr], used: &Used) -> Option<Vec<Source>> {
    let view = txn.view();
    let source = |name: &SmolStr| {
        let collection = txn.database().collection(name)?;
        used.note(collection);
        Some(Source { name: name.clone(), id: collection.id, last_change: view.last_change(collection) })
    };
    names.iter().map(source).collect()
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
