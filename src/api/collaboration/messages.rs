//! Messages.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

use crate::api::Area;
use crate::app::App;
use crate::aql::collaboration as stored;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};

/// Messages.
pub struct Messages(pub Arc<App>);

/// A message from a user.
#[derive(Debug, Object)]
struct Message {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    /// The sender.
    #[oai(rename = "_from")]
    from: String,
    /// The recipient.
    #[oai(rename = "_to")]
    to: String,
    content: Option<String>,
    created: Option<DateTime<Utc>>,
    updated: Option<DateTime<Utc>>,
    /// When it was deleted.
    deleted: Option<DateTime<Utc>>,
}

#[OpenApi(tag = "Area::Collaboration")]
impl Messages {
    /// Messages of a recipient
    ///
    /// The recipient is a full id such as `Issue/123`. Oldest first, deleted ones included: all of them for the recipient and
    /// for whoever may read what they are about, to everybody else those that they have sent.
    #[oai(path = "/message", method = "get", operation_id = "get_messages_message_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::CollaborationMessageRead")] caller: Caller,
        recipient_id: Query<String>,
    ) -> Result<Json<Vec<AsStored<Message>>>> {
        let own = format!("User/{}", caller.user_key());
        let sender = (!may_read(&caller, &recipient_id)).then_some(own);
        let params = stored::messages::Params { recipient: &recipient_id, sender: sender.as_deref() };
        Ok(Json(stored::messages(&self.0.store, params).await?))
    }
}

/// Whether the caller reads what others have written to a recipient. Messages to a user are nobody else's concern.
fn may_read(caller: &Caller, recipient: &str) -> bool {
    let (collection, key) = recipient.split_once('/').unwrap_or_default();
    let scope = match collection {
        "User" => return key == caller.user_key(),
        "Issue" => Scope::CollaborationIssueRead,
        "Task" => Scope::CollaborationTaskRead,
        "WorkOrder" => Scope::ProductionWorkOrderRead,
        "Job" => Scope::ProductionJobRead,
        // Nothing else is written to.
        _ => return false,
    };
    caller.require(scope).is_ok()
}
