//! `/_api/analyzer`

use super::request::{Ctx, bad_parameter, no_object};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, post};
use crate::analysis::{Analyzer, BUILT_IN};
use crate::catalog::SYSTEM;
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/analyzer", list),
    get("/_api/analyzer/{}", show),
    post("/_api/analyzer", create),
    delete("/_api/analyzer/{}", drop_analyzer),
];

/// An analyzer as it is shown; those that were created have the name of their database before theirs.
fn describe(database: Option<&str>, analyzer: &Analyzer) -> Object {
    let name = match database {
        Some(database) => format!("{database}::{}", analyzer.name),
        None => analyzer.name.to_string(),
    };
    object([
        ("name", Value::from(name)),
        ("type", Value::Str(analyzer.kind.clone())),
        ("properties", analyzer.properties.clone()),
        ("features", analyzer.features.to_value()),
    ])
}

fn list(ctx: &Ctx) -> HandlerResult {
    let mut shown: Vec<Object> = BUILT_IN.iter().map(|analyzer| describe(None, analyzer)).collect();
    let mut databases = vec![ctx.current_database()?];
    if ctx.database() != SYSTEM {
        databases.push(ctx.engine.store.database(SYSTEM)?);
    }
    for database in databases {
        shown.extend(database.analyzers.iter().map(|analyzer| describe(Some(&database.name), analyzer)));
    }
    Ok(Answer::result(200, Value::array(shown.into_iter().map(Value::object).collect())))
}

fn show(ctx: &Ctx) -> HandlerResult {
    let name = ctx.arg(0);
    let found = ctx.engine.store.catalog().analyzer(ctx.database(), name);
    let (_, analyzer) = found.ok_or_else(|| {
        let message = format!("unable to find analyzer '{name}' while looking it up");
        Error::new(code::DOCUMENT_NOT_FOUND, message)
    })?;
    let is_built_in = crate::analysis::built_in(&analyzer.name).is_some();
    let of_system = name.starts_with("::") || name.starts_with("_system::");
    let database = if of_system { SYSTEM } else { ctx.database() };
    Ok(Answer::success(200, describe((!is_built_in).then_some(database), &analyzer)))
}

/// The name of an analyzer of the request's database, without that of the database.
fn own_name<'a>(ctx: &Ctx, name: &'a str) -> Result<&'a str> {
    match name.rsplit_once("::") {
        None => Ok(name),
        Some((database, name)) if database == ctx.database() || (database.is_empty() && ctx.database() == SYSTEM) => {
            Ok(name)
        }
        Some(_) => {
            let message = format!("analyzer '{name}' does not belong to database '{}'", ctx.database());
            Err(Error::new(code::FORBIDDEN, message))
        }
    }
}

fn create(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write("insufficient rights to create analyzers")?;
    let body = ctx.json()?;
    if !body.is_object() {
        return Err(no_object());
    }
    let name = body.get("name");
    let Some(name) = name.as_str() else { return Err(bad_parameter("invalid 'name', expected a string")) };
    let name = own_name(ctx, name)?;
    let analyzer = Analyzer::from_value(name, &body)?;
    // those that every database has cannot be made anew
    if let Some(built_in) = crate::analysis::built_in(name) {
        if built_in.is_like(&analyzer) {
            return Ok(Answer::success(200, describe(None, built_in)));
        }
        return Err(bad_parameter(format!(
            "name collision detected while registering Arangosearch analyzer name '{name}'"
        )));
    }
    let (analyzer, new) = ctx.engine.store.create_analyzer(ctx.database(), analyzer)?;
    Ok(Answer::success(if new { 201 } else { 200 }, describe(Some(ctx.database()), &analyzer)))
}

fn drop_analyzer(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write("insufficient rights to remove analyzers")?;
    let name = own_name(ctx, ctx.arg(0))?;
    if crate::analysis::built_in(name).is_some() {
        return Err(Error::new(code::FORBIDDEN, "built-in analyzers cannot be removed"));
    }
    ctx.engine.store.drop_analyzer(ctx.database(), name, ctx.flag("force")).map_err(|e| match e.num {
        code::DOCUMENT_NOT_FOUND => {
            let message = format!("failure while removing arangosearch analyzer '{}::{name}'", ctx.database());
            Error::new(e.num, message)
        }
        _ => e,
    })?;
    Ok(Answer::success(200, object([("name", Value::from(format!("{}::{name}", ctx.database())))])))
}
