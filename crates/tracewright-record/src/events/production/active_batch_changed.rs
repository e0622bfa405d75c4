//! `ACTIVE_BATCH_CHANGED`: the batch that is worked on has more pieces, or fewer, or others.

use poem_openapi::Object;

use super::pieces::{self, Piece, PieceChoice};
use super::settle::{self, JobAnswer};
use super::started::must_be_started;
use super::wip::{self, WipBooked, WipUnbooked};
use super::work::{self, Batch, Work, update_batch, update_job};
use crate::aql::production_events::UPDATE_BATCHES;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::members::{BatchMembers, JobMembers};
use crate::production::quantities;
use crate::store::{Access, Store};

/// The batch that is worked on has more pieces, or fewer, or others.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_ACTIVE_BATCH_CHANGED")]
pub struct ActiveBatchChanged {
    job_key: String,
    new_active_batch_qt: f64,
    /// Of a traced job: codes of serials that are added in the first phase, keys of all serials in a later one.
    batch_serials: Option<Vec<String>>,
}

impl Event for ActiveBatchChanged {
    const TYPE: EventType = EventType::ActiveBatchChanged;

    type Answer = Option<JobAnswer>;

    fn access() -> Access<'static> {
        let rules = Access::of(&[UPDATE_BATCHES]).and(&work::QUERIES).and(&wip::QUERIES);
        rules.joined(&pieces::access()).joined(&settle::answering())
    }

    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        work::locks_of_work(store, &self.job_key, user_key).await
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Option<JobAnswer>> {
        let work = Work::take_up(call, this, &self.job_key).await?;
        must_be_started(&work)?;
        let no_batch = || Refusal::JobHasNoActiveBatch.says(format!("Job {} has no active batch", self.job_key));
        let batch = work.active_batch().ok_or_else(no_batch)?;
        let (wanted, rest) = (quantities::rounded(self.new_active_batch_qt), work.rest());
        let is_possible = quantities::exceeds(wanted, 0.0) && quantities::fits(wanted, rest);
        if !is_possible || (work.job.is_traced && !quantities::is_whole(wanted)) {
            return Err(Refusal::Value.says(format!("The quantity must be above 0 and at most {rest}")));
        }
        self.batch_serials = self.batch_serials.take().filter(|serials| work.job.is_traced && !serials.is_empty());
        if work.job.is_traced {
            self.change_pieces(call, this, &work, batch).await?;
        } else {
            change_quantity(call, this, &work, batch, wanted).await?;
        }
        update_batch(call, &batch.key, &BatchMembers { qt_total: Some(wanted), ..BatchMembers::default() }).await?;
        let last_online = Some(work.online(call));
        let members = JobMembers { active_batch_qt: Some(wanted), last_online, ..JobMembers::default() };
        update_job(call, &self.job_key, &members).await?;
        let message = format!("The batch has {wanted} pieces now");
        let mut answer = settle::answer(call, this, &self.job_key, message).await?;
        if work.job.is_traced {
            let pieces = pieces::of_batch(call, &batch.key).await?;
            let serial_keys = pieces.iter().map(|piece| piece.key.clone()).collect();
            call.concerns(this, Concerned { serial_keys, ..work.concerned() });
            if let Some(answer) = &mut answer {
                answer.batch_serials = Some(pieces.iter().map(PieceChoice::of).collect());
            }
        }
        Ok(answer)
    }
}

fn nothing_to_change() -> Result<()> {
    Err(Refusal::Value.says("Nothing to change"))
}

/// More or fewer pieces without serials: in a later phase they are booked, or free again.
async fn change_quantity(call: &mut Call<'_>, this: EventId, work: &Work, batch: &Batch, wanted: f64) -> Result<()> {
    if quantities::same(batch.qt_total, wanted) {
        return nothing_to_change();
    }
    let difference = quantities::rounded((wanted - batch.qt_total).abs());
    if work.job.first_phase {
        return Ok(());
    }
    if wanted > batch.qt_total {
        call.child(this, WipBooked::of(work, &batch.key, difference, None)).await?;
    } else {
        call.child(this, WipUnbooked::of(work, difference)).await?;
    }
    Ok(())
}

impl ActiveBatchChanged {
    async fn change_pieces(&self, call: &mut Call<'_>, this: EventId, work: &Work, batch: &Batch) -> Result<()> {
        let pieces = pieces::of_batch(call, &batch.key).await?;
        let wanted = self.new_active_batch_qt.round() as usize;
        let serials = self.batch_serials.as_deref();
        if work.is_traced_later() {
            return self.choose(call, this, work, batch, &pieces).await;
        }
        let count = pieces.len();
        if wanted <= count && serials.is_some() {
            return Err(Refusal::Value.says("Codes are given for pieces that are added"));
        }
        if wanted == count {
            return nothing_to_change();
        }
        if wanted > count {
            let added = wanted - count;
            pieces::make(call, this, work, &batch.key, (added, serials)).await?;
            return Ok(());
        }
        // Those without a code go first, then the newest.
        let (without, with): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(|piece| piece.code.is_none());
        let going: Vec<Piece> = without.into_iter().chain(with).take(count - wanted).collect();
        pieces::give_up(call, this, &batch.key, &going).await
    }

    /// The pieces of a later phase are chosen among those that wait for it.
    async fn choose(
        &self,
        call: &mut Call<'_>,
        this: EventId,
        work: &Work,
        batch: &Batch,
        pieces: &[Piece],
    ) -> Result<()> {
        let choose = || Refusal::Value.says("Choose the serials of the batch");
        let serials = self.batch_serials.as_deref().ok_or_else(choose)?;
        let is_same = pieces.len() == serials.len() && pieces.iter().all(|piece| serials.contains(&piece.key));
        if is_same && quantities::same(batch.qt_total, self.new_active_batch_qt) {
            return nothing_to_change();
        }
        let booked = WipBooked::of(work, &batch.key, self.new_active_batch_qt, Some(serials.to_vec()));
        call.child(this, booked).await?;
        Ok(())
    }
}
