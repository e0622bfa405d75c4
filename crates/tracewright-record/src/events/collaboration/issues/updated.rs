//! `ISSUE_UPDATED`: more is known of an issue.

use poem_openapi::Object;
use poem_openapi::types::MaybeUndefined;
use serde_json::{Map, Value};

use super::links::{self, IssueLink};
use super::{Issue, access, kind, locks, recorded};
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store};
use tracewright_model::FormFieldValue;

/// What changes of an issue; what is absent stays.
#[derive(Debug, Clone, Object)]
pub struct IssueUpdate {
    #[oai(rename = "_key")]
    key: String,
    /// Null takes the type away.
    issue_type_key: MaybeUndefined<String>,
    critical: Option<bool>,
    /// All the recorded fields.
    data: Option<Vec<FormFieldValue>>,
    /// All the links; with none of them they stay.
    linked_to: Option<Vec<IssueLink>>,
}

/// An issue is changed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ISSUE_UPDATED")]
pub struct IssueUpdated {
    issue_data: IssueUpdate,
    #[oai(skip)]
    came_out: Issue,
}

impl IssueUpdated {
    fn targets(&self) -> Result<Vec<String>> {
        links::targets(self.issue_data.linked_to.as_deref().unwrap_or_default())
    }

    /// The type it is to have; `None` when that is not said.
    async fn type_key(&self, call: &Call<'_>, issue: &Issue) -> Result<Option<Value>> {
        match &self.issue_data.issue_type_key {
            MaybeUndefined::Null if issue.is_open() => Ok(Some(Value::Null)),
            MaybeUndefined::Null if issue.type_key().is_some() => {
                Err(Refusal::Value.says("A closed issue keeps a type: reopen it first"))
            }
            // A type that was deleted since stays where it was.
            MaybeUndefined::Value(key) if !key.is_empty() && issue.type_key() != Some(key) => {
                kind(call, key).await?;
                Ok(Some(key.as_str().into()))
            }
            _ => Ok(None),
        }
    }
}

impl Event for IssueUpdated {
    const TYPE: EventType = EventType::IssueUpdated;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::UPDATE_ISSUE, queries::UNLINK_ISSUE, queries::LINK_ISSUE])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        locks(store, Some(&self.issue_data.key), &self.targets().unwrap_or_default()).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut issue = Issue::find(call, &self.issue_data.key).await?;
        let mut changes = Map::new();
        let data = self.issue_data.data.as_deref().map(|data| recorded(data).into());
        for (name, value) in [
            ("issue_type_key", self.type_key(call, &issue).await?),
            ("critical", self.issue_data.critical.map(Value::Bool)),
            ("data", data),
        ] {
            changes.extend(value.map(|value| (name.to_owned(), value)));
        }
        let targets = self.targets()?;
        let before = issue.targets.clone();
        issue.change(call, &changes).await?;
        if !targets.is_empty() {
            let issue_id = &issue.id();
            queries::unlink_issue(call.trx, queries::unlink_issue::Params { issue_id }).await?;
            let params = queries::link_issue::Params { issue_id, targets: (&targets).into() };
            queries::link_issue(call.trx, params).await?;
            issue.targets = targets;
        }
        issue.mark(call, this, &before).await?;
        self.came_out = issue;
        Ok(text_answer("The issue was updated"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.came_out.stored()
    }
}
