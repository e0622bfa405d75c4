//! The documents every database starts with, inserted where missing.

use chrono::Utc;
use serde::Serialize;
use serde_json::{Value, json};

use crate::aql::rows::{CounterDocument, FieldDocument, Signature};
use crate::aql::{self, security};
use crate::clock::{self, Zone};
use crate::counters::Frequency;
use crate::settings::{Settings, SettingsError};
use crate::store::{Access, AnyError, Store, StoreError, retry_until_done, typed};
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

/// Inserts what is missing and, into a database without users, the administrator. It looks first and writes only then: what
/// others hold is waited for where there is something to write.
pub async fn create(store: &Store, settings: &Settings) -> Result<Option<Administrator>, AnyError> {
    for (collection, documents) in documents(&settings.time_zone())? {
        insert_missing(store, collection, documents).await?;
    }
    if !aql::schema::has_site_queue(store).await? {
        let access = Access::of(&[aql::schema::ENSURE_SITE_QUEUE]).one_by_one(&["Queue"]);
        let ensure = async || transaction!(store, access.clone(), |trx| { aql::schema::ensure_site_queue(trx).await });
        retry_until_done("the site queue", ensure).await?;
    }
    if aql::schema::has_unnamed_pictures(store).await? {
        let access = Access::of(&[aql::schema::NAME_PICTURES]);
        let name = async || transaction!(store, access.clone(), |trx| { aql::schema::name_pictures(trx).await });
        retry_until_done("the names of pictures", name).await?;
    }
    hash_signatures(store).await?;
    create_administrator(store, settings.admin_password.as_deref()).await
}

/// Inserts those of the documents that do not exist.
async fn insert_missing(store: &Store, collection: &'static str, documents: Vec<Value>) -> Result<(), AnyError> {
    let keys: Vec<&Value> = documents.iter().map(|document| &document["_key"]).collect();
    let params = json!({"@collection": collection, "keys": keys});
    let missing: Vec<Value> = store.rows(&aql::reference::UNKNOWN, params).await?;
    if missing.is_empty() {
        return Ok(());
    }
    let documents: Vec<Value> = documents.into_iter().filter(|document| missing.contains(&document["_key"])).collect();
    let access = Access::of(&[aql::schema::INSERT_MISSING]).writing(&[collection]);
    let insert = async || {
        transaction!(store, access.clone(), |trx| {
            let params = aql::schema::insert_missing::Params { collection, documents: &documents };
            aql::schema::insert_missing(trx, params).await
        })
    };
    Ok(retry_until_done(&format!("the first documents of {collection}"), insert).await?)
}

/// Of the tokens of an earlier version only hashes are kept from now on. `SHA256()` of AQL is newer than what a server may be.
async fn hash_signatures(store: &Store) -> Result<(), AnyError> {
    loop {
        let plain = security::plain_signatures(store, security::plain_signatures::Params { limit: PORTION }).await?;
        if plain.is_empty() {
            return Ok(());
        }
        let hashed =
            |Signature { key, signature }| Signature { key, signature: auth::token::kept_signature(&signature) };
        let kept: Vec<Signature> = plain.into_iter().map(hashed).collect();
        let access = Access::of(&[security::KEEP_SIGNATURES]);
        let keep = async || {
            transaction!(store, access.clone(), |trx| {
                security::keep_signatures(trx, security::keep_signatures::Params { kept: &kept }).await
            })
        };
        retry_until_done("the signatures of tokens", keep).await?;
    }
}

/// Records of tokens that are changed at once.
const PORTION: usize = 1_000;

async fn create_administrator(store: &Store, given: Option<&str>) -> Result<Option<Administrator>, AnyError> {
    if aql::schema::has_users(store).await? {
        return Ok(None);
    }
    if let Some(mistake) = given.and_then(auth::password::mistake) {
        return Err(SettingsError::Value { key: "admin_password", reason: mistake }.into());
    }
    let one_time_password = given.is_none().then(secrets::one_time_password);
    let password = given.or(one_time_password.as_deref()).unwrap_or_default().to_owned();
    let psw_hash = auth::password::hash(password).await?;
    let user = typed::bound(&NewAdministrator {
        username: USERNAME,
        name: "Utente",
        surname: "Amministratore",
        active: true,
        psw_hash,
        scope: "admin production library operator quality warehouse task traceability reporting",
        site_key: "0",
        reset_password: given.is_none(),
        created_at: clock::now(),
        trash: false,
    })?;
    let access = Access::of(&[aql::schema::HAS_USERS, aql::schema::INSERT_USER]).one_by_one(&["User"]);
    let create = async || {
        transaction!(store, access.clone(), |trx| {
            if aql::schema::has_users(trx).await? {
                return Ok(false);
            }
            aql::schema::insert_user(trx, aql::schema::insert_user::Params { user: &user }).await?;
            Ok(true)
        })
    };
    let created = retry_until_done("the administrator", create).await?;
    Ok(created.then_some(Administrator { username: USERNAME, one_time_password }))
}

const USERNAME: &str = "cadmin";

/// The administrator as it is stored.
#[derive(Serialize)]
struct NewAdministrator {
    username: &'static str,
    name: &'static str,
    surname: &'static str,
    active: bool,
    psw_hash: String,
    scope: &'static str,
    site_key: &'static str,
    reset_password: bool,
    created_at: String,
    trash: bool,
}

fn documents(zone: &Zone) -> Result<[(&'static str, Vec<Value>); 4], StoreError> {
    let counter = CounterDocument {
        key: Some("default".into()),
        name: Some("default".to_owned()),
        next_tick: Some(1),
        template: vec!["%y".to_owned(), "#6".to_owned()],
        frequency: Some("year".to_owned()),
        reset_date: Frequency::Year.next_start(Utc::now(), zone).map(clock::stored),
    };
    let separator = FieldDocument {
        key: Some("separator".to_owned()),
        name: "Separator".to_owned(),
        r#type: "separator".into(),
        default_label: None,
        default_hint: None,
    };
    let positions = [position("IN", true), position("OUT", false)];
    Ok([
        ("Config", config()?),
        ("Counter", vec![typed::bound(&counter)?]),
        ("CustomField", vec![typed::bound(&separator)?]),
        ("Position", positions.iter().map(typed::bound).collect::<Result<_, _>>()?),
    ])
}

/// An entry of the configuration.
#[derive(Serialize)]
struct Entry {
    #[serde(rename = "_key")]
    key: &'static str,
    #[serde(flatten)]
    content: Content,
}

/// What an entry holds: a value, or members of its own.
#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Value {
        value: Value,
    },
    Operations {
        parallel_job_allowed: bool,
        display_job_timer: bool,
        step_check: bool,
        step_check_force_order: bool,
        production_batch_qt: i64,
        max_offline: i64,
        std_processing_time: i64,
    },
    Counters {
        work_orders: &'static str,
        warehouse_missions: &'static str,
        counting_sessions: &'static str,
        positions: &'static str,
        tasks: &'static str,
    },
}

fn config() -> Result<Vec<Value>, StoreError> {
    let entry = |key, value: Value| Entry { key, content: Content::Value { value } };
    let operations = Content::Operations {
        parallel_job_allowed: true,
        display_job_timer: false,
        step_check: false,
        step_check_force_order: false,
        production_batch_qt: 1,
        max_offline: 300,
        std_processing_time: 60,
    };
    let counters = Content::Counters {
        work_orders: "default",
        warehouse_missions: "default",
        counting_sessions: "default",
        positions: "default",
        tasks: "default",
    };
    let entries = [
        entry("company_logo", Value::Null),
        entry("company_name", "PROGRESS PLATFORM".into()),
        Entry { key: "default_operation_parameters", content: operations },
        entry("show_unassigned_jobs_to_operators", true.into()),
        entry("allow_independent_reordering_of_job_queues", false.into()),
        entry("allow_serial_delete", true.into()),
        entry("enable_inventory_management", false.into()),
        entry("default_production_position", "IN".into()),
        entry("default_consumption_position", "IN".into()),
        entry("operator_cost", 25.into()),
        Entry { key: "system_counters", content: counters },
    ];
    entries.iter().map(typed::bound).collect()
}

/// A position that every database has.
#[derive(Serialize)]
struct Fixed {
    #[serde(rename = "_key")]
    key: &'static str,
    code: &'static str,
    owned: bool,
    available: bool,
    disposable: bool,
    fixed: bool,
    deleted: bool,
    created: String,
    /// Nothing.
    extra: (),
}

fn position(key: &'static str, own: bool) -> Fixed {
    Fixed {
        key,
        code: key,
        owned: own,
        available: own,
        disposable: false,
        fixed: true,
        deleted: false,
        created: clock::now(),
        extra: (),
    }
}
