//! The tree below a root serial: what is installed, and what the bills of materials expect. It is built and written
//! without recursion, and every serial is opened once, so it ends on any data and costs what the data weighs.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::aql;
use crate::error::Result;
use crate::store::{Query, Transaction};

/// The queries of [`Forest::load`].
pub(super) const QUERIES: [Query; 2] = [aql::serial::DESCENDANTS, aql::serial::PRODUCTS];

/// Everything a tree is made of.
pub(super) struct Forest {
    root: String,
    serials: HashMap<String, Serial>,
    products: HashMap<String, Product>,
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "named as the row names them")]
struct Serial {
    serial_key: String,
    serial_code: Option<String>,
    product_key: Option<String>,
    children: Vec<ChildLink>,
}

#[derive(Debug, Deserialize)]
struct ChildLink {
    serial_key: String,
    replaced: bool,
    confirmed: bool,
}

impl ChildLink {
    fn is_open(&self) -> bool {
        !self.replaced && self.confirmed
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

/// A node of the finished tree; children are indexes.
struct Node<'a> {
    serial: Option<&'a Serial>,
    product: ProductRef<'a>,
    replaced: bool,
    confirmed: bool,
    extra_bom: bool,
    children: Vec<usize>,
}

#[derive(Clone, Copy)]
struct ProductRef<'a> {
    key: Option<&'a str>,
    code: Option<&'a str>,
    description: Option<&'a str>,
}

impl Forest {
    /// Loads all that belongs to the tree of `root`.
    pub(super) async fn load(trx: &Transaction, root: &str) -> Result<Self> {
        let mut forest = Self { root: root.to_owned(), serials: HashMap::new(), products: HashMap::new() };
        let mut asked = HashSet::new();
        let mut wanted = vec![root.to_owned()];
        // One round, unless a serial was reached over a replaced link before its current one: then what is below it
        // is fetched in another.
        while !wanted.is_empty() {
            let found: Vec<Serial> = trx.rows(&aql::serial::DESCENDANTS, json!({"serial_keys": wanted})).await?;
            forest.serials.extend(found.into_iter().map(|serial| (serial.serial_key.clone(), serial)));
            asked.extend(wanted);
            wanted = forest.missing(&asked);
        }
        let product_keys: HashSet<&str> =
            forest.serials.values().filter_map(|serial| serial.product_key.as_deref()).collect();
        let found: Vec<Product> = trx.rows(&aql::serial::PRODUCTS, json!({"product_keys": product_keys})).await?;
        forest.products = found.into_iter().map(|product| (product.key.clone(), product)).collect();
        Ok(forest)
    }

    /// Children of open serials that were not loaded and not asked for.
    fn missing(&self, asked: &HashSet<String>) -> Vec<String> {
        let mut seen = HashSet::from([self.root.as_str()]);
        let mut open = vec![self.root.as_str()];
        let mut missing = HashSet::new();
        while let Some(key) = open.pop() {
            for link in self.serials.get(key).into_iter().flat_map(|serial| &serial.children) {
                if !self.serials.contains_key(&link.serial_key) && !asked.contains(&link.serial_key) {
                    missing.insert(link.serial_key.clone());
                } else if link.is_open() && seen.insert(&link.serial_key) {
                    open.push(&link.serial_key);
                }
            }
        }
        missing.into_iter().collect()
    }

    fn product(&self, serial: &Serial) -> ProductRef<'_> {
        let known = serial.product_key.as_deref().and_then(|key| self.products.get_key_value(key));
        ProductRef {
            key: known.map(|(key, _)| key.as_str()),
            code: known.and_then(|(_, product)| product.code.as_deref()),
            description: known.and_then(|(_, product)| product.description.as_deref()),
        }
    }

    /// The tree as JSON text: an array of one node.
    pub(super) fn json(&self, include_expected: bool) -> String {
        write(&self.nodes(include_expected))
    }

    fn nodes(&self, include_expected: bool) -> Vec<Node<'_>> {
        let mut nodes = Vec::new();
        let Some(root) = self.serials.get(&self.root) else { return nodes };
        nodes.push(self.node(root, None));
        let mut opened = HashSet::from([self.root.as_str()]);
        let mut open = vec![0_usize];
        while let Some(at) = open.pop() {
            let Some(serial) = nodes.get(at).and_then(|node| node.serial) else { continue };
            for (child, is_open) in self.children(serial, include_expected) {
                let index = nodes.len();
                if is_open && child.serial.is_some_and(|serial| opened.insert(&serial.serial_key)) {
                    open.push(index);
                }
                nodes.push(child);
                nodes[at].children.push(index);
            }
        }
        nodes
    }

    fn node<'a>(&'a self, serial: &'a Serial, link: Option<&ChildLink>) -> Node<'a> {
        let product = ProductRef { key: serial.product_key.as_deref(), ..self.product(serial) };
        Node {
            serial: Some(serial),
            product,
            replaced: link.is_some_and(|link| link.replaced),
            confirmed: link.is_none_or(|link| link.confirmed),
            extra_bom: false,
            children: Vec::new(),
        }
    }

    /// The children of an open serial in order, each with whether it is open itself: first what the bill of materials
    /// expects, line by line, then the rest.
    fn children<'a>(&'a self, parent: &'a Serial, include_expected: bool) -> Vec<(Node<'a>, bool)> {
        let mut links: Vec<(&ChildLink, &Serial)> =
            parent.children.iter().filter_map(|link| Some((link, self.serials.get(&link.serial_key)?))).collect();
        links.sort_by_key(|(link, serial)| (self.product(serial).code, &serial.serial_code, &link.serial_key));

        let product = parent.product_key.as_deref().and_then(|key| self.products.get(key));
        let expected = product.map_or(&[][..], |product| &product.expected);
        let mut listed = HashSet::new();
        let mut children = Vec::new();
        for component in expected {
            let fits = |serial: &Serial| serial.product_key.as_deref() == Some(component.product_key.as_str());
            let matching = || links.iter().filter(|(_, serial)| fits(serial));
            if listed.insert(component.product_key.as_str()) {
                children.extend(matching().map(|(link, serial)| (self.node(serial, Some(link)), link.is_open())));
            }
            if include_expected && matching().all(|(link, _)| link.replaced) {
                children.push((placeholder(component), false));
            }
        }
        let rest =
            links.iter().filter(|(_, serial)| !serial.product_key.as_deref().is_some_and(|key| listed.contains(key)));
        children.extend(rest.map(|(link, serial)| {
            let node = Node { extra_bom: true, ..self.node(serial, Some(link)) };
            (node, link.is_open())
        }));
        children
    }
}

fn placeholder(component: &Component) -> Node<'_> {
    let product = ProductRef {
        key: Some(&component.product_key),
        code: component.code.as_deref(),
        description: component.description.as_deref(),
    };
    Node { serial: None, product, replaced: false, confirmed: true, extra_bom: false, children: Vec::new() }
}

/// Writes the tree whose root is the first node.
fn write(nodes: &[Node<'_>]) -> String {
    let mut text = String::from("[");
    let mut stack: Vec<(usize, usize)> = Vec::new();
    if let Some(root) = nodes.first() {
        write_head(&mut text, root);
        stack.push((0, 0));
    }
    while let Some((at, next)) = stack.last_mut() {
        let child = nodes.get(*at).and_then(|node| node.children.get(*next).copied());
        *next += 1;
        let is_first = *next == 1;
        if let Some((index, node)) = child.and_then(|child| Some((child, nodes.get(child)?))) {
            if !is_first {
                text.push(',');
            }
            write_head(&mut text, node);
            stack.push((index, 0));
        } else {
            text.push_str("]}");
            stack.pop();
        }
    }
    text.push(']');
    text
}

/// Writes a node up to the start of its children.
fn write_head(text: &mut String, node: &Node<'_>) {
    let own = json!({
        "serial_key": node.serial.map(|serial| &serial.serial_key),
        "product_key": node.product.key,
        "serial_code": node.serial.and_then(|serial| serial.serial_code.as_deref()),
        "product_code": node.product.code,
        "replaced": node.replaced,
        "confirmed": node.confirmed,
        "extra_bom": node.extra_bom,
        "product_description": node.product.description,
    });
    let own = Value::to_string(&own);
    text.push_str(own.strip_suffix('}').unwrap_or(&own));
    text.push_str(",\"children\":[");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(serials: Value, products: Value) -> Forest {
        let serials: Vec<Serial> = serde_json::from_value(serials).unwrap();
        let products: Vec<Product> = serde_json::from_value(products).unwrap();
        Forest {
            root: serials[0].serial_key.clone(),
            serials: serials.into_iter().map(|serial| (serial.serial_key.clone(), serial)).collect(),
            products: products.into_iter().map(|product| (product.key.clone(), product)).collect(),
        }
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
        let chain = |level: usize| Serial {
            serial_key: level.to_string(),
            serial_code: None,
            product_key: None,
            children: vec![ChildLink { serial_key: (level + 1).to_string(), replaced: false, confirmed: true }],
        };
        let serials = (0..100_000).map(|level| (level.to_string(), chain(level))).collect();
        let forest = Forest { root: "0".to_owned(), serials, products: HashMap::new() };
        assert_eq!(forest.json(true).matches("\"serial_key\"").count(), 100_000);
    }

    #[test]
    fn what_was_pruned_before_its_current_link_is_asked_for() {
        let serials = json!([
            serial("a", "A", &[("b", true, true), ("b", false, true)]),
            serial("b", "A", &[("c", false, true)]),
        ]);
        let forest = forest(serials, json!([]));
        assert_eq!(forest.missing(&HashSet::new()), ["c"]);
        assert!(forest.missing(&HashSet::from(["c".to_owned()])).is_empty());
    }
}
