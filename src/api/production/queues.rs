//! Queues: the order in which work orders and jobs are to be done.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Deserialize;
use serde_json::Value;

use super::journal;
use super::model::{WorkOrder, in_order, key_of, whole_order};
use crate::api::found::not_found;
use crate::api::{Answer, Area, Envelope};
use crate::app::App;
use crate::aql::production::queue_target::{self, Row as Target};
use crate::aql::production::{self as stored, QUEUE_BY_KEY, QUEUE_TARGET};
use crate::auth::{Caller, OrOwnUser, Scope};
use crate::error::{Error, Result};
use crate::events::Call;
use crate::openapi::{AsStored, Fails, Many, Query};
use crate::production::part;
use crate::production::queues::{self, Changes, SITE};
use crate::store::{Access, Transaction};
use crate::{events, transaction};

/// Queues.
pub struct Queues(pub Arc<App>);

/// Whose queue it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum QueueType {
    /// Of an operator: jobs.
    O,
    /// Of equipment: jobs.
    E,
    /// Of the site: work orders.
    S,
}

impl QueueType {
    /// As queues are stored.
    fn name(self) -> &'static str {
        match self {
            Self::O => "o",
            Self::E => "e",
            Self::S => "s",
        }
    }
}

/// A queue. What is not sent stays.
#[derive(Debug, Object)]
#[oai(rename = "Queue")]
struct QueueRecord {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    #[oai(rename = "type")]
    kind: QueueType,
    #[oai(default = "only_site")]
    site_key: Option<String>,
    /// The operator or equipment.
    subqueue_target_key: Option<String>,
    /// Keys of work orders, in order.
    work_orders: Option<Many<String>>,
    /// Keys of jobs, in order.
    jobs: Option<Many<String>>,
    /// Whether it does not follow the site queue.
    independent: Option<bool>,
}

fn only_site() -> Option<String> {
    Some(SITE.to_owned())
}

/// What changes of an operator's queue.
#[derive(Debug, Object)]
struct OperatorQueueUpdateInput {
    /// Keys of jobs, in order.
    jobs: Option<Many<String>>,
    /// Whether it does not follow the site queue.
    independent: Option<bool>,
}

/// A work order in the site queue.
#[derive(Debug, Object)]
struct QueuedWorkOrder {
    #[oai(flatten)]
    order: WorkOrder,
    /// Pieces that are not completed.
    qt_remaining: f64,
    /// Issues that are linked to it.
    issue_count: i64,
}

/// What is looked at of a stored queue.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Lists {
    work_orders: Value,
    jobs: Value,
}

/// A wish for a queue.
#[derive(Debug, Clone, Copy)]
struct Wish<'a> {
    kind: QueueType,
    site_key: &'a str,
    target_key: Option<&'a str>,
    work_orders: Option<&'a [String]>,
    jobs: Option<&'a [String]>,
    independent: Option<bool>,
}

#[OpenApi(tag = "Area::Production")]
impl Queues {
    /// Work-order queue of a site
    ///
    /// In its order. A site that is not known has none.
    #[oai(path = "/queue/site/:site_key", method = "get", operation_id = "get_site_queue_queue_site__site_key__get")]
    async fn site(
        &self,
        #[oai(scope = "Scope::ProductionQueueRead")] _caller: Caller,
        site_key: Path<String>,
    ) -> Result<Json<Answer<AsStored<Vec<QueuedWorkOrder>>>>> {
        let row = stored::site_queue(&self.0.store, stored::site_queue::Params { site_key: &site_key }).await?;
        let orders: Vec<Value> = in_order(&row.keys, row.orders).into_iter().map(whole_order).collect();
        Ok(Json(Answer::detail(AsStored::new(orders.into()))))
    }

    /// Change the order of a queue
    ///
    /// A list is a wish: what is unknown, closed or somebody else's is dropped, and what is open and missing stays behind it.
    /// Queues of operators follow the site queue unless they are independent.
    #[oai(path = "/queue", method = "put", operation_id = "update_queue_queue_put")]
    async fn change(
        &self,
        #[oai(scope = "Scope::ProductionQueueUpdate")] caller: Caller,
        body: Json<QueueRecord>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        let queue = body.0;
        if queue.kind != QueueType::S && queue.subqueue_target_key.is_none() {
            return Err(Error::invalid(
                &["body", "subqueue_target_key"],
                "a queue of an operator or equipment needs it",
            ));
        }
        let wish = Wish {
            kind: queue.kind,
            site_key: queue.site_key.as_deref().unwrap_or(SITE),
            target_key: queue.subqueue_target_key.as_deref().filter(|_| queue.kind != QueueType::S),
            work_orders: queue.work_orders.as_ref().map(|orders| orders.as_slice()),
            jobs: queue.jobs.as_ref().map(|jobs| jobs.as_slice()),
            independent: queue.independent,
        };
        transaction!(self.0.store, access(), |trx| {
            let target = wish.target(trx).await?;
            let is_site = wish.kind == QueueType::S && wish.site_key == SITE;
            if target.queue.is_null() && !is_site {
                return Err(Error::message(StatusCode::NOT_FOUND, "There is no such queue."));
            }
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            wish.make(&mut call, target).await?;
            call.write(None).await
        })?;
        Ok(Json(Envelope::detail("Queue updated".into())))
    }

    /// Change the job queue of an operator
    ///
    /// As under `PUT /queue`; a queue that is missing is created. Operators may sort their own.
    #[oai(
        path = "/queue/operator/:operator_key",
        method = "put",
        operation_id = "update_operator_queue_queue_operator__operator_key__put"
    )]
    async fn change_operator(
        &self,
        #[oai(scope = "Scope::ProductionQueueUpdate")] caller: OrOwnUser,
        operator_key: Path<String>,
        site_key: Query<Option<String>>,
        body: Json<OperatorQueueUpdateInput>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<AsStored<QueueRecord>>>> {
        if caller.require(Scope::ProductionQueueUpdate).is_err() {
            caller.require(Scope::ProductionJobUpdate)?;
        }
        let wish = Wish {
            kind: QueueType::O,
            site_key: site_key.as_deref().unwrap_or(SITE),
            target_key: Some(operator_key.as_str()),
            work_orders: None,
            jobs: body.jobs.as_ref().map(|jobs| jobs.as_slice()),
            independent: body.independent,
        };
        let queue: Value = transaction!(self.0.store, access(), |trx| {
            let target = wish.target(trx).await?;
            if !target.is_user {
                return Err(not_found("User", &operator_key));
            }
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            let queue = wish.make(&mut call, target).await?;
            call.write(None).await.map(|()| queue)
        })?;
        Ok(Json(Answer::detail(AsStored::new(queue)).with_message("Queue updated")))
    }
}

/// What changes of queues read and write: two at once come one after the other, and one of another process begins again.
fn access() -> Access<'static> {
    let own = [QUEUE_TARGET, QUEUE_BY_KEY];
    Access::of(&own).and(&queues::QUERIES).and(&events::QUERIES).in_turn(&["Queue"])
}

impl Wish<'_> {
    async fn target(&self, trx: &Transaction) -> Result<Target> {
        let params = queue_target::Params {
            r#type: self.kind.name(),
            site_key: self.site_key,
            target_key: self.target_key,
            order_keys: self.work_orders.map(Into::into),
            job_keys: self.jobs.map(Into::into),
        };
        stored::queue_target(trx, params).await
    }

    /// Stores the wish and everything that follows from it, and gives the queue as it is then.
    async fn make(&self, call: &mut Call<'_>, target: Target) -> Result<Value> {
        let trx = call.trx;
        if self.independent == Some(true) && !target.allows_independence {
            let text = "The configuration does not allow queues that are sorted apart from the site queue.";
            return Err(Error::message(StatusCode::CONFLICT, text));
        }
        let mut queue = if target.queue.is_null() { self.new_queue()? } else { target.queue };
        let lists: Lists = part(&queue);
        let mut changed = Vec::new();
        if let Some(independent) = self.independent {
            changed.push(("independent", Value::from(independent)));
        }
        let mut changes = Changes::default();
        if let (Some(wish), QueueType::O | QueueType::E) = (self.jobs, self.kind) {
            changed.push(("jobs", queues::wished(wish, &queues::keys(&lists.jobs), &target.open_jobs).into()));
        }
        if let (Some(wish), QueueType::S) = (self.work_orders, self.kind) {
            let orders = queues::wished(wish, &queues::keys(&lists.work_orders), &target.open_orders);
            changed.push(("work_orders", orders.into()));
        }
        if self.kind == QueueType::S {
            changes.follow_site();
        }
        if let Some(members) = queue.as_object_mut() {
            members.extend(changed.into_iter().map(|(name, value)| (name.to_owned(), value)));
            members.retain(|name, _| !matches!(name.as_str(), "_id" | "_rev"));
        }
        let missing = || Error::internal("The queue could not be stored.", "no row");
        let written = queues::put(trx, &[queue]).await?.into_iter().next().ok_or_else(missing)?;
        let is_touched = self.jobs.is_some() || self.independent.is_some();
        if let (QueueType::O, true, Some(target_key)) = (self.kind, is_touched, self.target_key) {
            changes.sort_again(target_key);
        }
        changes.apply(trx).await?;
        let key = key_of(&written);
        journal::queue_updated(call, Some(key), None)?;
        stored::queue_by_key(trx, stored::queue_by_key::Params { queue_key: key }).await?.ok_or_else(missing)
    }

    fn new_queue(&self) -> Result<Value> {
        match (self.kind, self.target_key) {
            (QueueType::S, _) => queues::new_site_queue(),
            (_, key) => queues::new_queue(key.unwrap_or_default(), &[], false),
        }
    }
}
