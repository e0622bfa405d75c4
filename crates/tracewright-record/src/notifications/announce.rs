//! Announcing what no event of a transaction tells.

use aqlite::value::Value as Row;
use uuid::Uuid;

use super::{Announcement, Hub, NotificationDocument};
use crate::aql::notification::INSERT;
use crate::clock;
use crate::error::Result;
use crate::store::{Access, Store};
use crate::transaction;

/// Stores messages and hands them on: to the streams of this process at once, to those of others as soon as they look.
pub async fn announce(store: &Store, hub: &Hub, announcements: impl IntoIterator<Item = Announcement>) -> Result<()> {
    let group = Uuid::new_v4().to_string();
    let documents = NotificationDocument::gather(&clock::now(), &group, announcements);
    let rows = Row::array(documents.iter().map(NotificationDocument::row).collect());
    let params = Row::from_pairs([("documents", rows)]);
    transaction!(store, Access::of(&[INSERT]), |trx| { trx.run(&INSERT, params.clone()).await })?;
    hub.publish(documents);
    Ok(())
}
