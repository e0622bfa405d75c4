//! What lies above serials, and which lots below: level by level, so that what many of them share is looked at once.

use std::collections::{BTreeSet, HashSet};

use super::Bounded;
use crate::aql::explorer as stored;
use crate::error::Result;
use crate::store::Transaction;

/// The most serials that a walk meets.
const MOST_WALKED: usize = 50_000;

/// What lies above some serials.
pub(super) struct Above {
    /// Keys of what is part of nothing, by links that stand.
    pub(super) current: BTreeSet<String>,
    /// Keys of what is part of nothing, by links that were replaced, where no others lead there.
    pub(super) former: BTreeSet<String>,
    /// Ids of all serials on the ways.
    pub(super) met: Vec<String>,
    /// Whether there is more than a walk meets.
    pub(super) is_cut: bool,
}

impl Above {
    /// Walks up from these serials, on demand also over links that were replaced.
    pub(super) async fn walk(trx: &Transaction, keys: &[String], include_replaced: bool) -> Result<Self> {
        let standing = Tops::above(trx, keys, false).await?;
        if !include_replaced {
            let Tops { tops, met, is_cut } = standing;
            return Ok(Self { current: tops, former: BTreeSet::new(), met, is_cut });
        }
        let all = Tops::above(trx, keys, true).await?;
        let former = all.tops.difference(&standing.tops).cloned().collect();
        Ok(Self { current: standing.tops, former, met: all.met, is_cut: all.is_cut })
    }
}

/// What is part of nothing now, above some serials, themselves included.
struct Tops {
    tops: BTreeSet<String>,
    met: Vec<String>,
    is_cut: bool,
}

impl Tops {
    async fn above(trx: &Transaction, keys: &[String], include_replaced: bool) -> Result<Self> {
        let mut level: Vec<String> = keys.iter().map(|key| format!("Serial/{key}")).collect();
        let mut seen: HashSet<String> = level.iter().cloned().collect();
        let mut found = Self { tops: BTreeSet::new(), met: Vec::new(), is_cut: false };
        while !level.is_empty() {
            let params = stored::holders::Params { ids: (&level).into(), include_replaced };
            let links = stored::holders(trx, params).await?;
            let installed: HashSet<&str> =
                links.iter().filter(|link| !link.replaced).map(|link| link.held.as_str()).collect();
            found.tops.extend(level.iter().filter(|id| !installed.contains(id.as_str())).map(|id| key(id)));
            let mut next: Vec<String> = links.into_iter().map(|link| link.holder).collect();
            next.retain(|id| seen.insert(id.clone()));
            found.met.append(&mut level);
            if seen.len() > MOST_WALKED {
                found.is_cut = true;
                break;
            }
            level = next;
        }
        Ok(found)
    }
}

/// Keys of the lots that a serial is made of, at any depth. A lot is made of nothing that would count here.
pub(super) async fn lots_below(trx: &Transaction, serial_key: &str) -> Result<Bounded> {
    let mut level = vec![format!("Serial/{serial_key}")];
    let mut seen: HashSet<String> = level.iter().cloned().collect();
    let mut lots = Vec::new();
    while !level.is_empty() && seen.len() <= MOST_WALKED {
        let mut parts = stored::contents(trx, stored::contents::Params { ids: (&level).into() }).await?;
        parts.retain(|part| seen.insert(part.id.clone()));
        lots.extend(parts.iter().filter(|part| part.is_lot).map(|part| key(&part.id)));
        level = parts.into_iter().filter(|part| !part.is_lot).map(|part| part.id).collect();
    }
    Ok(Bounded { keys: lots, is_cut: !level.is_empty() })
}

/// The key of an id.
fn key(id: &str) -> String {
    id.split_once('/').map_or(id, |(_, key)| key).to_owned()
}
