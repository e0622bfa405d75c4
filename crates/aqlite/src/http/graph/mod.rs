//! `/_api/gharial`: named graphs, their definitions, vertices and edges.

mod admin;
mod definition;
mod documents;

use super::request::Ctx;
use super::response::HandlerResult;
use super::router::{Route, any, delete, get, patch, post, put};
use crate::error::code;
use crate::{Error, Result};

use definition::Graph;

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/gharial", admin::list),
    post("/_api/gharial", admin::create),
    get("/_api/gharial/{}", admin::show),
    delete("/_api/gharial/{}", admin::remove),
    get("/_api/gharial/{}/vertex", admin::vertex_collections),
    post("/_api/gharial/{}/vertex", admin::add_vertex_collection),
    delete("/_api/gharial/{}/vertex/{}", admin::remove_vertex_collection),
    get("/_api/gharial/{}/edge", admin::edge_collections),
    post("/_api/gharial/{}/edge", admin::add_edge_definition),
    put("/_api/gharial/{}/edge/{}", admin::replace_edge_definition),
    delete("/_api/gharial/{}/edge/{}", admin::remove_edge_definition),
    post("/_api/gharial/{}/vertex/{}", documents::insert),
    post("/_api/gharial/{}/edge/{}", documents::insert),
    get("/_api/gharial/{}/vertex/{}/{}", documents::read),
    get("/_api/gharial/{}/edge/{}/{}", documents::read),
    put("/_api/gharial/{}/vertex/{}/{}", documents::change),
    put("/_api/gharial/{}/edge/{}/{}", documents::change),
    patch("/_api/gharial/{}/vertex/{}/{}", documents::change),
    patch("/_api/gharial/{}/edge/{}/{}", documents::change),
    delete("/_api/gharial/{}/vertex/{}/{}", documents::remove),
    delete("/_api/gharial/{}/edge/{}/{}", documents::remove),
    get("/_api/gharial/*", not_found),
    any("/_api/gharial/*", unsupported),
];

fn not_found(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::HTTP_NOT_FOUND))
}

/// ArangoDB's status for a method it does not know here.
fn unsupported(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::HTTP_METHOD_NOT_ALLOWED).with_status(500))
}

/// The body as JSON, with this API's own words for one that is none.
fn body(ctx: &Ctx) -> Result<crate::value::Value> {
    ctx.json().map_err(|_| super::request::bad_parameter("unable to parse body"))
}

/// Carries the new name of a collection into the graphs that use it.
pub fn rename_collection(ctx: &Ctx, old: &str, new: &str) -> Result<()> {
    for mut graph in Graph::all(ctx)? {
        if graph.rename_collection(old, new) {
            graph.save(ctx, false)?;
        }
    }
    Ok(())
}
