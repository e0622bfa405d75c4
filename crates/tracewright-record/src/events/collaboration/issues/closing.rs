//! `ISSUE_CLOSED` and `ISSUE_REOPENED`: an issue is settled, or turns out not to be.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Issue, access, kind, locks};
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::collaboration::named::given;
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store};

/// Whether an issue is open, and what else that changes of it.
#[derive(Default, Serialize)]
struct Standing {
    open: bool,
    closed: Option<String>,
    closed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_type_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    critical: Option<bool>,
}

/// The issue that is closed.
#[derive(Debug, Clone, Object)]
pub struct IssueClosing {
    #[oai(rename = "_key")]
    key: String,
    /// Needed by an issue that has none yet.
    issue_type_key: Option<String>,
}

/// An issue is closed.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ISSUE_CLOSED")]
pub struct IssueClosed {
    issue_data: IssueClosing,
    #[oai(skip)]
    came_out: Issue,
}

impl Event for IssueClosed {
    const TYPE: EventType = EventType::IssueClosed;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::UPDATE_ISSUE])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        locks(store, Some(&self.issue_data.key), &[]).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut issue = Issue::find(call, &self.issue_data.key).await?;
        if !issue.is_open() {
            return Err(Refusal::Value.says("The issue is closed already"));
        }
        let sent = given(self.issue_data.issue_type_key.as_ref());
        if let Some(key) = sent.filter(|key| issue.type_key() != Some(key)) {
            kind(call, key).await?;
        }
        let Some(type_key) = sent.or(issue.type_key()).map(str::to_owned) else {
            return Err(Refusal::Value.says("An issue without a type cannot be closed: choose one"));
        };
        let (closed, closed_by) = (Some(call.stored_time()), Some(format!("User/{}", call.user_key())));
        let standing = Standing { open: false, closed, closed_by, issue_type_key: Some(type_key), critical: None };
        issue.apply(call, this, &standing).await?;
        self.came_out = issue;
        Ok(text_answer("The issue was closed"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.came_out.stored()
    }
}

/// The issue that is opened again.
#[derive(Debug, Clone, Object)]
pub struct IssueReopening {
    #[oai(rename = "_key")]
    key: String,
    critical: Option<bool>,
}

/// An issue is opened again.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ISSUE_REOPENED")]
pub struct IssueReopened {
    issue_data: IssueReopening,
    #[oai(skip)]
    came_out: Issue,
}

impl Event for IssueReopened {
    const TYPE: EventType = EventType::IssueReopened;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(&[queries::UPDATE_ISSUE])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        locks(store, Some(&self.issue_data.key), &[]).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut issue = Issue::find(call, &self.issue_data.key).await?;
        if issue.is_open() {
            return Err(Refusal::Value.says("The issue is open"));
        }
        let standing = Standing { open: true, critical: self.issue_data.critical, ..Standing::default() };
        issue.apply(call, this, &standing).await?;
        self.came_out = issue;
        Ok(text_answer("The issue was reopened"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.came_out.stored()
    }
}

impl Issue {
    /// Changes the issue, whose links stay, and what it marks.
    async fn apply(&mut self, call: &mut Call<'_>, this: EventId, standing: &Standing) -> Result<()> {
        self.change(call, standing).await?;
        self.mark(call, this, &[]).await
    }
}
