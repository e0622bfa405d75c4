//! `/_api/explain`, `/_api/query` and `/_api/query-cache`.

use std::time::Instant;

use super::cursor::{Call, begin_statement, prepare_to_show, warning_list};
use super::request::{Ctx, bad_parameter, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, delete, get, post, put};
use super::session::Access;
use super::state::queries::Scope;
use super::state::results::Source;
use super::syntax_tree;
use crate::auth::Identity;
use crate::error::code;
use crate::exec::{Prepared, QueryOptions};
use crate::plan::RULES;
use crate::txn::Txn;
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    post("/_api/explain", explain),
    any("/_api/explain/*", unsupported),
    post("/_api/query", parse),
    post("/_api/query/*", expecting_post),
    get("/_api/query/properties", properties),
    get("/_api/query/current", current),
    get("/_api/query/slow", slow),
    get("/_api/query/rules", rules),
    get("/_api/query/*", unknown_type),
    put("/_api/query/properties", set_properties),
    put("/_api/query/*", unknown_type),
    delete("/_api/query/slow", clear_slow),
    delete("/_api/query/{}", kill),
    delete("/_api/query/*", unknown_type),
    get("/_api/query-cache/properties", cache_properties),
    put("/_api/query-cache/properties", set_cache_properties),
    get("/_api/query-cache/entries", cache_entries),
    delete("/_api/query-cache", clear_cache),
    get("/_api/query-plan-cache", no_plans),
    delete("/_api/query-plan-cache", forget_no_plans),
];

/// Methods that the path does not have: status, number and words are those of ArangoDB.
fn unsupported(_: &Ctx) -> HandlerResult {
    Err(Error::new(code::NOT_IMPLEMENTED, "'Unsupported method' not implemented"))
}

// ---------- explain and parse ----------

fn explain(ctx: &Ctx) -> HandlerResult {
    let begun = Instant::now();
    let body = ctx.json()?;
    let query = body.get("query");
    let Some(text) = query.as_str() else {
        return Err(bad_parameter("expecting string for <queryString>"));
    };
    if text.is_empty() {
        return Err(Error::new(code::QUERY_EMPTY, "query is empty (while parsing)"));
    }
    let options = body.get("options");
    let call = Call {
        bind_vars: body.get("bindVars"),
        options: QueryOptions::from_json(&options, &body),
        ..Call::internal(text, Object::default())
    };
    let Explained { plan, warnings, cacheable } = if let Some(id) = ctx.transaction_id()? {
        let transactions = &ctx.engine.transactions;
        transactions
            .with(id, ctx.database(), &ctx.user, |txn| prepare_to_show(txn, &call).map(|p| explained(&p, txn)))?
    } else {
        let txn = begin_statement(ctx, &call)?;
        explained(&prepare_to_show(&txn, &call).map_err(without_prefix)?, &txn)
    };
    let mut answer = if options.get("allPlans").as_bool() == Some(true) {
        object([("plans", Value::array(vec![plan]))])
    } else {
        object([("plan", plan), ("cacheable", Value::Bool(cacheable))])
    };
    answer.insert("warnings".into(), warnings);
    answer.insert("stats".into(), planning_stats(begun.elapsed().as_secs_f64()));
    Ok(Answer::success(200, answer))
}

struct Explained {
    plan: Value,
    warnings: Value,
    /// Could the result be cached? That of a query without side effects and without warnings could.
    cacheable: bool,
}

fn explained(prepared: &Prepared, txn: &Txn) -> Explained {
    let warnings = &prepared.plan().warnings;
    Explained {
        plan: prepared.explain(txn),
        warnings: warning_list(warnings),
        cacheable: !prepared.is_modification() && warnings.is_empty(),
    }
}

/// Errors of an explanation do not say that they come from AQL, and find out later that a collection is missing.
fn without_prefix(mut error: Error) -> Error {
    if error.num == code::DATA_SOURCE_NOT_FOUND {
        error.message = error.message.replace("(while parsing)", "(while optimizing ast)");
    }
    if let Some(bare) = error.message.strip_prefix("AQL: ") {
        error.message = bare.to_owned();
    }
    error
}

/// One plan is made for a query, the one that is run.
fn planning_stats(seconds: f64) -> Value {
    Value::from_pairs([
        ("rulesExecuted", Value::Int(0)),
        ("rulesSkipped", Value::Int(0)),
        ("plansCreated", Value::Int(1)),
        ("peakMemoryUsage", Value::Int(0)),
        ("executionTime", Value::float(seconds)),
    ])
}

fn parse(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let query = body.get("query");
    let Some(text) = query.as_str() else {
        return Err(bad_parameter("The attribute 'query' was not found."));
    };
    let parsed = syntax_tree::parse(text)?;
    let list = |names: Vec<SmolStr>| Value::array(names.into_iter().map(Value::Str).collect());
    Ok(Answer::success(
        200,
        object([
            ("parsed", Value::Bool(true)),
            ("collections", list(parsed.collections)),
            ("bindVars", list(parsed.bind_vars)),
            ("ast", parsed.ast),
        ]),
    ))
}

/// The rules of the planner.
fn rules(_: &Ctx) -> HandlerResult {
    let shown = RULES.iter().map(|name| {
        let flags = ["hidden", "clusterOnly", "canCreateAdditionalPlans", "disabledByDefault", "enterpriseOnly"];
        let mut flags: Object = flags.into_iter().map(|flag| (flag.into(), Value::Bool(false))).collect();
        flags.insert("canBeDisabled".into(), Value::Bool(true));
        Value::from_pairs([("name", Value::str(*name)), ("flags", Value::object(flags))])
    });
    Ok(Answer::json(200, &Value::array(shown.collect())))
}

// ---------- running and slow queries ----------

fn expecting_post(_: &Ctx) -> HandlerResult {
    Err(bad_request("expecting POST /_api/query"))
}

fn unknown_type(ctx: &Ctx) -> HandlerResult {
    let message = format!("unknown type '{}', expecting 'slow', 'current', or 'properties'", ctx.arg(0));
    Err(Error::new(code::HTTP_NOT_FOUND, message))
}

/// Which queries a request is about: those of its database, or with `all=true` those of every one. Administrators reach
/// everybody's, others only their own.
fn scope(ctx: &Ctx) -> Result<Scope> {
    let all = ctx.flag("all");
    if all && ctx.database() != "_system" {
        return Err(Error::plain(code::USE_SYSTEM_DATABASE));
    }
    if all && !matches!(ctx.user, Identity::Superuser) {
        let message = "only superusers are allowed to perform actions on all queries";
        return Err(Error::new(code::FORBIDDEN, message));
    }
    Ok(Scope {
        database: (!all).then(|| ctx.database().into()),
        user: (!ctx.user.is_admin()).then(|| ctx.user.clone()),
    })
}

fn properties(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, ctx.engine.queries.properties(ctx.database()).to_object()))
}

fn set_properties(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    if !body.is_object() {
        return Err(bad_request("expecting a JSON object as body"));
    }
    Ok(Answer::success(200, ctx.engine.queries.set_properties(ctx.database(), &body).to_object()))
}

fn current(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::array(ctx.engine.queries.current(&scope(ctx)?))))
}

fn slow(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::array(ctx.engine.queries.slow(&scope(ctx)?))))
}

fn clear_slow(ctx: &Ctx) -> HandlerResult {
    ctx.engine.queries.clear_slow(&scope(ctx)?);
    Ok(Answer::success(200, Object::default()))
}

fn kill(ctx: &Ctx) -> HandlerResult {
    ctx.engine.queries.kill(&scope(ctx)?, ctx.arg(0))?;
    Ok(Answer::success(200, Object::default()))
}

// ---------- the result cache ----------

fn cache_properties(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::object(ctx.engine.results.properties(&Value::Null))))
}

fn set_cache_properties(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::object(ctx.engine.results.properties(&ctx.json()?))))
}

/// Results are shown to those who may read what they were found in.
fn cache_entries(ctx: &Ctx) -> HandlerResult {
    let readable = |source: &Source| ctx.check(&source.name, Access::Read).is_ok();
    Ok(Answer::json(200, &Value::array(ctx.engine.results.list(ctx.database(), readable))))
}

/// Queries are planned each time they run: that costs less than to look for their plans.
fn no_plans(_: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::array(Vec::new())))
}

fn forget_no_plans(_: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, Object::default()))
}

fn clear_cache(ctx: &Ctx) -> HandlerResult {
    ctx.engine.results.clear(ctx.database());
    Ok(Answer::success(200, Object::default()))
}
