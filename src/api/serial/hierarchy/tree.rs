//! The tree below a root serial: what is installed, and what the bills of materials expect. It is built and written
//! without recursion, and every serial is opened once, so it ends on any data and costs what the data weighs.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::graph::LinkState;
use super::children::{Child, Children};
use super::load::{Component, Loaded, Product, Serial, key_of};
use super::text::Writer;
use super::texts::{Text, Texts};

/// Everything a tree is made of. Serials and products are known by their places; the root is the first serial.
#[derive(Default)]
pub(super) struct Forest {
    pub texts: Texts,
    pub serials: Vec<Serial>,
    pub products: Vec<Product>,
    /// In the order in which they are shown.
    children: Children,
}

/// A node of the finished tree.
pub(super) struct Node<'a> {
    pub subject: Subject<'a>,
    pub replaced: bool,
    pub confirmed: bool,
    pub extra_bom: bool,
    /// Places in the tree.
    pub children: Range<usize>,
}

/// What a node stands for.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    /// The serial at a place.
    Serial(usize),
    /// A component that is expected and not there.
    Expected(&'a Component),
}

impl Forest {
    /// The tree of what was loaded.
    pub(super) fn new(loaded: Loaded, products: Vec<Product>) -> Self {
        let Loaded { texts, mut serials, links } = loaded;
        let places: HashMap<&str, usize> =
            products.iter().enumerate().map(|(at, product)| (product.key.as_str(), at)).collect();
        // neighbours are often of one product, whose key they share
        let mut last = (None, None);
        for serial in &mut serials {
            if last.0 != serial.product_key {
                let place = serial.product_key.and_then(|key| places.get(texts.get(key)).copied());
                last = (serial.product_key, place);
            }
            serial.product = last.1;
        }
        let children = Children::new(links, serials.len());
        let mut forest = Self { texts, serials, products, children };
        let mut children = std::mem::take(&mut forest.children);
        children.sort_by(|one, other| forest.order(one, other));
        Self { children, ..forest }
    }

    /// By product code, serial code and key.
    fn order(&self, one: &Child, other: &Child) -> Ordering {
        let (one, other) = (&self.serials[one.serial], &self.serials[other.serial]);
        let product_code = |serial: &Serial| self.product(serial).and_then(|product| product.code.as_deref());
        let by_product =
            if one.product == other.product { Ordering::Equal } else { product_code(one).cmp(&product_code(other)) };
        by_product
            .then_with(|| self.text(one.code).cmp(&self.text(other.code)))
            .then_with(|| self.key(one).cmp(self.key(other)))
    }

    fn product(&self, serial: &Serial) -> Option<&Product> {
        serial.product.map(|at| &self.products[at])
    }

    /// The key of a serial.
    pub(super) fn key(&self, serial: &Serial) -> &str {
        key_of(self.texts.get(serial.id))
    }

    /// A text of a serial, if it has it.
    pub(super) fn text(&self, text: Option<Text>) -> Option<&str> {
        text.map(|text| self.texts.get(text))
    }

    /// The tree as JSON text: an array of one node.
    pub(super) fn json(&self, include_expected: bool) -> Vec<u8> {
        Writer::new(self).write(&self.nodes(include_expected))
    }

    fn nodes(&self, include_expected: bool) -> Vec<Node<'_>> {
        let mut nodes = Vec::with_capacity(self.serials.len());
        if self.serials.is_empty() {
            return nodes;
        }
        nodes.push(node(0, None, false));
        let mut is_opened = vec![false; self.serials.len()];
        is_opened[0] = true;
        let mut open = vec![0_usize];
        while let Some(at) = open.pop() {
            let Subject::Serial(serial) = nodes[at].subject else { continue };
            let first = nodes.len();
            self.put_children(serial, include_expected, &mut nodes, |index, child| {
                if child.link.is_open() && !std::mem::replace(&mut is_opened[child.serial], true) {
                    open.push(index);
                }
            });
            nodes[at].children = first..nodes.len();
        }
        nodes
    }

    /// Adds the children of an open serial in order: first what the bill of materials expects, line by line, then the rest.
    fn put_children<'a>(
        &'a self,
        parent: usize,
        include_expected: bool,
        nodes: &mut Vec<Node<'a>>,
        mut installed: impl FnMut(usize, Child),
    ) {
        let children = self.children.of(parent);
        let expected = self.product(&self.serials[parent]).map_or(&[][..], |product| &product.expected);
        if children.is_empty() && expected.is_empty() {
            return;
        }
        let product_key = |child: &Child| self.text(self.serials[child.serial].product_key);
        let is_same_product = |one: &Child, next: &Child| {
            let (own, other) = (self.serials[one.serial].product_key, self.serials[next.serial].product_key);
            own == other || self.text(own) == self.text(other)
        };
        let mut listed = HashSet::new();
        for component in expected {
            let key = component.product_key.as_str();
            let matching = || children.iter().filter(|child| product_key(child) == Some(key));
            if listed.insert(key) {
                for child in matching() {
                    installed(nodes.len(), *child);
                    nodes.push(node(child.serial, Some(child.link), false));
                }
            }
            if include_expected && matching().all(|child| child.link.replaced) {
                nodes.push(placeholder(component));
            }
        }
        let is_listed = |child: &Child| product_key(child).is_some_and(|key| listed.contains(key));
        // those of one product stand together
        for of_product in children.chunk_by(is_same_product) {
            if is_listed(&of_product[0]) {
                continue;
            }
            for child in of_product {
                installed(nodes.len(), *child);
                nodes.push(node(child.serial, Some(child.link), true));
            }
        }
    }
}

fn node(serial: usize, link: Option<LinkState>, extra_bom: bool) -> Node<'static> {
    Node {
        subject: Subject::Serial(serial),
        replaced: link.is_some_and(|link| link.replaced),
        confirmed: link.is_none_or(|link| link.confirmed),
        extra_bom,
        children: 0..0,
    }
}

fn placeholder(component: &Component) -> Node<'_> {
    Node { subject: Subject::Expected(component), replaced: false, confirmed: true, extra_bom: false, children: 0..0 }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::found::tests::walk;
    use super::super::load::tests::{loader, serial};
    use super::super::load::tree_of;
    use super::*;

    fn forest(serials: Value, products: Value) -> Forest {
        Forest::new(loader(&serials).loaded, serde_json::from_value(products).unwrap())
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
        let parsed: Value = serde_json::from_slice(&forest.json(include_expected)).unwrap();
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
        let keys: Vec<String> = (0..100_000).map(|level| level.to_string()).collect();
        let parents = std::iter::once(None).chain(keys.iter().map(|key| Some(key.as_str())));
        let tree = tree_of(walk(keys.iter().map(String::as_str).zip(parents)));
        let text = String::from_utf8(Forest::new(tree, Vec::new()).json(true)).unwrap();
        assert_eq!(text.matches("\"serial_key\"").count(), 100_000);
    }
}
