//! What the world outside the database has to do with a call: files, tasks of this process, streams.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use crate::error::Result;
use crate::media::{self, CopiedFolders};
use crate::notifications::{Hub, NotificationDocument};
use crate::store::AfterCommit;

/// What the world outside the database has to do with a call.
#[derive(Default)]
pub(super) struct SideEffects {
    /// Files that were copied; they go away again unless the call is committed.
    pub(super) copied: Vec<CopiedFolders>,
    /// Folders that go away when it is.
    pub(super) removed: Vec<PathBuf>,
    /// Tasks of this process that have something to do when it is.
    pub(super) bells: Vec<Arc<Notify>>,
}

/// What is left to do once a call is committed.
pub(super) struct Written {
    pub(super) side_effects: SideEffects,
    /// The messages.
    pub(super) notifications: Vec<NotificationDocument>,
    pub(super) hub: Hub,
}

impl AfterCommit for Written {
    fn about_to_commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Keeps copied files, removes folders and hands the messages to the streams of this process.
    fn committed(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let SideEffects { copied, removed, bells } = self.side_effects;
            copied.into_iter().for_each(CopiedFolders::keep);
            for folder in removed {
                // The change is made; a folder that stays behind is told in the log.
                if let Err(error) = media::remove_folder(&folder).await {
                    tracing::warn!(%error, folder = %folder.display(), "a folder of what was deleted stays behind");
                }
            }
            for bell in bells {
                bell.notify_one();
            }
            self.hub.publish(self.notifications);
        })
    }

    /// What was copied goes with it.
    fn refused(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { drop(self) })
    }

    fn uncertain(self: Box<Self>) {
        self.side_effects.copied.into_iter().for_each(CopiedFolders::keep);
    }
}
