//! Wiping data.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use serde_json::{Map, Value};

use super::filters::ALL_ROWS;
use super::{Area, Envelope};
use crate::app::App;
use crate::aql::{self, administration};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::media;
use crate::openapi::Fails;
use crate::store::{Access, Reserved, held};
use crate::transaction;

/// What production and traceability write, but for the queues: what refers to others before what it refers to, so that a
/// reset that is interrupted leaves documents without links rather than links without documents.
const PRODUCTION: &[&str] = &[
    "batch_serial",
    "contains",
    "wip",
    "issue_rel",
    "message",
    "Event",
    "StepExecutionData",
    "WorkSession",
    "Issue",
    "Batch",
    "Job",
    "WorkOrder",
    "Serial",
];

/// The queues of production, which refer to all of it and go first. They are few.
const QUEUE: &str = "Queue";

/// The journal of the warehouse.
const JOURNAL: &[&str] = &["movement", "MovementList"];

/// Stock, and how positions lie in each other.
const STOCK: &str = "is_in_position";

/// Documents that one transaction removes. What a server keeps for a transaction is limited: these stay below 64 MB as long as
/// a document has no more than 32 kB.
const PORTION: i64 = 2_000;

/// Folders below the media root whose files belong to production data.
const PRODUCTION_FOLDERS: [&str; 3] = ["serial", "traceability", "issue"];

/// Links that a forced delete looks at for lost ends, and whether both ends count.
const SWEPT: [(&str, bool); 2] = [("batch_serial", true), ("contains", false)];

/// Wiping data.
pub struct Administration(pub Arc<App>);

#[OpenApi(tag = "Area::Administration")]
impl Administration {
    /// Wipe production and traceability data
    ///
    /// Irreversible. Work orders, jobs, batches, serials, events, issues and what links them go, with their attachments;
    /// the queues are reduced to an empty site queue. They go in portions, each as a whole: a reset that is interrupted
    /// can be run again.
    #[oai(
        path = "/reset/prod",
        method = "delete",
        operation_id = "reset_production_and_traceability_data_reset_prod_delete"
    )]
    async fn reset_production(
        &self,
        #[oai(scope = "Scope::AdminOperationResetProd")] caller: Caller,
    ) -> Result<Json<Envelope>> {
        let written = Access::default().in_turn(PRODUCTION).one_by_one(&[QUEUE]);
        let reserved = self.0.store.reserve(&written).await?;
        let access = Access::of(&[aql::schema::ENSURE_SITE_QUEUE]).one_by_one(&[QUEUE]);
        let wiped = self.counts(PRODUCTION).await?;
        transaction!(reserved.acting(caller.actor()), access, |trx| {
            trx.replaced(None, "documents", wiped.clone(), Value::Null);
            let all = administration::empty_collection::Params { collection: QUEUE, limit: ALL_ROWS };
            administration::empty_collection(trx, all).await?;
            aql::schema::ensure_site_queue(trx).await
        })?;
        for collection in PRODUCTION {
            remove_all(&reserved, collection).await?;
        }
        drop(reserved);
        self.remove_production_folders().await?;
        Ok(Json(Envelope::message("Reset of Production and Traceability data successful")))
    }

    /// Wipe movements, lists and stock
    ///
    /// Irreversible. Positions and counts stay. What goes does so in portions, each as a whole: a reset that is interrupted
    /// can be run again.
    #[oai(path = "/reset/inventory", method = "delete", operation_id = "reset_warehouse_data_reset_inventory_delete")]
    async fn reset_inventory(
        &self,
        #[oai(scope = "Scope::AdminOperationResetInventory")] caller: Caller,
    ) -> Result<Json<Envelope>> {
        let reserved = self.0.store.reserve(&Access::default().in_turn(JOURNAL).in_turn(&[STOCK])).await?;
        let wiped = self.counts(JOURNAL).await?;
        // What is done to stock in several transactions is told before the first.
        transaction!(reserved.acting(caller.actor()), Access::default(), |trx| {
            trx.replaced(None, "documents", wiped.clone(), Value::Null);
            Ok(())
        })?;
        for collection in JOURNAL {
            remove_all(&reserved, collection).await?;
        }
        remove_all(&reserved, STOCK).await?;
        Ok(Json(Envelope::message("Reset of inventory data successful")))
    }

    /// Delete a work order with all its data
    ///
    /// Irreversible: its jobs, batches, step data, work sessions, events and links go, and it leaves
    /// the queues. Its serials stay, and so do the issues that were linked to it. Links of batches and components that
    /// had lost an end before go too, so all of them are looked at.
    #[oai(
        path = "/force-delete-work-order/:work_order_key",
        method = "delete",
        operation_id = "force_delete_work_order_data_force_delete_work_order__work_order_key__delete"
    )]
    async fn force_delete_work_order(
        &self,
        #[oai(scope = "Scope::AdminOperationForceDeleteWorkOrder")] caller: Caller,
        work_order_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let not_found = || Error::not_found("Work order key could not be found in the database");
        let key = &*work_order_key;
        let access = Access::of(&[
            administration::REMOVE_WORK_ORDER,
            administration::REMOVE_WORK_ORDER_LINKS,
            administration::CUT_EVENT_SOURCES,
            administration::DEQUEUE_WORK_ORDER,
            administration::SWEEP_LINKS,
        ])
        .writing(&SWEPT.map(|(links, _)| links))
        .exclusive(&held::WORK_ORDER)
        .one_by_one(&[QUEUE]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("WorkOrder", [key]).await?;
            let params = administration::remove_work_order::Params { work_order_key: key };
            let removed = administration::remove_work_order(trx, params).await?;
            let administration::remove_work_order::Row { found, job_keys, batch_ids, event_ids } = removed;
            if !found {
                return Err(not_found());
            }
            let wiped = [("Batch", batch_ids.len()), ("Event", event_ids.len()), ("Job", job_keys.len())];
            let wiped = Value::from_iter(wiped);
            trx.replaced(Some(format!("WorkOrder/{key}")), "documents", wiped, Value::Null);
            let params = administration::remove_work_order_links::Params {
                work_order_key: key,
                job_keys: (&job_keys).into(),
                batch_ids: (&batch_ids).into(),
            };
            administration::remove_work_order_links(trx, params).await?;
            // What is left of their groups is not mistaken for a journal that has lost something.
            let params = administration::cut_event_sources::Params { event_ids: (&event_ids).into() };
            administration::cut_event_sources(trx, params).await?;
            let params =
                administration::dequeue_work_order::Params { work_order_key: key, job_keys: (&job_keys).into() };
            administration::dequeue_work_order(trx, params).await?;
            for (links, both_ends) in SWEPT {
                administration::sweep_links(trx, administration::sweep_links::Params { links, both_ends }).await?;
            }
            Ok(())
        })?;
        Ok(Json(Envelope::message(format!("All data related to WorkOrder {key} has been deleted."))))
    }
}

/// Removes what a reset removes of a collection in portions, each as a transaction of its own, until nothing is left.
async fn remove_all(reserved: &Reserved<'_>, collection: &str) -> Result<()> {
    let limit = PORTION;
    loop {
        let access = Access::default().in_turn(&[collection]);
        let removed = transaction!(reserved, access, |trx| {
            if collection == STOCK {
                administration::remove_stock(trx, administration::remove_stock::Params { limit }).await
            } else {
                let params = administration::empty_collection::Params { collection, limit };
                administration::empty_collection(trx, params).await
            }
        })?;
        if (removed.len() as i64) < PORTION {
            return Ok(());
        }
    }
}

impl Administration {
    /// How many documents collections hold.
    async fn counts(&self, collections: &[&str]) -> Result<Value> {
        let mut counts = Map::new();
        for collection in collections {
            counts.insert((*collection).to_owned(), self.0.store.count(collection).await?.into());
        }
        Ok(counts.into())
    }

    /// Removes what can be removed, then reports the first failure.
    async fn remove_production_folders(&self) -> Result<()> {
        let root = self.0.settings.media_root();
        let mut outcome = Ok(());
        for folder in PRODUCTION_FOLDERS {
            outcome = outcome.and(media::remove_folder(&root.join(folder)).await);
        }
        outcome.map_err(|cause| {
            let message = "The production data has been reset, but not all of its attachments could be removed.";
            Error::internal(message, cause)
        })
    }
}
