//! The serials of a batch, one a piece: made in the first phase, taken from what waits in a later one, and what was put into
//! them.

use std::collections::BTreeSet;

use poem_openapi::types::{MaybeUndefined, ParseFromJSON};
use serde::Serialize;

use super::steps::{Entry, Recorded};
use super::work::Work;
pub use crate::aql::production_events::links_of_batches::Row as Link;
use crate::aql::production_events::{
    self as stored, BATCH_SERIALS, INSTALLED, LINKS_OF_BATCHES, NAMED_SERIALS, PUT_INTO_BATCH, REMOVE_LINKS,
    SERIALS_OF_JOB, TAKE_OUT_OF_BATCHES,
};
pub use crate::aql::rows::Piece;
use crate::error::Result;
use crate::events::serials::{
    self, SerialCreated, SerialDeleted, SerialFormFieldValue, SerialLinked, SerialReleased, SerialUnlinked,
    SerialUpdated,
};
use crate::events::{Call, Event, EventId, Refusal};
use crate::production::part;
use crate::store::{Access, Query};
use tracewright_model::{Key, collection};

/// What reading the serials of batches and changing which they are run.
pub const QUERIES: [Query; 8] = [
    BATCH_SERIALS,
    INSTALLED,
    LINKS_OF_BATCHES,
    NAMED_SERIALS,
    PUT_INTO_BATCH,
    REMOVE_LINKS,
    SERIALS_OF_JOB,
    TAKE_OUT_OF_BATCHES,
];

/// What serials of batches and their events declare.
pub fn access() -> Access<'static> {
    let children = [
        SerialCreated::access(),
        SerialDeleted::access(),
        SerialLinked::access(),
        SerialReleased::access(),
        SerialUnlinked::access(),
        SerialUpdated::access(),
    ];
    children.iter().fold(Access::of(&QUERIES), Access::joined)
}

impl Piece {
    /// How people know it.
    pub fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

/// A serial of a batch as screens choose from it.
#[derive(Debug, Serialize)]
pub struct PieceChoice {
    serial_key: String,
    serial_code: Option<String>,
    counter_key: Option<Key<collection::Counter>>,
    active: bool,
}

impl PieceChoice {
    /// Of a serial that nobody works on.
    pub fn of(piece: &Piece) -> Self {
        Self {
            serial_key: piece.key.clone(),
            serial_code: piece.code.clone(),
            counter_key: piece.counter_key.clone(),
            active: false,
        }
    }
}

/// The serials of a batch, the newest first.
pub async fn of_batch(call: &Call<'_>, batch_key: &str) -> Result<Vec<Piece>> {
    stored::batch_serials(call.trx, stored::batch_serials::Params { batch_key }).await
}

/// The serials of batches.
pub async fn of_batches(call: &Call<'_>, batch_keys: &[&str]) -> Result<Vec<Piece>> {
    stored::serials_of_job(call.trx, stored::serials_of_job::Params { batch_keys: batch_keys.into() }).await
}

/// What was put into what batches make.
pub async fn links(call: &Call<'_>, batch_keys: &[&str]) -> Result<Vec<Link>> {
    stored::links_of_batches(call.trx, stored::links_of_batches::Params { batch_keys: batch_keys.into() }).await
}

/// Refused when something is named twice.
pub fn must_differ(named: &[String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    match named.iter().map(|one| one.trim().to_uppercase()).find(|one| !seen.insert(one.clone())) {
        Some(twice) => Err(Refusal::Value.says(format!("{twice} is given twice"))),
        None => Ok(()),
    }
}

/// Serials that are named by their keys. Refused when one does not exist.
pub async fn named(call: &Call<'_>, keys: &[String]) -> Result<Vec<Piece>> {
    let found = stored::named_serials(call.trx, stored::named_serials::Params { keys: keys.into() }).await?;
    match keys.iter().find(|key| found.iter().all(|piece| piece.key != **key)) {
        Some(missing) => Err(Refusal::Value.not_found("Serial", missing)),
        None => Ok(found),
    }
}

/// Makes the serials of new pieces of a batch, with codes where they are given.
pub async fn make(
    call: &mut Call<'_>,
    this: EventId,
    work: &Work,
    batch_key: &str,
    (count, codes): (usize, Option<&[String]>),
) -> Result<Vec<String>> {
    if let Some(codes) = codes {
        must_differ(codes)?;
        if codes.len() != count {
            return Err(Refusal::Value.says(format!("{count} codes are needed, {} are given", codes.len())));
        }
    }
    let data: Vec<SerialFormFieldValue> = work
        .order
        .serial_fields
        .iter()
        .filter_map(|field| SerialFormFieldValue::parse_from_json(Some(field.clone())).ok())
        .collect();
    let serial = |place: usize| SerialCreated {
        product_key: work.job.product_key.clone(),
        code: codes.and_then(|codes| codes.get(place).cloned()),
        data: Some(data.clone()),
        wo_key: Some(work.order.key.clone()),
        released: MaybeUndefined::Null,
        ..SerialCreated::default()
    };
    let made = serials::create_many(call, this, (0..count).map(serial).collect()).await?;
    let keys: Vec<String> = made.into_iter().map(|serial| serial.serial_key).collect();
    put_into(call, batch_key, &keys).await?;
    Ok(keys)
}

/// Serials belong to a batch.
pub async fn put_into(call: &Call<'_>, batch_key: &str, serial_keys: &[String]) -> Result<()> {
    let params = stored::put_into_batch::Params { batch_key, serial_keys: serial_keys.into() };
    stored::put_into_batch(call.trx, params).await
}

/// Serials do not belong to batches any more; without any named, none does.
pub async fn take_out(call: &Call<'_>, batch_keys: &[&str], serial_keys: Option<&[String]>) -> Result<()> {
    let serial_keys = serial_keys.map(Into::into);
    let params = stored::take_out_of_batches::Params { batch_keys: batch_keys.into(), serial_keys };
    stored::take_out_of_batches(call.trx, params).await
}

/// Links that were never confirmed are removed.
pub async fn remove_links<'l>(call: &Call<'_>, links: impl IntoIterator<Item = &'l Link>) -> Result<()> {
    let keys: Vec<&str> = links.into_iter().filter(|link| !link.confirmed).map(|link| link.key.as_str()).collect();
    if keys.is_empty() {
        return Ok(());
    }
    stored::remove_links(call.trx, stored::remove_links::Params { keys: (&keys).into() }).await
}

/// Links of a batch whose piece is not among those that stay, and which nobody has confirmed, are removed.
pub async fn drop_links_of_others(call: &Call<'_>, batch_key: &str, stay: &[String]) -> Result<()> {
    let all = links(call, &[batch_key]).await?;
    let has_left = |link: &&Link| link.parent_key.as_ref().is_some_and(|parent| !stay.contains(parent));
    remove_links(call, all.iter().filter(has_left)).await
}

/// Pieces of a first phase are given up: those without a code as if they had never been.
pub async fn give_up(call: &mut Call<'_>, this: EventId, batch_key: &str, pieces: &[Piece]) -> Result<()> {
    let keys: Vec<String> = pieces.iter().map(|piece| piece.key.clone()).collect();
    let all = links(call, &[batch_key]).await?;
    let own = |link: &&Link| link.parent_key.as_ref().is_some_and(|parent| keys.contains(parent));
    if let Some(held) = all.iter().filter(own).find(|link| link.confirmed) {
        let holder = pieces.iter().find(|piece| Some(&piece.key) == held.parent_key.as_ref());
        let name = holder.map_or("", Piece::name);
        return Err(Refusal::Value.says(format!("Serial {name} holds components: unlink them first")));
    }
    remove_links(call, all.iter().filter(own)).await?;
    take_out(call, &[batch_key], Some(&keys)).await?;
    let deleted = |piece: &Piece| deletion(&piece.key, piece.code.is_some());
    serials::delete_many(call, this, pieces.iter().map(deleted).collect()).await?;
    Ok(())
}

/// Serials that were made for what does not count any more are deleted.
pub async fn delete(call: &mut Call<'_>, this: EventId, pieces: &[Piece]) -> Result<()> {
    let deleted: Vec<SerialDeleted> = pieces.iter().map(|piece| deletion(&piece.key, true)).collect();
    if !deleted.is_empty() {
        serials::delete_many(call, this, deleted).await?;
    }
    Ok(())
}

fn deletion(serial_key: &str, soft: bool) -> SerialDeleted {
    SerialDeleted { serial_key: serial_key.to_owned(), soft, delete_children: Some(false) }
}

/// What was recorded of steps is noted with each piece of the batch; pieces of a first phase get a code now at the latest.
pub async fn record(
    call: &mut Call<'_>,
    this: EventId,
    (work, batch_key): (&Work, &str),
    pieces: &[Piece],
    recorded: &[Recorded],
) -> Result<()> {
    let entry = |step_key: &str, recorded: Entry| SerialFormFieldValue {
        form_field_key: recorded.form_field_key.as_str().map(str::to_owned),
        custom_field_key: recorded.custom_field_key.as_str().map(str::to_owned),
        value: Some(recorded.value),
        batch_key: Some(batch_key.to_owned()),
        step_key: Some(step_key.to_owned()),
        phase_key: Some(work.job.phase_key.clone()),
        ..SerialFormFieldValue::default()
    };
    let mut data: Vec<SerialFormFieldValue> = Vec::new();
    for step in recorded {
        data.extend(step.form_data.iter().map(|value| entry(&step.step_key, part(value))));
    }
    let update = |piece: &Piece| SerialUpdated {
        serial_key: piece.key.clone(),
        serial_data: Some(data.clone()),
        draw_code: work.job.first_phase,
        ..SerialUpdated::default()
    };
    let needs = |piece: &&Piece| !data.is_empty() || (work.job.first_phase && piece.code.is_none());
    let updates: Vec<SerialUpdated> = pieces.iter().filter(needs).map(update).collect();
    if !updates.is_empty() {
        serials::update_many(call, this, updates).await?;
    }
    Ok(())
}

/// Components that were put into the pieces of a batch, or into the batch, are there for good, and the journal says so of each,
/// also of those that were linked for good before; what was put elsewhere is not. Gives those that are there.
pub async fn confirm_links(call: &mut Call<'_>, this: EventId, batch_key: &str, pieces: &[Piece]) -> Result<Vec<Link>> {
    let all = links(call, &[batch_key]).await?;
    let (here, elsewhere): (Vec<Link>, Vec<Link>) = all.into_iter().partition(|link| {
        link.parent_key.as_ref().is_none_or(|parent| pieces.iter().any(|piece| piece.key == *parent))
    });
    remove_links(call, &elsewhere).await?;
    let linked = |link: &Link| SerialLinked {
        child_serial_key: link.child_key.clone(),
        parent_serial_key: link.parent_key.clone(),
        batch_key: Some(link.batch_key.clone()),
        wo_key: link.wo_key.clone(),
        component_key: link.component_key.clone(),
        phase_key: link.phase_key.clone(),
        job_key: link.job_key.clone(),
        process_inventory: Some(false),
        replace_existing: None,
    };
    if !here.is_empty() {
        serials::link_many(call, this, here.iter().map(linked).collect()).await?;
    }
    Ok(here)
}

/// Components come out of what batches made: confirmed ones are unlinked, the others are removed.
pub async fn take_apart(call: &mut Call<'_>, this: EventId, links: &[Link], with_stock: bool) -> Result<()> {
    remove_links(call, links).await?;
    let unlinked = |link: &Link| SerialUnlinked {
        child_serial_key: link.child_key.clone(),
        parent_serial_key: link.parent_key.clone(),
        batch_key: Some(link.batch_key.clone()),
        reason: Some("Batch canceled".to_owned()),
        process_inventory: Some(with_stock),
    };
    let confirmed: Vec<SerialUnlinked> = links.iter().filter(|link| link.confirmed).map(unlinked).collect();
    if !confirmed.is_empty() {
        serials::unlink_many(call, this, confirmed).await?;
    }
    Ok(())
}

/// Pieces that have passed the last phase are released.
pub async fn release(call: &mut Call<'_>, this: EventId, pieces: &[Piece]) -> Result<()> {
    let released = |piece: &Piece| SerialReleased { serial_key: piece.key.clone(), released: None };
    serials::release_many(call, this, pieces.iter().map(released).collect()).await?;
    Ok(())
}

/// What a phase had recorded of pieces is taken back, and their release where it was the last one.
pub async fn take_back(call: &mut Call<'_>, this: EventId, work: &Work, pieces: &[Piece]) -> Result<()> {
    let update = |piece: &Piece| SerialUpdated {
        serial_key: piece.key.clone(),
        remove_data_from_phases: Some(vec![work.job.phase_key.clone()]),
        unrelease: Some(work.job.last_phase),
        ..SerialUpdated::default()
    };
    let updates: Vec<SerialUpdated> = pieces.iter().map(update).collect();
    if !updates.is_empty() {
        serials::update_many(call, this, updates).await?;
    }
    Ok(())
}

/// Refused when a piece is part of something.
pub async fn must_be_loose(call: &Call<'_>, pieces: &[Piece]) -> Result<()> {
    let serial_keys = pieces.iter().map(|piece| &piece.key).collect();
    let installed = stored::installed(call.trx, stored::installed::Params { serial_keys }).await?;
    match pieces.iter().find(|piece| installed.contains(&piece.key)) {
        Some(piece) => Err(Refusal::Value.says(format!("Serial {} is installed", piece.name()))),
        None => Ok(()),
    }
}
