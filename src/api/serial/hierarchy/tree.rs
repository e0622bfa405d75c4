//! The tree below a root serial: what is installed, and what the bills of materials expect. It is built and written
//! without recursion, and every serial is opened once, so it ends on any data and costs what the data weighs.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::graph::LinkState;
use crate::aql;
use crate::error::Result;
use crate::store::{Query, Transaction};

/// The queries of [`Forest::load`].
pub(super) const QUERIES: [Query; 3] = [aql::serial::DESCENDANTS, aql::serial::LINKS, aql::serial::PRODUCTS];

/// Everything a tree is made of. Serials and products are known by their places; the root is the first serial.
#[derive(Default)]
pub(super) struct Forest {
    serials: Vec<Serial>,
    products: Vec<Product>,
}

struct Serial {
    key: String,
    code: Option<String>,
    product_key: Option<String>,
    /// Its product, where that is known.
    product: Option<usize>,
    children: Vec<Child>,
}

/// A link downwards.
#[derive(Clone, Copy)]
struct Child {
    serial: usize,
    link: LinkState,
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
    /// The links of the walk, where they are all there are: no serial was reached over several, and none twice from
    /// different starts.
    fn only_links(&self, starts: usize) -> bool {
        starts == 1 && self.linked == self.serials.iter().filter(|serial| serial.3.is_some()).count()
    }
}

#[derive(Debug, Deserialize)]
struct Product {
    #[serde(rename = "product_key")]
    key: String,
    code: Option<String>,
    description: Option<String>,
    expected: Vec<Component>,
}

#[derive(Debug, Deserialize)]
struct Component {
    product_key: String,
    code: Option<String>,
    description: Option<String>,
}

/// What was found so far.
#[derive(Default)]
struct Loader {
    serials: Vec<Serial>,
    places: HashMap<String, usize>,
    /// Links downwards, each with the key at its other end.
    links: Vec<(usize, String, LinkState)>,
}

impl Loader {
    /// Takes in the serials of a walk over single links, parents before what they contain.
    fn add_tree(&mut self, found: Vec<FoundSerial>) {
        self.serials.reserve(found.len());
        self.places.reserve(found.len());
        for (key, code, product_key, parent, replaced, confirmed) in found {
            let (serial, link) = (self.serials.len(), LinkState { replaced, confirmed });
            if let Some(parent) = parent.and_then(|id| self.places.get(key_of(&id)).copied()) {
                self.serials[parent].children.push(Child { serial, link });
            }
            self.places.insert(key.clone(), serial);
            self.serials.push(Serial { key, code, product_key, product: None, children: Vec::new() });
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

/// A node of the finished tree.
struct Node<'a> {
    own: Own<'a>,
    /// The serial, unless it is only expected.
    serial: Option<usize>,
    /// Places in the tree.
    children: Vec<usize>,
}

/// What a node tells of itself, in this order.
#[derive(Serialize)]
struct Own<'a> {
    serial_key: Option<&'a str>,
    product_key: Option<&'a str>,
    serial_code: Option<&'a str>,
    product_code: Option<&'a str>,
    replaced: bool,
    confirmed: bool,
    extra_bom: bool,
    product_description: Option<&'a str>,
}

impl Forest {
    /// Loads all that belongs to the tree of `root`.
    pub(super) async fn load(trx: &Transaction, root: &str) -> Result<Self> {
        let mut loader = Loader::default();
        let mut asked = HashSet::new();
        let mut wanted = vec![root.to_owned()];
        // One round, unless a serial was reached over a replaced link before its current one: then what is below it
        // is fetched in another.
        while !wanted.is_empty() {
            let found: Option<Found> = trx.row(&aql::serial::DESCENDANTS, json!({"serial_keys": wanted})).await?;
            let Some(found) = found else { break };
            if found.only_links(wanted.len()) && loader.serials.is_empty() {
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
        Ok(Self::new(loader.serials, products))
    }

    fn new(mut serials: Vec<Serial>, products: Vec<Product>) -> Self {
        let places: HashMap<&str, usize> =
            products.iter().enumerate().map(|(at, product)| (product.key.as_str(), at)).collect();
        for serial in &mut serials {
            serial.product = serial.product_key.as_deref().and_then(|key| places.get(key).copied());
        }
        Self { serials, products }
    }

    fn product(&self, serial: &Serial) -> Option<&Product> {
        serial.product.map(|at| &self.products[at])
    }

    /// The tree as JSON text: an array of one node.
    pub(super) fn json(&self, include_expected: bool) -> String {
        write(&self.nodes(include_expected))
    }

    fn nodes(&self, include_expected: bool) -> Vec<Node<'_>> {
        let mut nodes = Vec::with_capacity(self.serials.len());
        if self.serials.is_empty() {
            return nodes;
        }
        nodes.push(self.node(0, None, false));
        let mut is_opened = vec![false; self.serials.len()];
        is_opened[0] = true;
        let mut open = vec![0_usize];
        while let Some(at) = open.pop() {
            let Some(serial) = nodes[at].serial else { continue };
            let first = nodes.len();
            self.put_children(serial, include_expected, &mut nodes, |index, child| {
                if child.link.is_open() && !std::mem::replace(&mut is_opened[child.serial], true) {
                    open.push(index);
                }
            });
            nodes[at].children = (first..nodes.len()).collect();
        }
        nodes
    }

    fn node(&self, at: usize, link: Option<LinkState>, extra_bom: bool) -> Node<'_> {
        let serial = &self.serials[at];
        let product = self.product(serial);
        let own = Own {
            serial_key: Some(&serial.key),
            product_key: serial.product_key.as_deref(),
            serial_code: serial.code.as_deref(),
            product_code: product.and_then(|product| product.code.as_deref()),
            replaced: link.is_some_and(|link| link.replaced),
            confirmed: link.is_none_or(|link| link.confirmed),
            extra_bom,
            product_description: product.and_then(|product| product.description.as_deref()),
        };
        Node { own, serial: Some(at), children: Vec::new() }
    }

    /// Adds the children of an open serial in order: first what the bill of materials expects, line by line, then the rest.
    fn put_children<'a>(
        &'a self,
        parent: usize,
        include_expected: bool,
        nodes: &mut Vec<Node<'a>>,
        mut installed: impl FnMut(usize, Child),
    ) {
        let parent = &self.serials[parent];
        let mut children = parent.children.clone();
        children.sort_by_cached_key(|child| {
            let serial = &self.serials[child.serial];
            let product_code = self.product(serial).and_then(|product| product.code.as_deref());
            (product_code, serial.code.as_deref(), serial.key.as_str())
        });
        let product_key = |child: &Child| self.serials[child.serial].product_key.as_deref();
        let mut listed = HashSet::new();
        for component in self.product(parent).map_or(&[][..], |product| &product.expected) {
            let key = component.product_key.as_str();
            let matching = || children.iter().filter(|child| product_key(child) == Some(key));
            if listed.insert(key) {
                for child in matching() {
                    installed(nodes.len(), *child);
                    nodes.push(self.node(child.serial, Some(child.link), false));
                }
            }
            if include_expected && matching().all(|child| child.link.replaced) {
                nodes.push(placeholder(component));
            }
        }
        for child in children.iter().filter(|child| !product_key(child).is_some_and(|key| listed.contains(key))) {
            installed(nodes.len(), *child);
            nodes.push(self.node(child.serial, Some(child.link), true));
        }
    }
}

fn placeholder(component: &Component) -> Node<'_> {
    let own = Own {
        serial_key: None,
        product_key: Some(&component.product_key),
        serial_code: None,
        product_code: component.code.as_deref(),
        replaced: false,
        confirmed: true,
        extra_bom: false,
        product_description: component.description.as_deref(),
    };
    Node { own, serial: None, children: Vec::new() }
}

/// About so many bytes of text a node has.
const NODE_BYTES: usize = 220;

/// Writes the tree whose root is the first node.
fn write(nodes: &[Node<'_>]) -> String {
    let mut text = Vec::with_capacity(nodes.len() * NODE_BYTES);
    text.push(b'[');
    let mut stack: Vec<(&Node<'_>, usize)> = Vec::new();
    if let Some(root) = nodes.first() {
        write_head(&mut text, root);
        stack.push((root, 0));
    }
    while let Some((node, next)) = stack.last_mut() {
        let child = node.children.get(*next).map(|child| &nodes[*child]);
        *next += 1;
        if let Some(child) = child {
            if *next > 1 {
                text.push(b',');
            }
            write_head(&mut text, child);
            stack.push((child, 0));
        } else {
            text.extend_from_slice(b"]}");
            stack.pop();
        }
    }
    text.push(b']');
    String::from_utf8(text).expect("JSON text is UTF-8")
}

/// Writes a node up to the start of its children.
fn write_head(text: &mut Vec<u8>, node: &Node<'_>) {
    serde_json::to_writer(&mut *text, &node.own).expect("texts and truth values are written to memory");
    text.pop();
    text.extend_from_slice(b",\"children\":[");
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn loader(serials: &Value) -> Loader {
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

    fn forest(serials: Value, products: Value) -> Forest {
        Forest::new(loader(&serials).serials, serde_json::from_value(products).unwrap())
    }

    fn serial(key: &str, product: &str, children: &[(&str, bool, bool)]) -> Value {
        let children: Vec<Value> = children
            .iter()
            .map(|(key, replaced, confirmed)| json!({"serial_key": key, "replaced": replaced, "confirmed": confirmed}))
            .collect();
        json!({"serial_key": key, "serial_code": key, "product_key": product, "children": children})
    }

    fn product(key: &str, expected: &[&str]) -> Value {
        let expected: Vec<Value> =
            expected.iter().map(|key| json!({"product_key": key, "code": key, "description": null})).collect();
        json!({"product_key": key, "code": key, "description": null, "expected": expected})
    }

    /// `key(children)`; `_` for a placeholder with its product, `+` behind an extra, `-` behind a replaced one.
    fn outline(node: &Value) -> String {
        let key = node["serial_key"]
            .as_str()
            .map_or_else(|| format!("_{}", node["product_key"].as_str().unwrap()), str::to_owned);
        let extra = if node["extra_bom"] == true { "+" } else { "" };
        let replaced = if node["replaced"] == true { "-" } else { "" };
        let children: Vec<String> = node["children"].as_array().unwrap().iter().map(outline).collect();
        let children = if children.is_empty() { String::new() } else { format!("({})", children.join(" ")) };
        format!("{key}{extra}{replaced}{children}")
    }

    fn tree(forest: &Forest, include_expected: bool) -> String {
        let parsed: Value = serde_json::from_str(&forest.json(include_expected)).unwrap();
        parsed.as_array().unwrap().iter().map(outline).collect()
    }

    #[test]
    fn expected_components_come_in_order_then_extras_and_missing_ones_have_placeholders() {
        let serials = json!([
            serial("bike", "B", &[("x", false, true), ("m", false, true)]),
            serial("m", "M", &[]),
            serial("x", "X", &[]),
        ]);
        let products = json!([product("B", &["F", "M"]), product("M", &["K"]), product("X", &[])]);
        let forest = forest(serials, products);
        assert_eq!(tree(&forest, true), "bike(_F m(_K) x+)");
        assert_eq!(tree(&forest, false), "bike(m x+)");
    }

    #[test]
    fn replaced_and_unconfirmed_components_are_not_opened() {
        let serials = json!([
            serial("bike", "B", &[("old", true, true), ("new", false, false)]),
            serial("old", "M", &[("c", false, true)]),
            serial("new", "M", &[("c", false, true)]),
            serial("c", "K", &[]),
        ]);
        let forest = forest(serials, json!([product("B", &["M"]), product("M", &["K"])]));
        assert_eq!(tree(&forest, true), "bike(new old-)");
    }

    #[test]
    fn a_line_whose_components_are_all_replaced_expects_another_and_lines_repeat_only_placeholders() {
        let serials = json!([serial("bike", "B", &[("old", true, true)]), serial("old", "M", &[])]);
        let forest = forest(serials, json!([product("B", &["M", "M"])]));
        assert_eq!(tree(&forest, true), "bike(old- _M _M)");
    }

    #[test]
    fn a_circle_is_shown_once() {
        let serials = json!([serial("a", "A", &[("b", false, true)]), serial("b", "A", &[("a", false, true)])]);
        let forest = forest(serials, json!([]));
        assert_eq!(tree(&forest, true), "a(b+(a+))");
    }

    #[test]
    fn a_deep_tree_needs_no_stack() {
        let id = |level: usize| format!("Serial/{level}");
        let serial = |level: usize| (level.to_string(), None, None, level.checked_sub(1).map(id), false, true);
        let mut loader = Loader::default();
        loader.add_tree((0..100_000).map(serial).collect());
        let forest = Forest::new(loader.serials, Vec::new());
        assert_eq!(forest.json(true).matches("\"serial_key\"").count(), 100_000);
    }

    #[test]
    fn a_walk_tells_all_links_unless_there_are_more_or_several_starts() {
        let serial = |key: &str, parent: Option<&str>| {
            (key.to_owned(), None, None, parent.map(|key| format!("Serial/{key}")), false, true)
        };
        let walk = |linked| Found { serials: vec![serial("a", None), serial("b", Some("a"))], linked };
        assert!(walk(1).only_links(1));
        assert!(!walk(1).only_links(2));
        assert!(!walk(2).only_links(1));
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
