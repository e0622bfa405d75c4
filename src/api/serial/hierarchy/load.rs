//! What a tree is made of: one walk downwards, and another one with a look at all links where a serial hangs at several.

use std::collections::{HashMap, HashSet};

use aqlite::value::SmolStr;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::graph::LinkState;
use super::found::{self, FoundLink, FoundSerial};
use crate::aql;
use crate::error::{Error, Result};
use crate::store::{Query, Transaction};

/// The queries of [`load`].
pub(super) const QUERIES: [Query; 4] =
    [aql::serial::TREE, aql::serial::DESCENDANTS, aql::serial::LINKS, aql::serial::PRODUCTS];

/// A tree of so many serials is not tried to be walked at once. Where that is given up, it has cost as much as this.
const MOST_AT_ONCE: usize = 16_384;

/// A serial of the tree. There are thousands, so their texts are of the kind that takes no memory of its own while it is short.
pub(super) struct Serial {
    pub id: SmolStr,
    pub code: Option<SmolStr>,
    pub product_key: Option<SmolStr>,
    /// Its product, where that is known.
    pub product: Option<usize>,
    pub children: Vec<Child>,
}

impl Serial {
    fn of(found: FoundSerial) -> Self {
        Self { id: found.id, code: found.code, product_key: found.product, product: None, children: Vec::new() }
    }

    pub(super) fn key(&self) -> &str {
        key_of(&self.id)
    }
}

/// A link downwards.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub serial: usize,
    pub link: LinkState,
}

/// A product with the traced components its bill of materials expects.
#[derive(Debug, Deserialize)]
pub(super) struct Product {
    #[serde(rename = "product_key")]
    pub key: String,
    pub code: Option<String>,
    pub description: Option<String>,
    pub expected: Vec<Component>,
}

/// A component that is expected.
#[derive(Debug, Deserialize)]
pub(super) struct Component {
    pub product_key: String,
    pub code: Option<String>,
    pub description: Option<String>,
}

/// Loads all that belongs to the tree of `root`, which is the first serial.
pub(super) async fn load(trx: &Transaction, root: &str) -> Result<(Vec<Serial>, Vec<Product>)> {
    let mut loader = Loader::default();
    let walk = json!({"serial_key": root, "most": MOST_AT_ONCE});
    let found = walked(trx, &aql::serial::TREE, walk).await?;
    if found.len() < MOST_AT_ONCE && found::are_different(&found) {
        loader.add_tree(found);
    } else {
        load_linked(trx, root, &mut loader).await?;
    }
    // neighbours are often of one product
    let mut keys: Vec<&str> = loader.serials.iter().filter_map(|serial| serial.product_key.as_deref()).collect();
    keys.dedup();
    let keys: HashSet<&str> = keys.into_iter().collect();
    let products = trx.rows(&aql::serial::PRODUCTS, json!({"product_keys": keys})).await?;
    Ok((loader.serials, products))
}

/// Loads serials that may hang at several links.
async fn load_linked(trx: &Transaction, root: &str, loader: &mut Loader) -> Result<()> {
    let mut asked = HashSet::new();
    let mut wanted = vec![root.to_owned()];
    // One round, unless a serial was reached over a replaced link before its current one: then what is below it
    // is fetched in another.
    while !wanted.is_empty() {
        let found = walked(trx, &aql::serial::DESCENDANTS, json!({"serial_keys": wanted})).await?;
        let new = loader.add_serials(found);
        loader.add_links(trx.rows(&aql::serial::LINKS, json!({"serial_keys": new})).await?);
        loader.place_links();
        asked.extend(wanted);
        wanted = loader.missing(&asked);
    }
    Ok(())
}

async fn walked(trx: &Transaction, query: &Query, params: Value) -> Result<Vec<FoundSerial>> {
    let found = trx.look(query, params, found::serials).await?;
    found.flatten().ok_or_else(missing)
}

/// A walk always gives one row.
fn missing() -> Error {
    Error::internal("The database gave no answer about the serials below this one.", "a walk has no row of serials")
}

/// So many serials are compared before one is looked up.
const NEAR: usize = 64;

/// What was found so far.
#[derive(Default)]
pub(super) struct Loader {
    pub serials: Vec<Serial>,
    /// Places of serials by their ids.
    places: HashMap<SmolStr, usize>,
    /// Links downwards, each with the id at its other end.
    links: Vec<(usize, SmolStr, LinkState)>,
}

impl Loader {
    /// Takes in the serials of a walk over single links, when there is nothing else. Whoever contains a serial was found
    /// before it.
    pub(super) fn add_tree(&mut self, found: Vec<FoundSerial>) {
        self.serials.reserve(found.len());
        // a walk goes on from serials in the order in which it has found them, so the next parent is not far
        let mut last = 0;
        for (at, found) in found.into_iter().enumerate() {
            if let Some(parent) = found.parent.as_ref().and_then(|id| self.place_behind(last, id)) {
                last = parent;
                let link = LinkState { replaced: found.replaced, confirmed: found.confirmed };
                self.serials[parent].children.push(Child { serial: at, link });
            }
            self.serials.push(Serial::of(found));
        }
    }

    /// Where a serial stands that is probably the one at a place or soon behind it.
    fn place_behind(&mut self, at: usize, id: &SmolStr) -> Option<usize> {
        let near = self.serials.iter().enumerate().skip(at).take(NEAR);
        if let Some((place, _)) = near.into_iter().find(|(_, serial)| serial.id == *id) {
            return Some(place);
        }
        for (place, serial) in self.serials.iter().enumerate().skip(self.places.len()) {
            self.places.insert(serial.id.clone(), place);
        }
        self.places.get(id).copied()
    }

    /// Takes in the serials of a walk that are new, and says which they are.
    fn add_serials(&mut self, found: Vec<FoundSerial>) -> Vec<String> {
        let first_new = self.serials.len();
        for found in found {
            if !self.places.contains_key(&found.id) {
                self.places.insert(found.id.clone(), self.serials.len());
                self.serials.push(Serial::of(found));
            }
        }
        self.serials[first_new..].iter().map(|serial| serial.key().to_owned()).collect()
    }

    /// Takes in all links of serials.
    fn add_links(&mut self, found: Vec<FoundLink>) {
        for (from, to, replaced, confirmed) in found {
            let Some(parent) = self.places.get(&from).copied() else { continue };
            self.links.push((parent, to, LinkState { replaced, confirmed }));
        }
    }

    /// Puts links in their places whose other ends have been found since.
    fn place_links(&mut self) {
        for (parent, id, link) in std::mem::take(&mut self.links) {
            match self.places.get(&id) {
                Some(serial) => self.serials[parent].children.push(Child { serial: *serial, link }),
                None => self.links.push((parent, id, link)),
            }
        }
    }

    /// Children of open serials that were not found and not asked for.
    fn missing(&self, asked: &HashSet<String>) -> Vec<String> {
        if self.links.is_empty() || self.serials.is_empty() {
            return Vec::new();
        }
        let mut is_open = vec![false; self.serials.len()];
        is_open[0] = true;
        let mut open = vec![0_usize];
        while let Some(at) = open.pop() {
            for child in self.serials[at].children.iter().filter(|child| child.link.is_open()) {
                if !is_open[child.serial] {
                    is_open[child.serial] = true;
                    open.push(child.serial);
                }
            }
        }
        let ends = self.links.iter().filter(|(parent, ..)| is_open[*parent]).map(|(_, id, _)| key_of(id));
        let missing: HashSet<&str> = ends.filter(|key| !asked.contains(*key)).collect();
        missing.into_iter().map(str::to_owned).collect()
    }
}

/// The key in the id of a document, which is that of a serial.
fn key_of(id: &str) -> &str {
    id.strip_prefix("Serial/").or_else(|| Some(id.split_once('/')?.1)).unwrap_or(id)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::found::tests::found;
    use super::*;

    /// Serials with all their links, as they are when a serial hangs at several.
    pub(in super::super) fn loader(serials: &Value) -> Loader {
        let text = |value: &Value| value.as_str().map(SmolStr::new);
        let (mut all, mut links) = (Vec::new(), Vec::new());
        for serial in serials.as_array().unwrap() {
            let own = found(serial["serial_key"].as_str().unwrap(), None);
            for link in serial["children"].as_array().unwrap() {
                let to = format!("Serial/{}", link["serial_key"].as_str().unwrap());
                links.push((own.id.clone(), to.into(), link["replaced"] == true, link["confirmed"] == true));
            }
            let (code, product) = (text(&serial["serial_code"]), text(&serial["product_key"]));
            all.push(FoundSerial { code, product, ..own });
        }
        let mut loader = Loader::default();
        loader.add_serials(all);
        loader.add_links(links);
        loader.place_links();
        loader
    }

    pub(in super::super) fn serial(key: &str, product: &str, children: &[(&str, bool, bool)]) -> Value {
        let children: Vec<Value> = children
            .iter()
            .map(|(key, replaced, confirmed)| json!({"serial_key": key, "replaced": replaced, "confirmed": confirmed}))
            .collect();
        json!({"serial_key": key, "serial_code": key, "product_key": product, "children": children})
    }

    #[test]
    fn what_was_pruned_before_its_current_link_is_asked_for() {
        let serials = json!([
            serial("a", "A", &[("b", true, true), ("b", false, true)]),
            serial("b", "A", &[("c", false, true)]),
        ]);
        let mut loader = loader(&serials);
        assert_eq!(loader.missing(&HashSet::new()), ["c"]);
        assert!(loader.missing(&HashSet::from(["c".to_owned()])).is_empty());
        let more = vec![found("b", None), found("c", None)];
        assert_eq!(loader.add_serials(more), ["c"], "who is there has its links already");
        loader.place_links();
        assert_eq!(loader.serials[1].children.len(), 1);
        assert!(loader.missing(&HashSet::new()).is_empty());
    }

    #[test]
    fn children_are_placed_in_whatever_order_the_walk_comes() {
        let many = |parent: &'static str| (0..200).map(move |n| found(&format!("{parent}{n}"), Some(parent)));
        let mut walk = vec![found("r", None), found("a", Some("r"))];
        walk.extend(many("a"));
        walk.push(found("b", Some("r")));
        walk.extend(many("b"));
        walk.push(found("c", Some("a7")));
        let mut loader = Loader::default();
        loader.add_tree(walk);
        let children = |at: usize| loader.serials[at].children.len();
        assert_eq!([0, 1, 9, 202].map(children), [2, 200, 1, 200]);
    }
}
