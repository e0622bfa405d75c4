//! Ends of stream transactions: they wait for the disk, but no thread waits with them.

use bytes::Bytes;
use http::Response;
use tokio::sync::oneshot;

use super::admission::{Admitted, Lane};
use super::response::Answer;
use super::state::transactions::Status;
use super::transaction::answer_about;
use crate::error::code;
use crate::{Error, Result};

/// A request whose transaction is being committed.
pub(super) struct Committing {
    admitted: Box<Admitted>,
    id: u64,
    committed: oneshot::Receiver<Result<()>>,
}

impl Admitted {
    /// Begins to commit the transaction that a request wants to be committed, where little was written in it; gives back any
    /// other request.
    pub(super) fn begin_commit(self: Box<Self>, lane: Lane) -> std::result::Result<Committing, Box<Self>> {
        let ctx = &self.ctx;
        if lane != Lane::Commit || self.is_async() {
            return Err(self);
        }
        let id = ctx.target.segments.get(2).and_then(|id| id.parse().ok());
        let begun = id.and_then(|id| Some((id, ctx.engine.transactions.begin_commit(id, ctx.database(), &ctx.user)?)));
        match begun {
            Some((id, committed)) => Ok(Committing { admitted: self, id, committed }),
            None => Err(self),
        }
    }
}

impl Committing {
    /// The answer, when it is committed.
    pub(super) async fn answer(self) -> Response<Bytes> {
        let committed = self.committed.await.unwrap_or_else(|_| Err(Error::plain(code::SHUTTING_DOWN)));
        let answer = match committed {
            Ok(()) => answer_about(200, self.id, Status::Committed),
            Err(error) => Answer::error(&error),
        };
        self.admitted.answered(answer)
    }
}
