//! Positions that are moved with everything in them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::known::Known;
use super::ledger::{Changes, Link, New};
use super::rules::Step;
use super::{OUTSIDE, ROOT};
use crate::aql::stock_events;
use crate::aql::stock_events::containers::{Links, Marks as Inside, Params, Row as Stored};
use crate::error::Result;
use crate::events::Refusal;
use crate::store::Transaction;

/// The tree of positions while containers move in it.
#[derive(Debug, Default)]
pub(super) struct Containers {
    /// Keys of the links that lead upwards from each position; several in existing data.
    links: HashMap<String, Vec<String>>,
    parents: HashMap<String, String>,
    marks: Vec<Inside>,
    moved: BTreeSet<String>,
}

impl Containers {
    /// Reads the tree above the containers among these movements and above where they go.
    pub(super) async fn load<'s>(trx: &Transaction, steps: impl Iterator<Item = &'s Step>) -> Result<Self> {
        let moves: Vec<&Step> = steps.filter(|step| step.product_key.is_none()).collect();
        if moves.is_empty() {
            return Ok(Self::default());
        }
        let containers: BTreeSet<&String> = moves.iter().map(|step| &step.from).collect();
        let ends: BTreeSet<&String> = moves.iter().flat_map(|step| [&step.from, &step.to]).collect();
        let params = Params { containers: containers.into_iter().collect(), ends: ends.into_iter().collect() };
        Ok(Self::new(stock_events::containers(trx, params).await?))
    }

    fn new(stored: Stored) -> Self {
        let mut tree = Self { marks: stored.marks, ..Self::default() };
        for Links { key, position_key, parent_key } in stored.links {
            tree.links.entry(position_key.clone()).or_default().push(key);
            tree.parents.entry(position_key).or_insert(parent_key);
        }
        tree
    }

    /// Puts a position into another.
    pub(super) fn put(&mut self, known: &Known, container: &str, parent: &str) -> Result<()> {
        let position = known.position(container)?;
        let name = position.name();
        let refused = |text: String| Err(Refusal::Movement.says(text));
        if position.is_fixed || [ROOT, OUTSIDE].contains(&container) {
            return refused(format!("Position {name} is fixed and cannot be moved"));
        }
        let target = known.position(parent)?;
        if parent == OUTSIDE {
            return refused(format!("Position {name} cannot leave the own stock"));
        }
        if self.is_at_or_below(parent, container) {
            return refused(format!("Position {name} cannot be moved into itself ({})", target.name()));
        }
        let mut inside = self.marks.iter().filter(|inside| inside.container == container);
        if let Some(reason) = inside.find_map(|inside| inside.mark.reason(None)) {
            return refused(format!("Stock in position {name} {reason}"));
        }
        self.parents.insert(container.to_owned(), parent.to_owned());
        self.moved.insert(container.to_owned());
        Ok(())
    }

    /// Whether a position is another one, or lies in it.
    fn is_at_or_below(&self, position: &str, container: &str) -> bool {
        let mut seen = HashSet::new();
        let mut at = Some(position);
        while let Some(key) = at.filter(|key| seen.insert(*key)) {
            if key == container {
                return true;
            }
            at = self.parents.get(key).map(String::as_str);
        }
        false
    }

    /// Adds what has moved to what is to be written: the link of each is pointed to its new place, or made when there is none;
    /// of several one is left. Marks in it that mean nothing any more go.
    pub(super) fn add_to(&self, changes: &mut Changes) {
        let moved: BTreeMap<&String, &String> =
            self.moved.iter().filter_map(|key| Some((key, self.parents.get(key)?))).collect();
        for (key, parent) in moved {
            let to = format!("Position/{parent}");
            let mut links = self.links.get(key).into_iter().flatten();
            match links.next() {
                Some(link) => changes.update(link, [("_to", to.into())]),
                None => changes.inserted.push(New::Link(Link { from: format!("Position/{key}"), to })),
            }
            changes.removed.extend(links.cloned());
        }
        for Inside { mark, .. } in self.marks.iter().filter(|inside| self.moved.contains(&inside.container)) {
            let cleared = mark.cleared();
            if !cleared.is_empty() {
                changes.updated.push((mark.key.clone(), cleared));
            }
        }
    }
}
