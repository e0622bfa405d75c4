//! `ISSUE_CREATED`: something is wrong, and somebody says so.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::links::{self, IssueLink};
use super::{Issue, access, kind, locks, recorded};
use crate::aql::collaboration_events as queries;
use crate::aql::rows::IssueDocument;
use crate::error::Result;
use crate::events::collaboration::named::{given, is_key};
use crate::events::locks::LockNames;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};
use tracewright_model::FormFieldValue;

/// An issue as it is reported.
#[derive(Debug, Clone, Object)]
pub struct IssueWithLinks {
    /// A key of the client's choice.
    #[oai(rename = "_key")]
    key: Option<String>,
    issue_type_key: Option<String>,
    /// Without it as the type says.
    critical: Option<bool>,
    data: Option<Vec<FormFieldValue>>,
    linked_to: Option<Vec<IssueLink>>,
}

/// An issue is reported.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ISSUE_CREATED")]
pub struct IssueCreated {
    issue_data: IssueWithLinks,
    #[oai(skip)]
    came_out: Issue,
}

/// What is answered to who has reported an issue.
#[derive(Debug, Serialize)]
pub struct Reported {
    message: &'static str,
    issue_key: String,
}

impl IssueCreated {
    fn targets(&self) -> Result<Vec<String>> {
        links::targets(self.issue_data.linked_to.as_deref().unwrap_or_default())
    }
}

impl Event for IssueCreated {
    const TYPE: EventType = EventType::IssueCreated;

    type Answer = Reported;

    fn access() -> Access<'static> {
        access(&[queries::INSERT_ISSUE, queries::LINK_ISSUE])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let key = given(self.issue_data.key.as_ref());
        locks(store, key, &self.targets().unwrap_or_default()).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Reported> {
        let sent = &self.issue_data;
        let type_key = given(sent.issue_type_key.as_ref());
        let is_critical_type = match type_key {
            Some(key) => kind(call, key).await?.critical,
            None => false,
        };
        let targets = self.targets()?;
        let key = given(sent.key.as_ref());
        if let Some(key) = key {
            free(call, key).await?;
        }
        let issue = IssueDocument {
            key: key.map(str::to_owned),
            issue_type_key: type_key.map(str::to_owned),
            open: true,
            created: call.stored_time(),
            created_by: format!("User/{}", call.user_key()),
            closed: None,
            closed_by: None,
            critical: sent.critical.unwrap_or(is_critical_type),
            data: recorded(sent.data.as_deref().unwrap_or_default()),
        };
        let issue = queries::insert_issue(call.trx, queries::insert_issue::Params { issue: &issue }).await?;
        let created = Issue { issue, targets };
        let targets = (&created.targets).into();
        let params = queries::link_issue::Params { issue_id: &created.id(), targets };
        queries::link_issue(call.trx, params).await?;
        created.mark(call, this, &[]).await?;
        let answer = Reported { message: "The issue was created", issue_key: created.key().to_owned() };
        self.came_out = created;
        Ok(answer)
    }

    fn stored(&self) -> Map<String, Value> {
        self.came_out.stored()
    }
}

/// Refuses a key that is none or that another issue has.
async fn free(call: &Call<'_>, key: &str) -> Result<()> {
    if !is_key(key) {
        return Err(Refusal::Value.says(format!("{key} cannot be the key of an issue")));
    }
    let other = queries::issue(call.trx, queries::issue::Params { key }).await?;
    other.map_or(Ok(()), |_| Err(Refusal::Value.says(format!("Issue {key} exists already"))))
}
