//! What a tree is made of: one walk downwards from its root, and another one with a look at all links where a serial hangs at
//! several. Whoever asks for a tree mostly names its root; the way up to it is only looked for where something contains the serial.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use aqlite::value::SmolStr;
use serde::Deserialize;
use serde_json::Value;

use super::super::ancestry::{self, Through};
use super::super::graph::LinkState;
use super::super::records::unknown;
use super::children::{Child, Children};
use super::found::{FoundLink, FoundSerial, Walk};
use super::texts::{Text, Texts};
use crate::aql::serial as stored;
use crate::error::{Error, Result};
use crate::store::{Query, StoreError, Transaction, typed};

/// The queries of [`load`].
pub(super) const QUERIES: [Query; 5] =
    [stored::TREE, stored::ANCESTORS, stored::DESCENDANTS, stored::LINKS, stored::PRODUCTS];

/// A tree of so many serials is not tried to be walked at once. Where that is given up, it has cost as much as this.
const MOST_AT_ONCE: usize = 16_384;

/// A serial of the tree.
pub(super) struct Serial {
    pub id: Text,
    pub code: Option<Text>,
    pub product_key: Option<Text>,
    /// Its product, where that is known.
    pub product: Option<usize>,
}

impl Serial {
    fn of(found: FoundSerial) -> Self {
        Self { id: found.id, code: found.code, product_key: found.product, product: None }
    }
}

/// Serials with their texts and the links between them.
#[derive(Default)]
pub(super) struct Loaded {
    pub texts: Texts,
    pub serials: Vec<Serial>,
    /// Links downwards from the places of their parents.
    pub links: Vec<(usize, Child)>,
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

/// Loads all that belongs to the tree a serial is in. Its root is the first one.
pub(super) async fn load(trx: &Transaction, serial_key: &str) -> Result<(Loaded, Vec<Product>)> {
    let walk = |root: &str, unless_held: Option<String>| {
        let (serial_key, unless_held) = (root, unless_held.as_deref());
        let params = stored::tree::Params { serial_key, unless_held, most: MOST_AT_ONCE };
        walked(trx, &stored::TREE, typed::bound(&params))
    };
    let mut root = Cow::Borrowed(serial_key);
    let mut found = walk(serial_key, Some(format!("Serial/{serial_key}"))).await?;
    if found.serials.is_empty() {
        // something contains it, or there is no such serial
        root = Cow::Owned(root_above(trx, serial_key).await?);
        found = walk(&root, None).await?;
    }
    let loaded = if found.serials.len() < MOST_AT_ONCE && found.are_different() {
        tree_of(found)
    } else {
        load_linked(trx, &root).await?
    };
    // neighbours are often of one product, whose key they share
    let mut keys: Vec<Text> = loaded.serials.iter().filter_map(|serial| serial.product_key).collect();
    keys.dedup();
    let keys: HashSet<&str> = keys.into_iter().map(|key| loaded.texts.get(key)).collect();
    let params = stored::products::Params { product_keys: keys.into_iter().collect() };
    let products = stored::products(trx, params).await?;
    Ok((loaded, products))
}

async fn root_above(trx: &Transaction, serial_key: &str) -> Result<String> {
    let ancestors = ancestry::load(trx, serial_key, Through::CurrentLinks).await?;
    let root = ancestry::root(serial_key, &ancestors).ok_or_else(|| unknown(serial_key))?;
    Ok(root.to_owned())
}

/// Loads serials that may hang at several links.
async fn load_linked(trx: &Transaction, root: &str) -> Result<Loaded> {
    let mut loader = Loader::default();
    let mut asked = HashSet::new();
    let mut wanted = vec![root.to_owned()];
    // One round, unless a serial was reached over a replaced link before its current one: then what is below it
    // is fetched in another.
    while !wanted.is_empty() {
        let params = stored::descendants::Params { serial_keys: (&wanted).into() };
        let found = walked(trx, &stored::DESCENDANTS, typed::bound(&params)).await?;
        let new = loader.add_serials(&found);
        let params = stored::links::Params { serial_keys: (&new).into() };
        loader.add_links(stored::links(trx, params).await?);
        loader.place_links();
        asked.extend(wanted);
        wanted = loader.missing(&asked);
    }
    Ok(loader.loaded)
}

async fn walked(trx: &Transaction, query: &Query, params: Result<Value, StoreError>) -> Result<Walk> {
    let found = trx.look(query, params?, Walk::read).await?;
    found.flatten().ok_or_else(missing)
}

/// A walk always gives one row.
fn missing() -> Error {
    Error::internal("The database gave no answer about the serials below this one.", "a walk has no row of serials")
}

/// So many serials are compared before one is looked up.
const NEAR: usize = 64;

/// The tree of a walk over single links. Whoever contains a serial was found before it.
pub(super) fn tree_of(walk: Walk) -> Loaded {
    let texts = &walk.texts;
    let mut links = Vec::with_capacity(walk.serials.len());
    let mut places = HashMap::new();
    // a walk goes on from serials in the order in which it has found them, so the next parent is not far
    let (mut last_id, mut last) = (None, Some(0));
    for (at, found) in walk.serials.iter().enumerate() {
        let Some(id) = found.parent else { continue };
        if last_id != Some(id) {
            last = place_behind(last.unwrap_or_default(), id, (texts, &walk.serials[..at]), &mut places);
            last_id = Some(id);
        }
        if let Some(parent) = last {
            let link = LinkState { replaced: found.replaced, confirmed: found.confirmed };
            links.push((parent, Child { serial: at, link }));
        }
    }
    Loaded { serials: walk.serials.iter().copied().map(Serial::of).collect(), links, texts: walk.texts }
}

/// Where a serial stands that is probably the one at a place or soon behind it.
fn place_behind<'a>(
    at: usize,
    id: Text,
    (texts, found): (&'a Texts, &[FoundSerial]),
    places: &mut HashMap<&'a str, usize>,
) -> Option<usize> {
    let id = texts.get(id);
    let near = found.iter().enumerate().skip(at).take(NEAR);
    if let Some((place, _)) = near.into_iter().find(|(_, serial)| texts.get(serial.id) == id) {
        return Some(place);
    }
    for (place, serial) in found.iter().enumerate().skip(places.len()) {
        places.insert(texts.get(serial.id), place);
    }
    places.get(id).copied()
}

/// What was found so far of serials that may hang at several links.
#[derive(Default)]
pub(super) struct Loader {
    pub loaded: Loaded,
    /// Places of serials by their ids.
    places: HashMap<SmolStr, usize>,
    /// Links downwards, each with the id at its other end, which was not found yet.
    links: Vec<(usize, SmolStr, LinkState)>,
}

impl Loader {
    /// Takes in the serials of a walk that are new, and says which they are.
    fn add_serials(&mut self, walk: &Walk) -> Vec<String> {
        let mut new = Vec::new();
        for found in &walk.serials {
            let id = walk.texts.get(found.id);
            if self.places.contains_key(id) {
                continue;
            }
            let Loaded { texts, serials, .. } = &mut self.loaded;
            self.places.insert(id.into(), serials.len());
            let mut own = |text: Text| texts.add(walk.texts.get(text));
            serials.push(Serial {
                id: own(found.id),
                code: found.code.map(&mut own),
                product_key: found.product.map(&mut own),
                product: None,
            });
            new.push(key_of(id).to_owned());
        }
        new
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
                Some(serial) => self.loaded.links.push((parent, Child { serial: *serial, link })),
                None => self.links.push((parent, id, link)),
            }
        }
    }

    /// Children of open serials that were not found and not asked for.
    fn missing(&self, asked: &HashSet<String>) -> Vec<String> {
        let serials = self.loaded.serials.len();
        if self.links.is_empty() || serials == 0 {
            return Vec::new();
        }
        let children = Children::new(self.loaded.links.clone(), serials);
        let mut is_open = vec![false; serials];
        is_open[0] = true;
        let mut open = vec![0_usize];
        while let Some(at) = open.pop() {
            for child in children.of(at).iter().filter(|child| child.link.is_open()) {
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
pub(super) fn key_of(id: &str) -> &str {
    id.strip_prefix("Serial/").or_else(|| Some(id.split_once('/')?.1)).unwrap_or(id)
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::super::found::tests::walk;
    use super::*;

    /// Serials with all their links, as they are when a serial hangs at several.
    pub(in super::super) fn loader(serials: &Value) -> Loader {
        let (mut all, mut links) = (Walk::default(), Vec::new());
        for serial in serials.as_array().unwrap() {
            let key = serial["serial_key"].as_str().unwrap();
            for link in serial["children"].as_array().unwrap() {
                let [from, to] =
                    [key, link["serial_key"].as_str().unwrap()].map(|key| SmolStr::from(format!("Serial/{key}")));
                links.push((from, to, link["replaced"] == true, link["confirmed"] == true));
            }
            let mut text = |value: &Value| value.as_str().map(|text| all.texts.add(text));
            let (code, product) = (text(&serial["serial_code"]), text(&serial["product_key"]));
            let own = all.find(key, None);
            (own.code, own.product) = (code, product);
        }
        let mut loader = Loader::default();
        loader.add_serials(&all);
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
        let more = walk([("b", None), ("c", None)]);
        assert_eq!(loader.add_serials(&more), ["c"], "who is there has its links already");
        loader.place_links();
        assert_eq!(children(&loader.loaded, 1), 1);
        assert!(loader.missing(&HashSet::new()).is_empty());
    }

    fn children(loaded: &Loaded, parent: usize) -> usize {
        loaded.links.iter().filter(|(at, _)| *at == parent).count()
    }

    #[test]
    fn children_are_placed_in_whatever_order_the_walk_comes() {
        let keys = |parent: &str| -> Vec<String> { (0..200).map(|n| format!("{parent}{n}")).collect() };
        let (below_a, below_b) = (keys("a"), keys("b"));
        let mut found = vec![("r", None), ("a", Some("r"))];
        found.extend(below_a.iter().map(|key| (key.as_str(), Some("a"))));
        found.push(("b", Some("r")));
        found.extend(below_b.iter().map(|key| (key.as_str(), Some("b"))));
        found.push(("c", Some("a7")));
        let tree = tree_of(walk(found));
        assert_eq!([0, 1, 9, 202].map(|at| children(&tree, at)), [2, 200, 1, 200]);
    }
}
