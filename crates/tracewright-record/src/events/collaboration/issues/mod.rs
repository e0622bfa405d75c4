//! Events of issues, and what they have in common: an issue as it stands, what it is linked to, and the marks that an open
//! critical issue leaves there.

mod closing;
mod created;
mod deleted;
mod links;
mod updated;

use std::collections::{BTreeSet, HashSet};

use poem_openapi::types::ToJSON;
use serde::Serialize;
use serde_json::{Map, Value};

pub use closing::{IssueClosed, IssueReopened};
pub use created::IssueCreated;
pub use deleted::IssueDeleted;
pub use updated::IssueUpdated;

use super::named::keys_of;
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, EventId, Refusal};
use crate::store::{Access, Query, Store, typed};
use tracewright_model::FormFieldValue;

/// An issue and the ids of what it is linked to.
#[derive(Debug, Clone, Default)]
struct Issue {
    issue: Map<String, Value>,
    targets: Vec<String>,
}

/// What every event of issues reads and writes beside its own queries.
fn access(own: &[Query]) -> Access<'static> {
    Access::of(own).and(&[queries::ISSUE, queries::ISSUE_TYPE, queries::MARK_CRITICAL]).writing(&["Job", "WorkOrder"])
}

/// What no other call may change meanwhile: the issue, and the work orders that it may mark.
async fn locks(store: &Store, key: Option<&str>, targets: &[String]) -> Result<LockNames> {
    let issue_id = key.map(|key| format!("Issue/{key}"));
    let params = queries::orders_of_issue::Params { issue_id: issue_id.as_deref(), targets: targets.into() };
    let orders = queries::orders_of_issue(store, params).await?;
    Ok(orders.into_iter().map(|key| format!("WorkOrder/{key}")).chain(issue_id).collect())
}

impl Issue {
    /// The issue of a key. Refused when there is none.
    async fn find(call: &Call<'_>, key: &str) -> Result<Self> {
        let found = queries::issue(call.trx, queries::issue::Params { key }).await?;
        let queries::issue::Row { issue, targets } = found.ok_or_else(|| Refusal::Value.not_found("Issue", key))?;
        Ok(Self { issue, targets })
    }

    fn key(&self) -> &str {
        self.issue.get("_key").and_then(Value::as_str).unwrap_or_default()
    }

    fn id(&self) -> String {
        format!("Issue/{}", self.key())
    }

    /// Whether it is open: one that says nothing is.
    fn is_open(&self) -> bool {
        self.issue.get("open") != Some(&Value::Bool(false))
    }

    fn type_key(&self) -> Option<&str> {
        self.issue.get("issue_type_key").and_then(Value::as_str).filter(|key| !key.is_empty())
    }

    async fn change(&mut self, call: &Call<'_>, changes: &impl Serialize) -> Result<()> {
        let params = queries::update_issue::Params { key: self.key(), changes: &typed::bound(changes)? };
        self.issue = queries::update_issue(call.trx, params).await?;
        Ok(())
    }

    /// Marks the work orders and jobs that were linked before or are now, and notes what the event concerns.
    async fn mark(&self, call: &mut Call<'_>, this: EventId, before: &[String]) -> Result<()> {
        let all: Vec<String> = self.targets.iter().chain(before).cloned().collect();
        for collection in ["WorkOrder", "Job"] {
            let keys: BTreeSet<&str> = keys_of(collection, &all).into_iter().collect();
            if !keys.is_empty() {
                let params = queries::mark_critical::Params { keys: keys.into_iter().collect(), collection };
                queries::mark_critical(call.trx, params).await?;
            }
        }
        // What it is linked to now comes first; an issue that has lost its links still concerns what it was about.
        let first = |collection: &str| keys_of(collection, &all).first().map(|key| (*key).to_owned());
        let mut serial_keys: Vec<String> = keys_of("Serial", &all).into_iter().map(str::to_owned).collect();
        let mut seen = HashSet::new();
        serial_keys.retain(|key| seen.insert(key.clone()));
        call.concerns(
            this,
            Concerned {
                work_order_key: first("WorkOrder"),
                job_key: first("Job"),
                phase_key: first("Phase"),
                product_key: first("Product"),
                serial_key: first("Serial").filter(|_| serial_keys.len() == 1),
                serial_keys,
                batch_key: None,
            },
        );
        Ok(())
    }

    /// The members of its event: the issue as it came out.
    fn stored(&self) -> Map<String, Value> {
        let mut issue = self.issue.clone();
        issue.insert("linked_to".to_owned(), links::written(&self.targets));
        let mut members = Map::new();
        members.insert("issue_key".to_owned(), self.key().into());
        members.insert("issue_data".to_owned(), Value::Object(issue));
        members
    }
}

/// The type of a key. Refused when there is none.
async fn kind(call: &Call<'_>, key: &str) -> Result<queries::issue_type::Row> {
    let found = queries::issue_type(call.trx, queries::issue_type::Params { key }).await?;
    found.ok_or_else(|| Refusal::Value.not_found("Issue type", key))
}

/// Recorded fields as they are stored: one for each field of the form, the last that was sent.
fn recorded(data: &[FormFieldValue]) -> Vec<Value> {
    let mut seen = HashSet::new();
    let last = data.iter().rev().filter(|field| seen.insert(&field.form_field_key));
    let mut recorded: Vec<Value> = last.filter_map(ToJSON::to_json).collect();
    recorded.reverse();
    recorded
}
