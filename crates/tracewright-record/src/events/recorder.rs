//! What recording needs of the service.

use std::sync::Arc;

use tokio::sync::Notify;

use super::locks::LockTable;
use crate::notifications::Hub;
use crate::settings::Settings;
use crate::store::Store;

/// Where events are recorded, what their files and codes need, and who is told of them.
pub struct Recorder {
    /// The database.
    pub store: Store,
    /// Hands what events announce to the pages that listen.
    pub notifications: Hub,
    /// What calls that record events hold.
    pub locks: LockTable,
    /// Rings when a counting session is to be applied.
    pub applying: Arc<Notify>,
    /// The settings: the zone of the site, whose dates are in codes, and where attachments live.
    pub settings: Settings,
}

impl Recorder {
    /// Recording in a database.
    pub fn new(store: &Store, notifications: &Hub, settings: &Settings) -> Self {
        Self {
            store: store.clone(),
            notifications: notifications.clone(),
            locks: LockTable::default(),
            applying: Arc::default(),
            settings: settings.clone(),
        }
    }
}
