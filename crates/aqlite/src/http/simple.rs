//! `/_api/simple`: the queries from before AQL that drivers still make. Each is one AQL statement.

use super::cursor::{self, Call, batch_size, type_error};
use super::request::{Ctx, bad_parameter};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, put};
use crate::catalog::IndexKind;
use crate::error::code;
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    put("/_api/simple/all", all),
    put("/_api/simple/all-keys", all_keys),
    put("/_api/simple/any", any_document),
    put("/_api/simple/by-example", by_example),
    put("/_api/simple/first-example", first_example),
    put("/_api/simple/range", range),
    put("/_api/simple/near", near),
    put("/_api/simple/within", within),
    put("/_api/simple/within-rectangle", within_rectangle),
    put("/_api/simple/fulltext", fulltext),
    put("/_api/simple/lookup-by-keys", lookup_by_keys),
    put("/_api/simple/remove-by-keys", remove_by_keys),
    put("/_api/simple/remove-by-example", remove_by_example),
    put("/_api/simple/update-by-example", update_by_example),
    put("/_api/simple/replace-by-example", replace_by_example),
];

/// A statement under construction.
struct Statement {
    text: String,
    bind: Object,
}

impl Statement {
    /// `FOR d IN` the collection the body names.
    fn over(body: &Value) -> Result<Self> {
        Self::over_source(body, "@@c")
    }

    /// `FOR d IN` what is found in that collection.
    fn over_source(body: &Value, source: &str) -> Result<Self> {
        let collection = body.get("collection");
        let Some(name) = collection.as_str().filter(|n| !n.is_empty()) else {
            return Err(type_error("expecting string for <collection>"));
        };
        let mut bind = Object::default();
        bind.insert("@c".into(), Value::str(name));
        Ok(Self { text: format!("FOR d IN {source} "), bind })
    }

    /// Appends text.
    fn then(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Binds a value.
    fn bind(mut self, name: &str, value: Value) -> Self {
        self.bind.insert(name.into(), value);
        self
    }

    /// Keeps documents whose attributes are those of the example; dots in names lead inwards.
    fn like_example(mut self, body: &Value) -> Result<Self> {
        let example = body.get("example");
        if !example.is_object() {
            return Err(bad_parameter("bad parameter"));
        }
        for (position, (name, value)) in example.iter_object().enumerate() {
            let path: Vec<Value> = name.split('.').map(Value::str).collect();
            self = self
                .then(&format!("FILTER d.@p{position} == @v{position} "))
                .bind(&format!("p{position}"), Value::array(path))
                .bind(&format!("v{position}"), value);
        }
        Ok(self)
    }

    /// `skip` and `limit` of the body.
    fn limited(self, body: &Value) -> Self {
        let number = |name: &str| body.get(name).as_i64().filter(|n| *n >= 0);
        match (number("skip"), number("limit")) {
            (None | Some(0), None) => self,
            (skip, limit) => self
                .then("LIMIT @skip, @limit ")
                .bind("skip", Value::Int(skip.unwrap_or(0)))
                .bind("limit", Value::Int(limit.unwrap_or(i64::from(u32::MAX)))),
        }
    }

    /// Binds numbers of the body under their names.
    fn bind_numbers(mut self, body: &Value, names: &[&str]) -> Result<Self> {
        for name in names {
            let number = body.get(name);
            if !number.is_number() {
                return Err(bad_parameter(format!("{name} must be a number")));
            }
            self = self.bind(name, number);
        }
        Ok(self)
    }

    fn call(self) -> Call {
        Call::internal(&self.text, self.bind)
    }

    fn rows(self, ctx: &Ctx) -> Result<Vec<Value>> {
        Ok(cursor::execute(ctx, &self.call())?.outcome.rows)
    }

    /// Answers like a cursor.
    fn cursor(self, ctx: &Ctx, body: &Value, count: bool) -> HandlerResult {
        let call = Call { count, batch_size: batch_size(body)?, ..self.call() };
        cursor::answer(ctx, &call)
    }
}

// ---------- reading ----------

fn all(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    Statement::over(&body)?.limited(&body).then("RETURN d").cursor(ctx, &body, true)
}

fn all_keys(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let statement = Statement::over(&body)?;
    let statement = match body.get("type").as_str() {
        Some("id") => statement.then("RETURN d._id"),
        Some("key") => statement.then("RETURN d._key"),
        _ => statement
            .then("RETURN CONCAT(@prefix, d._id)")
            .bind("prefix", Value::str(format!("/_db/{}/_api/document/", ctx.database()))),
    };
    statement.cursor(ctx, &body, false)
}

fn by_example(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    Statement::over(&body)?.like_example(&body)?.limited(&body).then("RETURN d").cursor(ctx, &body, true)
}

fn document_answer(document: Value) -> Answer {
    Answer::success(200, object([("document", document)]))
}

fn first_example(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let rows = Statement::over(&body)?.like_example(&body)?.then("LIMIT 1 RETURN d").rows(ctx)?;
    let first = rows.into_iter().next();
    first.map(document_answer).ok_or_else(|| Error::new(code::HTTP_NOT_FOUND, "no match"))
}

fn any_document(ctx: &Ctx) -> HandlerResult {
    let rows = Statement::over(&ctx.json()?)?.then("SORT RAND() LIMIT 1 RETURN d").rows(ctx)?;
    Ok(document_answer(rows.into_iter().next().unwrap_or(Value::Null)))
}

fn range(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let attribute = body.get("attribute");
    let Some(attribute) = attribute.as_str() else {
        return Err(bad_parameter("bad parameter"));
    };
    let upper = if body.get("closed").truthy() { "<=" } else { "<" };
    let path: Vec<Value> = attribute.split('.').map(Value::str).collect();
    let rows = Statement::over(&body)?
        .then(&format!("FILTER d.@a >= @left && d.@a {upper} @right "))
        .bind("a", Value::array(path))
        .bind("left", body.get("left"))
        .bind("right", body.get("right"))
        .limited(&body)
        .then("RETURN d")
        .rows(ctx)?;
    let count = Value::Int(rows.len() as i64);
    let answer = object([("result", Value::array(rows)), ("hasMore", Value::Bool(false)), ("count", count)]);
    Ok(Answer::success(201, answer))
}

// ---------- reading through geo and fulltext indexes ----------

/// How many of the nearest documents there are where no limit is given.
const NEAREST: i64 = 100;

/// `skip` and `limit` of a search; a limit of 0 is none.
fn part(body: &Value) -> Value {
    let limit = Some(body.get("limit")).filter(|limit| limit.as_i64() != Some(0));
    Value::from_pairs([("skip", body.get("skip")), ("limit", limit.unwrap_or(Value::Null))])
}

/// Functions look through the first geo index of a collection: another one cannot be chosen.
fn require_first_geo_index(ctx: &Ctx, body: &Value) -> Result<()> {
    let wanted = body.get("geo");
    let (Some(wanted), name) = (wanted.as_str(), body.get("collection")) else { return Ok(()) };
    let collection = ctx.document_collection(name.as_str().unwrap_or_default())?;
    let id = wanted.rsplit('/').next().unwrap_or(wanted);
    let mut geo = collection.indexes.iter().filter(|index| matches!(index.kind, IndexKind::Geo { .. }));
    match geo.position(|index| index.id.to_string() == id || index.name == id) {
        Some(0) => Ok(()),
        Some(_) => Err(Error::new(code::NOT_IMPLEMENTED, "only the first geo index of a collection can be used")),
        None => Err(Error::plain(code::INDEX_NOT_FOUND)),
    }
}

/// The name of the attribute that shows distances, as an argument of a function.
fn distance(body: &Value) -> Value {
    Some(body.get("distance")).filter(Value::is_string).unwrap_or(Value::Null)
}

fn near(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    require_first_geo_index(ctx, &body)?;
    let part = part(&body);
    let number = |name: &str, missing| part.get(name).as_i64().filter(|n| *n >= 0).unwrap_or(missing);
    let found = number("skip", 0).saturating_add(number("limit", NEAREST));
    Statement::over_source(&body, "NEAR(@@c, @latitude, @longitude, @found, @distance)")?
        .bind_numbers(&body, &["latitude", "longitude"])?
        .bind("found", Value::Int(found))
        .bind("distance", distance(&body))
        .limited(&part)
        .then("RETURN d")
        .cursor(ctx, &body, true)
}

fn within(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    require_first_geo_index(ctx, &body)?;
    Statement::over_source(&body, "WITHIN(@@c, @latitude, @longitude, @radius, @distance)")?
        .bind_numbers(&body, &["latitude", "longitude", "radius"])?
        .bind("distance", distance(&body))
        .limited(&part(&body))
        .then("RETURN d")
        .cursor(ctx, &body, true)
}

fn within_rectangle(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    require_first_geo_index(ctx, &body)?;
    Statement::over_source(&body, "WITHIN_RECTANGLE(@@c, @latitude1, @longitude1, @latitude2, @longitude2)")?
        .bind_numbers(&body, &["latitude1", "longitude1", "latitude2", "longitude2"])?
        .limited(&part(&body))
        .then("RETURN d")
        .cursor(ctx, &body, true)
}

fn fulltext(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let (attribute, query) = (body.get("attribute"), body.get("query"));
    if !attribute.is_string() || !query.is_string() {
        return Err(bad_parameter("bad parameter"));
    }
    Statement::over_source(&body, "FULLTEXT(@@c, @attribute, @query)")?
        .bind("attribute", attribute)
        .bind("query", query)
        .limited(&part(&body))
        .then("RETURN d")
        .cursor(ctx, &body, true)
}

/// The keys of the body, without the collection a driver may have put before them.
fn keys(body: &Value) -> Result<Value> {
    let keys = body.get("keys");
    if !keys.is_array() {
        return Err(type_error("expecting array for <keys>"));
    }
    let bare = |key: Value| match key.as_str().and_then(|k| k.split_once('/')) {
        Some((_, key)) => Value::Str(SmolStr::from(key)),
        None => key,
    };
    Ok(Value::array(keys.iter_array().map(bare).collect()))
}

fn lookup_by_keys(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let statement = Statement::over(&body)?.then("FILTER d._key IN @keys RETURN d").bind("keys", keys(&body)?);
    Ok(Answer::success(200, object([("documents", Value::array(statement.rows(ctx)?))])))
}

// ---------- writing ----------

fn remove_by_keys(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let keys = keys(&body)?;
    let options = body.get("options");
    let asked = keys.array_len().unwrap_or(0);
    let removed = Statement::over(&body)?
        .then("FILTER d._key IN @keys REMOVE d IN @@c RETURN OLD")
        .bind("keys", keys)
        .rows(ctx)?;
    let mut answer = object([
        ("removed", Value::Int(removed.len() as i64)),
        ("ignored", Value::Int(asked.saturating_sub(removed.len()) as i64)),
    ]);
    if options.get("returnOld").truthy() && !options.get("silent").truthy() {
        answer.insert("old".into(), Value::array(removed));
    }
    Ok(Answer::success(200, answer))
}

/// A modification of what is like an example, answered with the number of documents.
fn change_by_example(ctx: &Ctx, body: &Value, counted: &'static str, change: &str) -> HandlerResult {
    // options stand in the body or in an object of their own
    let option = |name: &str| body.get("options").get_opt(name).unwrap_or_else(|| body.get(name));
    let limit = Value::from_pairs([("limit", option("limit"))]);
    let flag = |name: &str| option(name).as_bool().unwrap_or(true);
    let mut statement = Statement::over(body)?.like_example(body)?.limited(&limit).then(change);
    if change.contains("@new") {
        let new = body.get("newValue");
        if !new.is_object() {
            return Err(bad_parameter("bad parameter"));
        }
        statement = statement.bind("new", new);
    }
    if change.starts_with("UPDATE") {
        let (keep_null, merge) = (flag("keepNull"), flag("mergeObjects"));
        statement = statement.then(&format!(" OPTIONS {{keepNull: {keep_null}, mergeObjects: {merge}}}"));
    }
    let rows = statement.then(" RETURN 1").rows(ctx)?;
    Ok(Answer::success(200, object([(counted, Value::Int(rows.len() as i64))])))
}

fn remove_by_example(ctx: &Ctx) -> HandlerResult {
    change_by_example(ctx, &ctx.json()?, "deleted", "REMOVE d IN @@c")
}

fn update_by_example(ctx: &Ctx) -> HandlerResult {
    change_by_example(ctx, &ctx.json()?, "updated", "UPDATE d WITH @new IN @@c")
}

fn replace_by_example(ctx: &Ctx) -> HandlerResult {
    change_by_example(ctx, &ctx.json()?, "replaced", "REPLACE d WITH @new IN @@c")
}
