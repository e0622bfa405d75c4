//! `/_api/version`, `/_api/engine` and what `/_admin` says about the server.

use std::process;
use std::time::SystemTime;

use super::VERSION;
use super::clock::{iso_seconds, unix_seconds};
use super::database::require_system;
use super::mode::is_read_only;
use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, get, post, put};
use crate::Error;
use crate::auth::Identity;
use crate::catalog::KeyGenerator;
use crate::error::code;
use crate::value::{Object, Value};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/", front_page),
    any("/_api/version", version),
    get("/_api/engine", storage_engine),
    get("/_api/engine/stats", engine_stats),
    get("/_api/endpoint", endpoints),
    get("/_api/key-generators", key_generators),
    get("/_api/cluster/endpoints", cluster_endpoints),
    get("/_api/wal/lastTick", last_tick),
    get("/_api/wal/range", tick_range),
    get("/_admin/status", status),
    get("/_admin/time", time),
    get("/_admin/license", license),
    get("/_admin/support-info", support_info),
    get("/_admin/database/target-version", target_version),
    get("/_admin/server/role", role),
    get("/_admin/server/id", server_id),
    get("/_admin/server/tls", tls),
    post("/_admin/server/tls", tls),
    get("/_admin/server/*", not_found),
    get("/_admin/cluster/health", cluster_health),
    get("/_admin/metrics", metrics),
    get("/_admin/metrics/v2", metrics),
    post("/_admin/routing/reload", reload_routing),
    put("/_admin/compact", compact),
    put("/_admin/wal/flush", flush),
    get("/_admin/wal/*", no_wal),
    any("/_admin/echo", echo),
    // stopping the server is the business of whoever started it
    any("/_admin/shutdown", shutdown),
    get("/_admin/aardvark/*", no_web_interface),
];

/// Error 11 for those who may not manage the server.
pub(super) fn only_for_admins(ctx: &Ctx) -> crate::Result<()> {
    if ctx.user.is_admin() { Ok(()) } else { Err(Error::plain(code::FORBIDDEN)) }
}

fn text(text: impl Into<String>) -> Value {
    Value::str(text.into())
}

fn front_page(ctx: &Ctx) -> HandlerResult {
    let address = format!("/_db/{}/_admin/aardvark/index.html", ctx.database());
    Ok(Answer::raw_json(301, Vec::new()).with(http::header::LOCATION, &address))
}

fn no_web_interface(_: &Ctx) -> HandlerResult {
    Err(Error::new(code::HTTP_NOT_FOUND, "there is no web interface"))
}

/// Name, licence and version: what every answer about the server begins with.
fn introduction() -> Object {
    object([("server", text("arango")), ("license", text("community")), ("version", text(VERSION))])
}

fn version(ctx: &Ctx) -> HandlerResult {
    let mut body = introduction();
    if ctx.flag("details") {
        let details = [
            ("mode", text("server")),
            ("server-version", text(VERSION)),
            ("architecture", text(format!("{}bit", usize::BITS))),
            ("platform", text(std::env::consts::OS)),
            ("host", text("")),
            ("role", text("SINGLE")),
            ("engine", text(concat!("aqlite ", env!("CARGO_PKG_VERSION")))),
        ];
        body.insert("details".into(), Value::from_pairs(details));
    }
    Ok(Answer::json(200, &Value::object(body)))
}

fn storage_engine(_: &Ctx) -> HandlerResult {
    let names = |list: &[&str]| Value::array(list.iter().map(|n| Value::str(*n)).collect());
    let aliases = Value::from_pairs([("skiplist", text("persistent")), ("hash", text("persistent"))]);
    let supports = Value::from_pairs([
        ("dfdb", Value::Bool(false)),
        ("indexes", names(&["primary", "edge", "hash", "skiplist", "ttl", "persistent", "geo", "fulltext"])),
        ("aliases", Value::from_pairs([("indexes", aliases)])),
    ]);
    // drivers know two engines; it behaves like this one
    Ok(Answer::json(200, &Value::from_pairs([("name", text("rocksdb")), ("supports", supports)])))
}

fn key_generators(_: &Ctx) -> HandlerResult {
    let names = KeyGenerator::NAMES.iter().map(|name| Value::str(*name));
    Ok(Answer::success(200, object([("keyGenerators", Value::array(names.collect()))])))
}

fn engine_stats(_: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::object(Object::default())))
}

fn endpoints(ctx: &Ctx) -> HandlerResult {
    let host = ctx.header("host").unwrap_or("127.0.0.1:8529");
    let endpoint = Value::from_pairs([("endpoint", text(format!("http://{host}")))]);
    Ok(Answer::json(200, &Value::array(vec![endpoint])))
}

fn cluster_endpoints(_: &Ctx) -> HandlerResult {
    Err(Error::new(code::NOT_IMPLEMENTED, "automatic failover is not enabled"))
}

fn cluster_health(_: &Ctx) -> HandlerResult {
    Err(Error::new(code::HTTP_FORBIDDEN, "only allowed on single server with active failover"))
}

fn tick(ctx: &Ctx) -> Object {
    let server =
        Value::from_pairs([("version", text(VERSION)), ("serverId", text(ctx.engine.store.server_id().to_string()))]);
    object([
        ("time", text(iso_seconds(SystemTime::now()))),
        ("tick", text(ctx.engine.next_id().to_string())),
        ("server", server),
    ])
}

fn last_tick(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::object(tick(ctx))))
}

fn tick_range(ctx: &Ctx) -> HandlerResult {
    let mut body = tick(ctx);
    if let Some(tick) = body.shift_remove("tick") {
        body.insert("tickMin".into(), text("0"));
        body.insert("tickMax".into(), tick);
    }
    Ok(Answer::json(200, &Value::object(body)))
}

fn status(ctx: &Ctx) -> HandlerResult {
    let mut body = introduction();
    let read_only = is_read_only(ctx);
    let info = [
        ("maintenance", Value::Bool(false)),
        ("role", text("SINGLE")),
        ("writeOpsEnabled", Value::Bool(!read_only)),
        ("readOnly", Value::Bool(read_only)),
    ];
    body.extend(object([
        ("pid", Value::Int(i64::from(process::id()))),
        ("mode", text("server")),
        ("operationMode", text("server")),
        ("foxxApi", Value::Bool(false)),
        ("host", text("")),
        ("serverInfo", Value::from_pairs(info)),
    ]));
    Ok(Answer::json(200, &Value::object(body)))
}

fn time(_: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, object([("time", Value::float(unix_seconds()))])))
}

fn license(_: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::from_pairs([("license", text("none"))])))
}

fn support_info(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    require_system(ctx)?;
    let host = [
        ("role", text("SINGLE")),
        ("maintenance", Value::Bool(false)),
        ("readOnly", Value::Bool(is_read_only(ctx))),
        ("version", text(VERSION)),
        ("license", text("community")),
        ("os", text(std::env::consts::OS)),
    ];
    let body = [
        ("deployment", Value::from_pairs([("type", text("single"))])),
        ("host", Value::from_pairs(host)),
        ("date", text(iso_seconds(SystemTime::now()))),
    ];
    Ok(Answer::json(200, &Value::from_pairs(body)))
}

/// `3.12.0` as a number of five digits.
fn target_version(_: &Ctx) -> HandlerResult {
    let number = VERSION.split('.').fold(0_u64, |n, part| n * 100 + part.parse::<u64>().unwrap_or(0));
    Ok(Answer::success(200, object([("version", text(number.to_string()))])))
}

fn role(_: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, object([("role", text("SINGLE")), ("mode", text("default"))])))
}

/// Only the servers of a cluster have one.
fn server_id(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::HTTP_SERVER_ERROR))
}

/// Whoever needs encryption puts a proxy before the server: there are no keys to show or to read again.
fn tls(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    Ok(Answer::result(200, Value::object(Object::default())))
}

fn not_found(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::HTTP_NOT_FOUND))
}

fn metrics(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::text(200, ctx.engine.metrics.page(&ctx.engine)?))
}

// ---------- what an operator of ArangoDB asks for and is not needed here ----------

fn reload_routing(_: &Ctx) -> HandlerResult {
    Ok(Answer::empty(204))
}

/// Brings the log into the tables: there is nothing else that grows with the writes of the past.
fn compact(ctx: &Ctx) -> HandlerResult {
    if !matches!(ctx.user, Identity::Superuser) {
        return Err(Error::new(code::FORBIDDEN, "compaction is only allowed for superusers"));
    }
    flush(ctx)
}

fn flush(ctx: &Ctx) -> HandlerResult {
    ctx.engine.store.flush()?;
    Ok(Answer::json(200, &Value::object(Object::default())))
}

fn no_wal(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::NOT_IMPLEMENTED))
}

fn shutdown(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::HTTP_METHOD_NOT_ALLOWED))
}

fn echo(ctx: &Ctx) -> HandlerResult {
    let parameters: Object = ctx.target.query.iter().map(|(n, v)| (n.as_str().into(), text(v.clone()))).collect();
    let mut body = object([
        ("authorized", Value::Bool(true)),
        ("user", Value::Str(ctx.user.name())),
        ("isAdminUser", Value::Bool(ctx.user.is_admin())),
        ("database", Value::Str(ctx.target.database.clone())),
        ("url", text(ctx.target.path.clone())),
        ("protocol", text("http")),
        ("portType", text("tcp/ip")),
        ("prefix", text("/")),
        ("requestType", text(ctx.method.as_str())),
        ("parameters", Value::object(parameters)),
        ("suffix", Value::array(Vec::new())),
        ("path", text("/")),
    ]);
    if !ctx.body.is_empty() {
        body.insert("requestBody".into(), text(String::from_utf8_lossy(&ctx.body)));
    }
    let bytes = ctx.body.iter().map(|byte| Value::Int(i64::from(*byte)));
    let raw = [("type", text("Buffer")), ("data", Value::array(bytes.collect()))];
    body.insert("rawRequestBody".into(), Value::from_pairs(raw));
    Ok(Answer::json(200, &Value::object(body)))
}
