//! Announcing what no event of a transaction tells.

use serde_json::json;
use uuid::Uuid;

use super::{Announcement, NotificationDocument};
use crate::app::App;
use crate::aql::notification::INSERT;
use crate::clock;
use crate::error::Result;

/// Stores messages and hands them on: to the streams of this process at once, to those of others as soon as they look.
pub async fn announce(app: &App, announcements: impl IntoIterator<Item = Announcement>) -> Result<()> {
    let group = Uuid::new_v4().to_string();
    let documents = NotificationDocument::gather(&clock::now(), &group, announcements);
    app.store.write::<serde_json::Value>(&INSERT, json!({"documents": documents})).await?;
    app.notifications.publish(documents);
    Ok(())
}
