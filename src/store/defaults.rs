//! The documents every database starts with, inserted where missing.

use chrono::Utc;
use serde_json::{Value, json};

use super::{Access, AnyError, Store};
use crate::aql;
use crate::clock::{self, Zone};
use crate::counters::Frequency;
use crate::settings::{Settings, SettingsError};
use crate::{auth, secrets, transaction};

/// The administrator a first start has created.
#[derive(Debug)]
pub struct Administrator {
    /// The name to log in with.
    pub username: &'static str,
    /// The generated one-time password; `None` when the settings gave one.
    pub one_time_password: Option<String>,
}

impl Administrator {
    /// Prints the generated password: the one moment at which it is shown.
    pub fn announce(&self) {
        if let Some(password) = &self.one_time_password {
            println!("Administrator `{}` created. One-time password: {password}", self.username);
        }
    }
}

/// Inserts what is missing and, into a database without users, the administrator.
pub(super) async fn create(store: &Store, settings: &Settings) -> Result<Option<Administrator>, AnyError> {
    for (collection, documents) in documents(&settings.time_zone()) {
        let access = Access::of(&[aql::schema::INSERT_MISSING]).writing(&[collection]);
        let params = json!({"@collection": collection, "documents": documents});
        transaction!(store, access, |trx| { trx.run(&aql::schema::INSERT_MISSING, params.clone()).await })?;
    }
    let access = Access::of(&[aql::schema::ENSURE_SITE_QUEUE]).exclusive(&["Queue"]);
    transaction!(store, access, |trx| { trx.run(&aql::schema::ENSURE_SITE_QUEUE, json!({})).await })?;
    let access = Access::of(&[aql::schema::NAME_PICTURES]);
    transaction!(store, access, |trx| { trx.run(&aql::schema::NAME_PICTURES, json!({})).await })?;
    hash_signatures(store).await?;
    create_administrator(store, settings.admin_password.as_deref()).await
}

/// Of the tokens of an earlier version only hashes are kept from now on.
async fn hash_signatures(store: &Store) -> Result<(), AnyError> {
    if store.row(&aql::security::HAS_PLAIN_SIGNATURES, json!({})).await? == Some(true) {
        let access = Access::of(&[aql::security::HASH_SIGNATURES]);
        transaction!(store, access, |trx| { trx.run(&aql::security::HASH_SIGNATURES, json!({})).await })?;
    }
    Ok(())
}

async fn create_administrator(store: &Store, given: Option<&str>) -> Result<Option<Administrator>, AnyError> {
    if store.row(&aql::schema::HAS_USERS, json!({})).await? == Some(true) {
        return Ok(None);
    }
    if let Some(mistake) = given.and_then(auth::password::mistake) {
        return Err(SettingsError::Value { key: "admin_password", reason: mistake }.into());
    }
    let one_time_password = given.is_none().then(secrets::one_time_password);
    let password = given.or(one_time_password.as_deref()).unwrap_or_default().to_owned();
    let psw_hash = auth::password::hash(password).await?;
    let user = json!({
        "username": USERNAME, "name": "Utente", "surname": "Amministratore", "active": true, "psw_hash": psw_hash,
        "scope": "admin production library operator quality warehouse task traceability reporting",
        "site_key": "0", "reset_password": given.is_none(), "created_at": clock::now(), "trash": false,
    });
    let access = Access::of(&[aql::schema::HAS_USERS, aql::schema::INSERT_USER]).exclusive(&["User"]);
    let created = transaction!(store, access, |trx| {
        if trx.row(&aql::schema::HAS_USERS, json!({})).await? == Some(true) {
            return Ok(false);
        }
        trx.run(&aql::schema::INSERT_USER, json!({"user": user})).await?;
        Ok(true)
    })?;
    Ok(created.then_some(Administrator { username: USERNAME, one_time_password }))
}

const USERNAME: &str = "cadmin";

fn documents(zone: &Zone) -> [(&'static str, Value); 4] {
    [
        ("Config", config()),
        (
            "Counter",
            json!([{
                "_key": "default", "name": "default", "next_tick": 1, "template": ["%y", "#6"], "frequency": "year",
                "reset_date": Frequency::Year.next_start(Utc::now(), zone).map(clock::stored),
            }]),
        ),
        (
            "CustomField",
            json!([{
                "_key": "separator", "name": "Separator", "type": "separator", "default_label": null,
                "default_hint": null,
            }]),
        ),
        ("Position", json!([position("IN", true), position("OUT", false)])),
    ]
}

fn config() -> Value {
    json!([
        {"_key": "company_logo", "value": null},
        {"_key": "company_name", "value": "PROGRESS PLATFORM"},
        {
            "_key": "default_operation_parameters", "parallel_job_allowed": true, "display_job_timer": false,
            "step_check": false, "step_check_force_order": false, "production_batch_qt": 1, "max_offline": 300,
            "std_processing_time": 60,
        },
        {"_key": "show_unassigned_jobs_to_operators", "value": true},
        {"_key": "allow_independent_reordering_of_job_queues", "value": false},
        {"_key": "allow_serial_delete", "value": true},
        {"_key": "enable_inventory_management", "value": false},
        {"_key": "default_production_position", "value": "IN"},
        {"_key": "default_consumption_position", "value": "IN"},
        {"_key": "operator_cost", "value": 25},
        {
            "_key": "system_counters", "work_orders": "default", "warehouse_missions": "default",
            "counting_sessions": "default", "positions": "default", "tasks": "default",
        },
    ])
}

fn position(key: &str, own: bool) -> Value {
    json!({
        "_key": key, "code": key, "owned": own, "available": own, "disposable": false, "fixed": true,
        "deleted": false, "created": clock::now(), "extra": null,
    })
}
