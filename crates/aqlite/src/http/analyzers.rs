//! `/_api/analyzer`: the analyzers that `TOKENS()` knows. There is no search that needs others.

use super::legacy::no_search;
use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, get};
use crate::Error;
use crate::error::code;
use crate::functions::text_analyzers;
use crate::value::{Object, Value};

/// Rows of the table.
pub const ROUTES: &[Route] =
    &[get("/_api/analyzer", list), get("/_api/analyzer/{}", show), any("/_api/analyzer/*", no_search)];

fn all() -> Vec<Object> {
    let features = |names: &[&str]| Value::array(names.iter().map(|name| Value::str(*name)).collect());
    let identity = object([
        ("name", Value::str("identity")),
        ("type", Value::str("identity")),
        ("properties", Value::object(Object::default())),
        ("features", features(&["frequency", "norm"])),
    ]);
    let texts = text_analyzers().map(|name| {
        let properties = [
            ("locale", Value::str(name.trim_start_matches("text_"))),
            ("case", Value::str("lower")),
            ("stopwords", Value::array(Vec::new())),
            ("accent", Value::Bool(false)),
            ("stemming", Value::Bool(true)),
        ];
        object([
            ("name", Value::str(name)),
            ("type", Value::str("text")),
            ("properties", Value::from_pairs(properties)),
            ("features", features(&["frequency", "norm", "position"])),
        ])
    });
    std::iter::once(identity).chain(texts).collect()
}

fn list(_: &Ctx) -> HandlerResult {
    Ok(Answer::result(200, Value::array(all().into_iter().map(Value::object).collect())))
}

fn show(ctx: &Ctx) -> HandlerResult {
    // those that every database has are also known by the name of the system's
    let name = ctx.arg(0).trim_start_matches("_system::");
    let found = all().into_iter().find(|analyzer| analyzer.get("name").and_then(Value::as_str) == Some(name));
    let unknown = || {
        let message = format!("unable to find analyzer '{}' while looking it up", ctx.arg(0));
        Error::new(code::DOCUMENT_NOT_FOUND, message)
    };
    found.map(|analyzer| Answer::success(200, analyzer)).ok_or_else(unknown)
}
