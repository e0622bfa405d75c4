//! The AQL console: queries that somebody writes, on the service's database, read only.

mod answer;
mod plan;
mod refusal;
mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use self::answer::AqlAnswer;
use self::schema::AqlSchema;
use super::{Area, RawJson};
use crate::app::App;
use crate::aql;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::Fails;
use crate::secrets;
use crate::store::{Busy, Question, Refusal, typed};

/// The parameter that stands for the users.
const USERS: &str = "@users";
/// A name under which no query could be stopped.
const SCHEMA: &str = "schema";
/// Letters of a name that the service gives a query.
const ID_LETTERS: usize = 20;

/// The AQL console.
pub struct AqlConsole(pub Arc<App>);

/// A query in AQL.
#[derive(Debug, Object)]
struct AqlQuestion {
    /// The query.
    #[oai(validator(min_length = 1, max_length = 200_000))]
    query: String,
    /// Its parameters; the name of one that stands for a collection begins with `@`. `@users` that is not given is the list
    /// of the keys and names of the users.
    bind_vars: Option<BTreeMap<String, Value>>,
    /// A name under which the query can be stopped, of letters, digits, `_` and `-`; the service gives one when absent.
    #[oai(validator(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    query_id: Option<String>,
    /// The most rows of the answer.
    #[oai(default = "usual_rows", validator(minimum(value = "1"), maximum(value = "10000")))]
    limit: usize,
    /// Only tell the plan, and run nothing.
    #[oai(default)]
    explain: bool,
    /// Run all of it, and tell the plan with what each node did.
    #[oai(default)]
    profile: bool,
}

fn usual_rows() -> usize {
    1_000
}

/// A query that was stopped.
#[derive(Debug, Object)]
struct AqlStopped {
    query_id: String,
    /// Always true: a query that does not run is 404.
    stopped: bool,
}

#[OpenApi(tag = "Area::Explorer")]
impl AqlConsole {
    /// Ask the database in AQL
    ///
    /// The query runs as a user of the database of its own, who reads everything but the collections `Change`, `Token` and `User` and
    /// writes nothing, within the limits of time and memory that the settings have for it (`aql.seconds`,
    /// `aql.memory_bytes`). Reading ends with the row behind `limit`, or 16 MiB; `truncated` says so.
    ///
    /// What the database refuses has its error number: `{message, error_num, line, column}`. 400: the query or its
    /// parameters are wrong, or it needs too much memory (32). 403: it reads what nobody may (11), or changes something
    /// (1004). 409: a query of that name runs already. 410: it was stopped, or took too long (1500). 429: too many run.
    /// 503: there is no user of the database to ask it as; the message says what to do.
    #[oai(path = "/aql", method = "post", operation_id = "run_aql_aql_post")]
    async fn ask(
        &self,
        #[oai(scope = "Scope::DataAqlRead")] caller: Caller,
        body: Json<AqlQuestion>,
        _fails: Fails<400, 409, 410, 429>,
    ) -> Result<RawJson<AqlAnswer>> {
        let AqlQuestion { query, bind_vars, query_id, limit, explain, profile } = body.0;
        let query_id = query_id.unwrap_or_else(|| secrets::random(ID_LETTERS));
        if query_id == SCHEMA {
            return Err(Error::invalid(&["body", "query_id"], "at this name's path stands another operation"));
        }
        let console = &self.0.console;
        let mut turn = console.begin(caller.user_key(), &query_id).map_err(busy)?;
        let asked = async {
            let bind_vars = self.with_users(&query, bind_vars.unwrap_or_default()).await?;
            let question =
                Question { text: &query, bind_vars: &bind_vars, user_key: caller.user_key(), query_id: &query_id };
            if explain {
                let explained = console.explain(question).await?;
                return Ok(AqlAnswer::explained(&query_id, &explained));
            }
            Ok(AqlAnswer::of(&query_id, console.ask(question, limit, profile).await?))
        };
        let answered = tokio::select! {
            answered = asked => answered.map_err(|refusal| refusal::answer(refusal, console.limits()))?,
            () = turn.stopped() => return Err(refusal::stopped()),
        };
        answered.map(RawJson::new)
    }

    /// Stop a query
    ///
    /// One's own; administrators anybody's. 404 when no query of that name runs.
    #[oai(path = "/aql/:query_id", method = "delete", operation_id = "stop_aql_aql__query_id__delete")]
    async fn stop(
        &self,
        #[oai(scope = "Scope::DataAqlRead")] caller: Caller,
        query_id: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<AqlStopped>> {
        let whose = (!caller.is_administrator()).then(|| caller.user_key());
        if !self.0.console.stop(whose, &query_id).await? {
            return Err(Error::message(StatusCode::NOT_FOUND, format!("No query {} runs", *query_id)));
        }
        Ok(Json(AqlStopped { query_id: query_id.0, stopped: true }))
    }

    /// What can be asked for
    ///
    /// Collections with attributes of a sample of their documents and their indexes, the functions and keywords of AQL, and
    /// the limits of queries.
    #[oai(path = "/aql/schema", method = "get", operation_id = "get_aql_schema_aql_schema_get")]
    async fn schema(&self, #[oai(scope = "Scope::DataAqlRead")] _caller: Caller) -> Result<Json<AqlSchema>> {
        let console = &self.0.console;
        let found = console.structure().await.map_err(|refusal| refusal::answer(refusal, console.limits()))?;
        Ok(Json(AqlSchema::new(found, console.limits())))
    }
}

impl AqlConsole {
    /// The parameters, with the users where the query asks for them and nobody has given any. Their collection is closed to
    /// it, since it holds hashes of passwords, but names belong to what was recorded.
    async fn with_users(&self, query: &str, mut given: BTreeMap<String, Value>) -> Result<Value, Refusal> {
        let may_ask = query.contains(USERS) && !given.contains_key(&USERS[1..]);
        if may_ask && self.0.console.parameters(query).await?.iter().any(|name| *name == USERS[1..]) {
            let users: Vec<Value> =
                self.0.store.rows(&aql::explorer::PEOPLE, typed::nothing()?).await.map_err(Refusal::Failed)?;
            given.insert(USERS[1..].to_owned(), Value::Array(users));
        }
        Ok(given.into_iter().collect())
    }
}

fn busy(busy: Busy) -> Error {
    match busy {
        Busy::SameName => Error::message(
            StatusCode::CONFLICT,
            "A query of this name runs; wait for it, stop it, or take another name.",
        ),
        Busy::TooMany => {
            let text = "Too many queries run at the moment. Please try again when one of them has ended.";
            Error::message(StatusCode::TOO_MANY_REQUESTS, text)
        }
    }
}
