//! The journal of events: posting what happened, and reading it.

mod body;
mod schemas;
mod search;

use std::sync::Arc;

use poem::http::HeaderValue;
use poem_openapi::OpenApi;
use poem_openapi::payload::{Json, Response};
use serde::Deserialize;
use serde_json::Value;

use self::body::BulkBody;
use self::schemas::PostedEvent;
use self::search::{EventPage, Filters, Order};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{ByFilter, Caller, Scope};
use crate::error::Result;
use crate::events::{Answered, EventType, post_many, post_one};
use crate::openapi::{Fails, Query};
use tracewright_model::Moment;

/// The journal of events.
pub struct Events(pub Arc<App>);

#[OpenApi(tag = "Area::Traceability")]
impl Events {
    /// Record an event
    ///
    /// The members depend on the type: `Event_<TYPE>`. An event that is sent again under the same `event_key` is answered as
    /// the first time and not recorded again.
    #[oai(path = "/event", method = "post", operation_id = "record_event_event_post")]
    async fn record(
        &self,
        #[oai(scope = "Scope::TraceabilityEventCreate")] caller: Caller,
        body: Json<PostedEvent>,
        _fails: Fails<409, 422>,
    ) -> Result<Response<Json<Envelope>>> {
        Ok(answer(post_one(&self.0.recorder, &caller, body.0.0.posted()?).await?))
    }

    /// Record events of one type, all or none
    ///
    /// What stands in a row wins over `shared_data`. The first row that is refused undoes all of them.
    #[oai(path = "/event/bulk", method = "post", operation_id = "record_events_bulk_event_bulk_post")]
    async fn record_many(
        &self,
        #[oai(scope = "Scope::TraceabilityEventCreate")] caller: Caller,
        body: Json<BulkBody>,
        _fails: Fails<409, 422>,
    ) -> Result<Response<Json<Envelope>>> {
        Ok(answer(post_many(&self.0.recorder, &caller, body.0.posted()?).await?))
    }

    /// Search the event log
    ///
    /// All given conditions must hold. With a task, issue or serial the scope to read that is enough. `X-Next-Offset` says
    /// where the next page begins, when there is one.
    #[oai(path = "/event", method = "get", operation_id = "get_events_event_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::TraceabilityEventRead")] caller: ByFilter,
        issue_key: Query<Option<String>>,
        serial_key: Query<Option<String>>,
        job_key: Query<Option<String>>,
        work_order_key: Query<Option<String>>,
        task_key: Query<Option<String>>,
        batch_key: Query<Option<String>>,
        product_key: Query<Option<String>>,
        user_key: Query<Option<String>>,
        event_group: Query<Option<String>>,
        time_from: Query<Option<Moment>>,
        time_to: Query<Option<Moment>>,
        context_type: Query<Option<search::EventContextType>>,
        context_key: Query<Option<String>>,
        #[oai(name = "type")] types: Query<Option<Vec<EventType>>>,
        primary: Query<Option<bool>>,
        #[oai(default)] order: Query<Order>,
        #[oai(default = "search::page_size", validator(minimum(value = "0"), maximum(value = "10000")))] limit: Query<
            i64,
        >,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<EventPage> {
        let filters = Filters {
            issue_key: issue_key.0,
            serial_key: serial_key.0,
            job_key: job_key.0,
            work_order_key: work_order_key.0,
            task_key: task_key.0,
            batch_key: batch_key.0,
            product_key: product_key.0,
            user_key: user_key.0,
            event_group: event_group.0,
            time_from: time_from.0.map(|time| time.0),
            time_to: time_to.0.map(|time| time.0),
            context_type: context_type.0,
            context_key: context_key.0,
            types: types.0,
            primary: primary.0,
        };
        filters.must_be_allowed(&caller)?;
        filters.page(&self.0.store, *order, *limit, *offset).await
    }
}

/// What is told again as it was told the first time.
#[derive(Default, Deserialize)]
struct RecordedAnswer {
    message: Option<String>,
    detail: Option<Value>,
}

fn answer(answered: Answered) -> Response<Json<Envelope>> {
    let Answered { body, key, group, is_repeated } = answered;
    let RecordedAnswer { message, detail } = RecordedAnswer::deserialize(body).unwrap_or_default();
    let envelope = Envelope { status: 200, message, detail };
    let mut response = Response::new(Json(envelope)).header("X-Event-Group", group);
    if let Some(key) = key {
        response = response.header("X-Event-Key", key);
    }
    if is_repeated {
        response = response.header("X-Event-Repeated", HeaderValue::from_static("true"));
    }
    response
}
