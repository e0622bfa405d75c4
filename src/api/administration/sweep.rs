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

/// The key behind which the next portion begins, for each of [`LINKS`].
pub(super) type Places = [String; 2];

impl Sweeper {
    /// Where the next sweep begins.
    pub(super) fn places(&self) -> Places {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes where a sweep ended that was committed.
    pub(super) fn ended_at(&self, places: Places) {
        *self.places.lock().unwrap_or_else(PoisonError::into_inner) = places;
    }
}

/// Sweeps a portion of the links and returns where it ended. Links of batches to serials need both ends, links to
/// components their beginning.
pub(super) async fn sweep(trx: &Transaction, mut places: Places) -> Result<Places> {
    #[derive(Deserialize)]
    struct Swept {
        checked: usize,
        last: Option<String>,
    }
    for (links, place) in LINKS.into_iter().zip(&mut places) {
        let params = json!({"@links": links, "after": place, "most": PORTION, "both_ends": links == "batch_serial"});
        let swept: Option<Swept> = trx.row(&SWEEP, params).await?;
        // Behind the last link the next sweep begins anew.
        *place = swept.filter(|swept| swept.checked == PORTION).and_then(|swept| swept.last).unwrap_or_default();
    }
    Ok(places)
}
