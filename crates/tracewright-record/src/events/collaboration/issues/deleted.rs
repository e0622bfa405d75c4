//! `ISSUE_DELETED`: an issue that should not have been reported.

use poem_openapi::Object;
use serde_json::{Map, Value};

use super::{Issue, access, locks};
use crate::aql::collaboration_events as queries;
use crate::auth::Scope;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, text_answer};
use crate::store::{Access, Store};

/// The issue that is deleted.
#[derive(Debug, Clone, Object)]
pub struct IssueDeletion {
    #[oai(rename = "_key")]
    key: String,
}

/// An issue is deleted, with its links, its messages and its files. What somebody else has reported needs
/// `collaboration:issue:delete`.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ISSUE_DELETED")]
pub struct IssueDeleted {
    issue_data: IssueDeletion,
    #[oai(skip)]
    came_out: Issue,
}

impl Event for IssueDeleted {
    const TYPE: EventType = EventType::IssueDeleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::REMOVE_ISSUE])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        locks(store, Some(&self.issue_data.key), &[]).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let issue = Issue::find(call, &self.issue_data.key).await?;
        let own = Value::String(format!("User/{}", call.user_key()));
        if issue.issue.get("created_by") != Some(&own) {
            call.require(Scope::CollaborationIssueDelete)?;
        }
        let params = queries::remove_issue::Params { key: issue.key(), issue_id: &issue.id() };
        queries::remove_issue(call.trx, params).await?;
        issue.mark(call, this, &[]).await?;
        call.remove_files(&["issue", issue.key()]);
        self.came_out = issue;
        Ok(text_answer("The issue was deleted"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.came_out.stored()
    }
}
