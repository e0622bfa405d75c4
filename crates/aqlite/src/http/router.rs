//! The table of routes and how a path finds its row.
//!
//! A pattern names segments literally, takes any one segment with `{}`, and, ending in `*`, any number of further ones.
//! The first row that fits decides. Rows are grouped by their first two segments: within a group a method no row knows is
//! answered with 405, a path no group knows with ArangoDB's 404.

use std::collections::HashMap;
use std::sync::OnceLock;

use http::Method;

use super::request::Ctx;
use super::response::{Answer, HandlerResult};
use crate::error::code;
use crate::value::SmolStr;
use crate::{Error, Result};

/// A function that answers a request.
pub type Handler = fn(&Ctx) -> HandlerResult;

/// Which methods a row is for.
#[derive(Clone, Debug)]
pub enum Verb {
    /// Every one.
    Any,
    /// Exactly this one.
    One(Method),
}

/// A row of the table.
#[derive(Clone)]
pub struct Route {
    verb: Verb,
    pattern: &'static str,
    handler: Handler,
}

/// A row for GET.
pub const fn get(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::One(Method::GET), pattern, handler }
}

/// A row for HEAD.
pub const fn head(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::One(Method::HEAD), pattern, handler }
}

/// A row for POST.
pub const fn post(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::One(Method::POST), pattern, handler }
}

/// A row for PUT.
pub const fn put(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::One(Method::PUT), pattern, handler }
}

/// A row for PATCH.
pub const fn patch(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::One(Method::PATCH), pattern, handler }
}

/// A row for DELETE.
pub const fn delete(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::One(Method::DELETE), pattern, handler }
}

/// A row for every method.
pub const fn any(pattern: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::Any, pattern, handler }
}

impl Route {
    fn accepts(&self, method: &Method) -> bool {
        match &self.verb {
            Verb::Any => true,
            Verb::One(verb) => verb == method,
        }
    }

    /// What stands in the places of the pattern, if the path fits it.
    fn fit(&self, segments: &[SmolStr]) -> Option<Vec<SmolStr>> {
        let mut args = Vec::new();
        let mut rest = segments.iter();
        for part in self.pattern.split('/').filter(|p| !p.is_empty()) {
            match part {
                "*" => {
                    args.extend(rest.cloned());
                    return Some(args);
                }
                "{}" => args.push(rest.next()?.clone()),
                literal => {
                    rest.next().filter(|segment| segment.as_str() == literal)?;
                }
            }
        }
        rest.next().is_none().then_some(args)
    }

    fn group(&self) -> String {
        group_of(self.pattern.split('/').skip(1).filter(|p| !matches!(*p, "" | "*" | "{}")))
    }
}

fn group_of<'a>(segments: impl Iterator<Item = &'a str>) -> String {
    segments.take(2).collect::<Vec<_>>().join("/")
}

fn table() -> &'static HashMap<String, Vec<Route>> {
    static TABLE: OnceLock<HashMap<String, Vec<Route>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<String, Vec<Route>> = HashMap::new();
        for route in super::routes() {
            table.entry(route.group()).or_default().push(route.clone());
        }
        table
    })
}

/// The handler of a path and what stands in the places of its pattern.
pub fn find(method: &Method, path: &str, segments: &[SmolStr]) -> Result<(Handler, Vec<SmolStr>)> {
    let group = group_of(segments.iter().map(SmolStr::as_str));
    let rows = table().get(&group).map_or(&[][..], Vec::as_slice);
    for row in rows.iter().filter(|row| row.accepts(method)) {
        if let Some(args) = row.fit(segments) {
            return Ok((row.handler, args));
        }
    }
    if !rows.is_empty() && !rows.iter().any(|row| row.accepts(method)) {
        return Err(Error::plain(code::HTTP_METHOD_NOT_ALLOWED));
    }
    Err(unknown_path(path))
}

/// ArangoDB's answer for a path it does not know.
pub fn unknown_path(path: &str) -> Error {
    Error::new(code::HTTP_NOT_FOUND, format!("unknown path '{path}'"))
}

/// The answer for a path no group knows keeps its body for HEAD, unlike errors of handlers.
pub fn not_found_answer(error: &Error) -> Answer {
    let mut answer = Answer::error(error);
    answer.failed = error.num != code::HTTP_NOT_FOUND;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &Ctx) -> HandlerResult {
        Ok(Answer::empty(200))
    }

    fn fit(pattern: &'static str, path: &str) -> Option<Vec<String>> {
        let segments: Vec<SmolStr> = path.split('/').filter(|s| !s.is_empty()).map(SmolStr::from).collect();
        get(pattern, nothing).fit(&segments).map(|args| args.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_place_takes_exactly_one_segment() {
        assert_eq!(fit("/_api/index/{}/{}", "/_api/index/c/0"), Some(vec!["c".into(), "0".into()]));
        assert_eq!(fit("/_api/index/{}/{}", "/_api/index/c"), None);
        assert_eq!(fit("/_api/index/{}", "/_api/index/c/0"), None);
    }

    #[test]
    fn a_star_takes_the_rest() {
        assert_eq!(fit("/_api/user/{}/*", "/_api/user/a/b/c"), Some(vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(fit("/_api/user/*", "/_api/user"), Some(vec![]));
    }

    #[test]
    fn every_row_can_be_reached_by_its_group() {
        for route in super::super::routes() {
            assert!(table().contains_key(&route.group()), "{}", route.pattern);
        }
    }
}
