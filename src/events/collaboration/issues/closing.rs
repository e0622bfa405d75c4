//! `ISSUE_CLOSED` and `ISSUE_REOPENED`: an issue is settled, or turns out not to be.

use poem_openapi::Object;
use serde_json::{Map, Value, json};

use super::{Issue, access, kind, units};
use crate::app::App;
use crate::aql::collaboration_events as queries;
use crate::error::Result;
use crate::events::collaboration::named::given;
use crate::events::units::Names;
use crate::events::{Call, Event, EventId, EventType, Refusal, told};
use crate::store::Access;

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

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        units(app, Some(&self.issue_data.key), &[]).await
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
        let changes = json!({
            "issue_type_key": type_key, "open": false, "closed": call.stored_time(),
            "closed_by": format!("User/{}", call.user_key()),
        });
        issue.apply(call, this, changes).await?;
        self.came_out = issue;
        Ok(told("The issue was closed"))
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

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        units(app, Some(&self.issue_data.key), &[]).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let mut issue = Issue::find(call, &self.issue_data.key).await?;
        if issue.is_open() {
            return Err(Refusal::Value.says("The issue is open"));
        }
        let mut changes = json!({"open": true, "closed": null, "closed_by": null});
        if let Some(critical) = self.issue_data.critical {
            changes["critical"] = critical.into();
        }
        issue.apply(call, this, changes).await?;
        self.came_out = issue;
        Ok(told("The issue was reopened"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.came_out.stored()
    }
}

impl Issue {
    /// Changes the issue, whose links stay, and what it marks.
    async fn apply(&mut self, call: &mut Call<'_>, this: EventId, changes: Value) -> Result<()> {
        self.change(call, &changes).await?;
        self.mark(call, this, &[]).await
    }
}
