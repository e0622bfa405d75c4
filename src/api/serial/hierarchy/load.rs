//! What a tree is made of: one walk downwards, and a second look where a serial hangs at several links.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::json;

use super::super::graph::LinkState;
use crate::aql;
use crate::error::{Error, Result};
use crate::store::{Query, Transaction};

/// The queries of [`load`].
pub(super) const QUERIES: [Query; 3] = [aql::serial::DESCENDANTS, aql::serial::LINKS, aql::serial::PRODUCTS];

/// A serial of the tree.
pub(super) struct Serial {
    pub key: String,
    pub code: Option<String>,
    pub product_key: Option<String>,
    /// Its product, where that is known.
    pub product: Option<usize>,
    pub children: Vec<Child>,
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
    let mut asked = HashSet::new();
    let mut wanted = vec![root.to_owned()];
    // One round, unless a serial was reached over a replaced link before its current one: then what is below it
    // is fetched in another.
    while !wanted.is_empty() {
        let found = trx.row(&aql::serial::DESCENDANTS, json!({"serial_keys": wanted})).await?;
        let found: Found = found.ok_or_else(missing)?;
        if found.has_all_links(wanted.len()) && loader.serials.is_empty() {
            loader.add_tree(found.serials);
            break;
        }
        let new = loader.add_serials(found.serials);
        loader.add_links(trx.rows(&aql::serial::LINKS, json!({"serial_keys": new})).await?);
        loader.place_links();
        asked.extend(wanted);
        wanted = loader.missing(&asked);
    }
    let keys: HashSet<&str> = loader.serials.iter().filter_map(|serial| serial.product_key.as_deref()).collect();
    let products = trx.rows(&aql::serial::PRODUCTS, json!({"product_keys": keys})).await?;
    Ok((loader.serials, products))
}

/// The query always gives one row.
fn missing() -> Error {
    Error::internal("The database gave no answer about the serials below this one.", "serial/descendants has no row")
}

/// What the database tells of a walk. Thousands of serials come at once, so their members have no names.
#[derive(Debug, Deserialize)]
struct Found {
    serials: Vec<FoundSerial>,
    linked: usize,
}

/// Key, code, key of the product, and the link it was reached over: id of the parent, whether it was replaced, and whether it
/// is confirmed.
type FoundSerial = (String, Option<String>, Option<String>, Option<String>, bool, bool);

/// The ids of both ends, whether it was replaced, and whether it is confirmed.
type FoundLink = (String, String, bool, bool);

impl Found {
    /// Whether the links of the walk are all there are: no serial was reached over several, and none twice from different
    /// starts.
    fn has_all_links(&self, starts: usize) -> bool {
        starts == 1 && self.linked == self.serials.iter().filter(|serial| serial.3.is_some()).count()
    }
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Loader {
    pub serials: Vec<Serial>,
    places: HashMap<String, usize>,
    /// Links downwards, each with the key at its other end.
    links: Vec<(usize, String, LinkState)>,
}

impl Loader {
    /// Takes in the serials of a walk over single links, when there is nothing else.
    pub(super) fn add_tree(&mut self, found: Vec<FoundSerial>) {
        let mut links = Vec::with_capacity(found.len());
        self.serials.reserve(found.len());
        for (serial, (key, code, product_key, parent, replaced, confirmed)) in found.into_iter().enumerate() {
            links.extend(parent.map(|parent| (parent, Child { serial, link: LinkState { replaced, confirmed } })));
            self.serials.push(Serial { key, code, product_key, product: None, children: Vec::new() });
        }
        let keys = self.serials.iter().enumerate().map(|(at, serial)| (serial.key.as_str(), at));
        let places: HashMap<&str, usize> = keys.collect();
        let parents: Vec<Option<usize>> = links.iter().map(|(id, _)| places.get(key_of(id)).copied()).collect();
        for (parent, (_, child)) in parents.into_iter().zip(links) {
            if let Some(parent) = parent {
                self.serials[parent].children.push(child);
            }
        }
    }

    /// Takes in the serials of a walk that are new, and says which they are.
    fn add_serials(&mut self, found: Vec<FoundSerial>) -> Vec<String> {
        let first_new = self.serials.len();
        for (key, code, product_key, ..) in found {
            if !self.places.contains_key(&key) {
                self.places.insert(key.clone(), self.serials.len());
                self.serials.push(Serial { key, code, product_key, product: None, children: Vec::new() });
            }
        }
        self.serials[first_new..].iter().map(|serial| serial.key.clone()).collect()
    }

    /// Takes in all links of serials.
    fn add_links(&mut self, found: Vec<FoundLink>) {
        for (from, to, replaced, confirmed) in found {
            let Some(parent) = self.places.get(key_of(&from)).copied() else { continue };
            self.links.push((parent, key_of(&to).to_owned(), LinkState { replaced, confirmed }));
        }
    }

    /// Puts links in their places whose other ends have been found since.
    fn place_links(&mut self) {
        for (parent, key, link) in std::mem::take(&mut self.links) {
            match self.places.get(&key) {
                Some(serial) => self.serials[parent].children.push(Child { serial: *serial, link }),
                None => self.links.push((parent, key, link)),
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
        let missing = self.links.iter().filter(|(parent, key, _)| is_open[*parent] && !asked.contains(key));
        missing.map(|(_, key, _)| key.clone()).collect::<HashSet<_>>().into_iter().collect()
    }
}

/// The key in the id of a document.
fn key_of(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, key)| key)
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::Value;

    use super::*;

    /// Serials with all their links, as they are when a serial hangs at several.
    pub(in super::super) fn loader(serials: &Value) -> Loader {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (mut found, mut links) = (Vec::new(), Vec::new());
        for serial in serials.as_array().unwrap() {
            let key = text(&serial["serial_key"]).unwrap();
            for link in serial["children"].as_array().unwrap() {
                let to = format!("Serial/{}", link["serial_key"].as_str().unwrap());
                links.push((format!("Serial/{key}"), to, link["replaced"] == true, link["confirmed"] == true));
            }
            found.push((key, text(&serial["serial_code"]), text(&serial["product_key"]), None, false, true));
        }
        let mut loader = Loader::default();
        loader.add_serials(found);
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
    fn a_walk_tells_all_links_unless_there_are_more_or_several_starts() {
        let serial = |key: &str, parent: Option<&str>| {
            (key.to_owned(), None, None, parent.map(|key| format!("Serial/{key}")), false, true)
        };
        let walk = |linked| Found { serials: vec![serial("a", None), serial("b", Some("a"))], linked };
        assert!(walk(1).has_all_links(1));
        assert!(!walk(1).has_all_links(2));
        assert!(!walk(2).has_all_links(1));
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
        let serial = |key: &str| (key.to_owned(), None, None, None, false, true);
        assert_eq!(loader.add_serials(vec![serial("b"), serial("c")]), ["c"], "who is there has its links already");
        loader.place_links();
        assert_eq!(loader.serials[1].children.len(), 1);
        assert!(loader.missing(&HashSet::new()).is_empty());
    }
}
