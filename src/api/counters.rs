//! Counters: how codes are made.

use std::sync::Arc;

use chrono::Utc;
use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::found::{no_mistakes, not_found, same_key};
use super::revision::IfMatch;
use super::setup::Create;
use super::{Area, Envelope};
use crate::app::App;
use crate::aql::counters as stored;
use crate::aql::counters::{INSERT, NAME_TAKEN, REMOVE, REPLACE, STORED, USES};
use crate::aql::rows::CounterDocument;
use crate::auth::{Caller, Scope};
use crate::counters::{Frequency, mistakes};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{Fails, Name, Query};
use crate::store::{Access, Transaction, held};
use crate::{clock, transaction};
use tracewright_model::Moment;
use tracewright_model::{Key, collection};

/// Counters.
pub struct Counters(pub Arc<App>);

/// How codes are made: a number that counts up, and what stands around it.
#[derive(Debug, Deserialize, Object)]
pub(crate) struct Counter {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    /// Compared only when `next_tick` is lower than the stored one.
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    /// Unique when it is not empty, whatever its case.
    #[oai(default = "no_name")]
    name: Option<Name>,
    /// The number of the next code.
    #[oai(default = "first_tick", validator(minimum(value = "0")))]
    next_tick: Option<i64>,
    /// What a code is made of: dates of the site (`%Y %y %G %g %m %d %j %V %U %W %u %H %M %S`), the number with zeros
    /// before it up to N digits (`#N`), and texts.
    #[oai(default, validator(max_items = 32))]
    template: Vec<String>,
    /// When counting begins anew with 1; with `none` or without it, never. The template must tell the periods apart.
    #[oai(validator(pattern = "^(year|month|week|day|none)$"))]
    frequency: Option<String>,
    /// When counting begins anew the next time; by default at the beginning of the next period.
    reset_date: Option<Moment>,
}

fn no_name() -> Option<Name> {
    Some(Name::default())
}

fn first_tick() -> Option<i64> {
    Some(1)
}

#[OpenApi(tag = "Area::Traceability")]
impl Counters {
    /// List counters
    ///
    /// In the order of their names. Both parameters match exactly and combine.
    #[oai(path = "/counter", method = "get", operation_id = "fetch_counter_counter_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::TraceabilityCounterRead")] _caller: Caller,
        name: Query<Option<String>>,
        key: Query<Option<Key<collection::Counter>>>,
    ) -> Result<Json<Vec<Counter>>> {
        let params = stored::list::Params { name: name.as_deref(), key: key.as_ref() };
        Ok(Json(stored::list(&self.0.store, params).await?))
    }

    /// Create a counter
    ///
    /// `detail.counter_key` is its key. 409 when another counter has the name.
    #[oai(path = "/counter", method = "post", operation_id = "create_counter_counter_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::TraceabilityCounterWrite")] caller: Caller,
        body: Json<Counter>,
        _fails: Fails<409>,
    ) -> Result<Json<Envelope>> {
        let key = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, None).await
        })?;
        Ok(Json(Envelope::named("counter_key", key).with_message("Counter created successfully")))
    }

    /// Replace a counter
    ///
    /// What is absent gets its default. 409 when another counter has the name, and when the counter was used since the
    /// page read it (`_rev`) and `next_tick` would go back, so that codes would repeat.
    #[oai(
        path = "/counter/:counter_key",
        method = "put",
        operation_id = "replace_field_metadata_counter__counter_key__put"
    )]
    async fn replace(
        &self,
        #[oai(scope = "Scope::TraceabilityCounterWrite")] caller: Caller,
        counter_key: Path<Key<collection::Counter>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Counter>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        let document = body.document(&self.0)?;
        let access = Access::of(&[STORED, NAME_TAKEN, REPLACE]).one_by_one(&["Counter"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let found = stored::stored(trx, stored::stored::Params { key: &counter_key }).await?;
            let found = found.ok_or_else(|| not_found("Counter", &counter_key))?;
            same_key(&counter_key, body.key.as_deref())?;
            if_match.check(Some(&found.rev))?;
            refuse_name(trx, document.name.as_deref(), Some(&counter_key)).await?;
            body.must_not_repeat(&found)?;
            trx.watch("Counter", [&*counter_key]).await?;
            stored::replace(trx, stored::replace::Params { key: &counter_key, counter: &document }).await
        })?;
        Ok(Json(Envelope::message("Counter updated successfully")))
    }

    /// Delete an unused counter
    ///
    /// 409 with `code`, and with what uses it: `slots` of the configuration's `system_counters`, products, or serials that
    /// wait for a code of it.
    #[oai(
        path = "/counter/:counter_key",
        method = "delete",
        operation_id = "delete_field_counter__counter_key__delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::TraceabilityCounterWrite")] caller: Caller,
        counter_key: Path<Key<collection::Counter>>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        // Nobody begins to use it before it is gone.
        let access = Access::of(&[STORED, USES, REMOVE]).exclusive(&held::COUNTER);
        let key = &*counter_key;
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let found = stored::stored(trx, stored::stored::Params { key }).await?;
            found.ok_or_else(|| not_found("Counter", key))?;
            refuse_used(stored::uses(trx, stored::uses::Params { key }).await?)?;
            trx.watch("Counter", [key]).await?;
            stored::remove(trx, stored::remove::Params { key }).await
        })?;
        Ok(Json(Envelope::message("Counter successfully deleted")))
    }
}

impl Create for Counter {
    type Stored = String;

    fn access(&self) -> Access<'static> {
        Access::of(&[NAME_TAKEN, INSERT]).one_by_one(&["Counter"])
    }

    async fn create(&self, app: &App, trx: &Transaction, key: Option<&str>) -> Result<String> {
        let document = CounterDocument { key: key.map(Into::into), ..self.document(app)? };
        refuse_name(trx, document.name.as_deref(), None).await?;
        let key = stored::insert(trx, stored::insert::Params { counter: &document }).await?;
        trx.created("Counter", [key.as_str()]);
        Ok(key.into_string())
    }
}

impl Counter {
    /// What is stored of a counter. 422 when its template cannot make codes that differ.
    fn document(&self, app: &App) -> Result<CounterDocument> {
        let frequency = Frequency::parse(self.frequency.as_deref());
        let wrong = mistakes(&self.template, frequency).into_iter().map(|(token, text)| {
            let mut loc: Vec<Value> = vec!["body".into(), "template".into()];
            loc.extend(token.map(Value::from));
            Invalid::new(&loc, "value_error", format!("Value error, {text}"))
        });
        no_mistakes(wrong.collect())?;
        let next_start = || frequency?.next_start(Utc::now(), &app.settings.time_zone()).map(clock::stored);
        let reset_date = self.reset_date.as_ref().map(|date| date.0.clone()).or_else(next_start);
        Ok(CounterDocument {
            key: None,
            name: self.name.as_deref().map(str::to_owned),
            next_tick: self.next_tick,
            template: self.template.clone(),
            frequency: self.frequency.clone(),
            reset_date,
        })
    }

    /// 409 when codes that were drawn since the counter was read would be drawn again.
    fn must_not_repeat(&self, stored: &stored::stored::Row) -> Result<()> {
        let is_old = self.rev.as_ref().is_some_and(|rev| *rev != stored.rev);
        if is_old && self.next_tick.unwrap_or_default() < stored.next_tick {
            let text = format!("The counter has moved on to {} in the meantime; codes would repeat.", stored.next_tick);
            return Err(Error::message(StatusCode::CONFLICT, text));
        }
        Ok(())
    }
}

/// What would miss a counter.
#[derive(Default, Serialize)]
struct InUse {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Vec<stored::uses::Sample>>,
}

/// 409 when something would miss a counter.
fn refuse_used(uses: stored::uses::Row) -> Result<()> {
    let stored::uses::Row { slots, products: stored::uses::Products { total, sample }, serials } = uses;
    let mut detail = InUse::default();
    if !slots.is_empty() {
        detail.code = "counter_in_use_as_system_counter";
        detail.message = format!("The configuration uses the counter for {}.", slots.join(", "));
        detail.slots = Some(slots);
    } else if total > 0 {
        detail.code = "counter_in_use_by_products";
        detail.message = format!("{total} products use the counter.");
        (detail.total, detail.sample) = (Some(total), Some(sample));
    } else if serials > 0 {
        detail.code = "counter_in_use_by_serials";
        detail.message = format!("{serials} serials wait for a code of the counter.");
        detail.total = Some(serials);
    } else {
        return Ok(());
    }
    Err(Error::detailed(StatusCode::CONFLICT, &detail))
}

/// 409 when another counter than `own` has the name: files of imports name counters.
async fn refuse_name(trx: &Transaction, name: Option<&str>, own: Option<&Key<collection::Counter>>) -> Result<()> {
    let name = name.unwrap_or_default();
    if name.is_empty() || !stored::name_taken(trx, stored::name_taken::Params { name, key: own }).await? {
        return Ok(());
    }
    Err(Error::message(StatusCode::CONFLICT, format!("Another counter is called {name}.")))
}
