//! Which serials contain which: what lies above them, and the writing of links.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{self, Whereabouts};
use crate::aql::rows::{ComponentLink, ReplacedLink, SerialAbove};
use crate::aql::serial_events::{
    self as stored, BATCHES, CONFIRM_LINKS, INSERT_LINKS, LINKING, REMOVE_LINKS, REPLACE_LINKS,
};
use crate::error::Result;
use crate::store::{Query, Store, Transaction};

/// What reading and writing links runs.
pub(super) const QUERIES: [Query; 6] = [BATCHES, CONFIRM_LINKS, INSERT_LINKS, LINKING, REMOVE_LINKS, REPLACE_LINKS];

/// What lies above serials, by identifiers.
#[derive(Debug, Default)]
pub(super) struct Above(BTreeMap<String, BTreeSet<String>>);

impl Above {
    /// Above a serial, before a transaction begins.
    pub(super) async fn before(store: &Store, key: &str) -> Result<Self> {
        let params = stored::above::Params { parent_keys: [key].into_iter().collect() };
        Ok(Self::gathered(stored::above(store, params).await?))
    }

    fn gathered(steps: Vec<SerialAbove>) -> Self {
        let mut above = Self::default();
        for step in steps {
            above.add(step.serial, step.holder);
        }
        above
    }

    /// Notes that something is put into a holder.
    pub(super) fn add(&mut self, serial: String, holder: String) {
        self.0.entry(serial).or_default().insert(holder);
    }

    /// Keys of all serials that lie above.
    pub(super) fn serial_keys(&self) -> BTreeSet<String> {
        let holders = self.0.values().flatten();
        holders.filter_map(|holder| holder.strip_prefix("Serial/")).map(str::to_owned).collect()
    }

    /// Whether one is the other or contains it, at any depth.
    pub(super) fn is_in(&self, inner: &str, outer: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![inner];
        while let Some(id) = open.pop() {
            if id == outer {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.0.get(id).into_iter().flatten().map(String::as_str));
            }
        }
        false
    }
}

/// A batch that may hold components.
pub(super) use crate::aql::rows::ComponentBatch as Batch;

/// Batches by key.
pub(super) async fn batches(trx: &Transaction, keys: &BTreeSet<&String>) -> Result<BTreeMap<String, Batch>> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let params = stored::batches::Params { batch_keys: keys.iter().copied().collect() };
    Ok(by_key(stored::batches(trx, params).await?))
}

fn by_key(batches: Vec<Batch>) -> BTreeMap<String, Batch> {
    batches.into_iter().map(|batch| (batch.key.clone(), batch)).collect()
}

/// What putting serials into others must know.
pub(super) struct Linking {
    pub above: Above,
    pub batches: BTreeMap<String, Batch>,
    /// Where the children are in stock, and what holds them.
    pub whereabouts: Whereabouts,
}

impl Linking {
    /// Of these parents, batches and children.
    pub(super) async fn of(
        trx: &Transaction,
        parents: &BTreeSet<&String>,
        batches: &BTreeSet<&String>,
        children: &[&String],
    ) -> Result<Self> {
        let ids = known::ids(children.iter().copied());
        let params = stored::linking::Params {
            parent_keys: parents.iter().copied().collect(),
            batch_keys: batches.iter().copied().collect(),
            keys: children.into(),
            ids: (&ids).into(),
        };
        let stored::linking::Row { above, batches, stock, links } = stored::linking(trx, params).await?;
        let whereabouts = Whereabouts { stock, links, ..Whereabouts::default() };
        Ok(Self { above: Above::gathered(above), batches: by_key(batches), whereabouts })
    }
}

/// Changes of links that are written together.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// New links.
    pub inserted: Vec<ComponentLink>,
    /// Keys of reservations that become final.
    pub confirmed: Vec<String>,
    /// Keys of links that go.
    pub removed: Vec<String>,
    /// Links that are history from now on: `{key, reason}`.
    pub replaced: Vec<ReplacedLink>,
}

impl Changes {
    /// Writes them.
    pub(super) async fn write(self, trx: &Transaction) -> Result<()> {
        if !self.replaced.is_empty() {
            stored::replace_links(trx, stored::replace_links::Params { links: &self.replaced }).await?;
        }
        if !self.removed.is_empty() {
            stored::remove_links(trx, stored::remove_links::Params { keys: (&self.removed).into() }).await?;
        }
        if !self.confirmed.is_empty() {
            stored::confirm_links(trx, stored::confirm_links::Params { keys: (&self.confirmed).into() }).await?;
        }
        if !self.inserted.is_empty() {
            stored::insert_links(trx, stored::insert_links::Params { links: &self.inserted }).await?;
        }
        Ok(())
    }
}

/// Identifier of what holds a component: a serial, else a batch.
pub(super) fn holder(parent_serial_key: Option<&str>, batch_key: Option<&str>) -> Option<String> {
    parent_serial_key.map(known::id).or_else(|| batch_key.map(|key| format!("Batch/{key}")))
}

/// A parent as web pages send it: `components` stands for none.
pub(super) fn parent_key(sent: Option<String>) -> Option<String> {
    sent.filter(|key| key != "components" && !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_is_in_what_lies_above_it_at_any_depth_and_rings_end() {
        let step = |serial: &str, holder: &str| SerialAbove { serial: serial.to_owned(), holder: holder.to_owned() };
        let above = Above::gathered(vec![step("a", "b"), step("b", "c"), step("c", "a"), step("d", "c")]);
        assert!(above.is_in("a", "a") && above.is_in("a", "c") && above.is_in("d", "b"));
        assert!(!above.is_in("a", "d") && !above.is_in("x", "a"));
    }
}
