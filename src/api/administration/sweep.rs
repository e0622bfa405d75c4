//! Links that have lost an end, whatever lost it. Collections of links grow with production, so a sweep looks at a
//! portion of them, and the next one goes on behind it.

use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::query;
use crate::store::{Query, Transaction};

/// The query of a sweep; transactions that sweep declare it, and [`LINKS`] as written.
pub(super) const SWEEP: Query = query!("administration/sweep_links");
/// What is swept.
pub(super) const LINKS: [&str; 2] = ["batch_serial", "contains"];
/// Links of one collection that a sweep looks at.
const PORTION: usize = 10_000;

/// How far the sweeps have come.
#[derive(Default)]
pub(super) struct Sweeper {
    places: Mutex<Places>,
}

/// How many links lie before the next portion, for each of [`LINKS`].
pub(super) type Places = [usize; 2];

impl Sweeper {
    /// Where the next sweep begins.
    pub(super) fn places(&self) -> Places {
        *self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes where a sweep ended that was committed.
    pub(super) fn ended_at(&self, places: Places) {
        *self.places.lock().unwrap_or_else(PoisonError::into_inner) = places;
    }
}

/// Sweeps a portion of the links and returns where it ended. Links of batches to serials need both ends, links to
/// components their beginning.
pub(super) async fn sweep(trx: &Transaction, mut places: Places) -> Result<Places> {
    #[derive(Default, Deserialize)]
    struct Swept {
        checked: usize,
        removed: usize,
    }
    for (links, place) in LINKS.into_iter().zip(&mut places) {
        let params = json!({"@links": links, "offset": place, "most": PORTION, "both_ends": links == "batch_serial"});
        let Swept { checked, removed } = trx.row(&SWEEP, params).await?.unwrap_or_default();
        // Behind the last link the next sweep begins anew.
        *place = if checked < PORTION { 0 } else { *place + checked - removed };
    }
    Ok(places)
}
