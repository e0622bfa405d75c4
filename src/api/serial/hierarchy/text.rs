//! A tree as JSON text, written by hand: `serde_json` over a struct for each node takes 590 ns a node where this takes 105 (100,000
//! nodes, release build), which is half a millisecond for an answer of 1,010 serials that takes less than one. And what nests
//! by `Serialize` recurses, as deep as the data says.

use std::ops::Range;

use aqlite::value::write_str;

use super::load::Product;
use super::tree::{Forest, Node, Subject};

/// About so many bytes of text a node has.
const NODE_BYTES: usize = 220;

/// What a node tells of its product, between what it tells of its serial: the same for all serials of a product, and made once.
struct About {
    behind_key: Vec<u8>,
    behind_code: Vec<u8>,
    behind_link: Vec<u8>,
}

impl About {
    fn new(key: Option<&str>, code: Option<&str>, description: Option<&str>) -> Self {
        let text = |name: &str, value: Option<&str>, behind: &str| {
            let mut text = name.as_bytes().to_vec();
            write_text(&mut text, value);
            text.extend_from_slice(behind.as_bytes());
            text
        };
        Self {
            behind_key: text(",\"product_key\":", key, ",\"serial_code\":"),
            behind_code: text(",\"product_code\":", code, ""),
            behind_link: text(",\"product_description\":", description, ",\"children\":["),
        }
    }
}

/// Writes trees. The names in them are the same for all of thousands of nodes, and need no look at them.
pub(super) struct Writer<'a> {
    forest: &'a Forest,
    /// What is told of each product.
    products: Vec<About>,
    /// Texts of serials are written as they are.
    are_plain: bool,
}

impl<'a> Writer<'a> {
    pub fn new(forest: &'a Forest) -> Self {
        let about =
            |product: &Product| About::new(Some(&product.key), product.code.as_deref(), product.description.as_deref());
        let products = forest.products.iter().map(about).collect();
        Self { forest, products, are_plain: forest.texts.are_plain() }
    }

    /// Writes the tree whose root is the first node.
    pub fn write(&self, nodes: &[Node<'_>]) -> Vec<u8> {
        let mut text = Vec::with_capacity(nodes.len() * NODE_BYTES);
        text.push(b'[');
        // The children of the open nodes that are still to be written.
        let mut stack: Vec<Range<usize>> = Vec::new();
        if let Some(root) = nodes.first() {
            self.write_head(&mut text, root);
            stack.push(root.children.clone());
        }
        while let Some(children) = stack.last_mut() {
            if let Some(child) = children.next() {
                if text.last() == Some(&b'}') {
                    text.push(b',');
                }
                self.write_head(&mut text, &nodes[child]);
                stack.push(nodes[child].children.clone());
            } else {
                text.extend_from_slice(b"]}");
                stack.pop();
            }
        }
        text.push(b']');
        text
    }

    /// Writes a node up to the start of its children.
    fn write_head(&self, text: &mut Vec<u8>, node: &Node<'_>) {
        match node.subject {
            Subject::Serial(at) => {
                let serial = &self.forest.serials[at];
                let unknown;
                let about = if let Some(product) = serial.product {
                    &self.products[product]
                } else {
                    unknown = About::new(self.forest.text(serial.product_key), None, None);
                    &unknown
                };
                self.write_node(text, (Some(self.forest.key(serial)), self.forest.text(serial.code)), about, node);
            }
            Subject::Expected(component) => {
                let (code, description) = (component.code.as_deref(), component.description.as_deref());
                self.write_node(text, (None, None), &About::new(Some(&component.product_key), code, description), node);
            }
        }
    }

    fn write_node(
        &self,
        text: &mut Vec<u8>,
        (key, code): (Option<&str>, Option<&str>),
        about: &About,
        node: &Node<'_>,
    ) {
        text.extend_from_slice(b"{\"serial_key\":");
        self.write_own(text, key);
        text.extend_from_slice(&about.behind_key);
        self.write_own(text, code);
        text.extend_from_slice(&about.behind_code);
        text.extend_from_slice(about_link(node).as_bytes());
        text.extend_from_slice(&about.behind_link);
    }

    /// Writes a text of a serial, or `null`.
    fn write_own(&self, text: &mut Vec<u8>, own: Option<&str>) {
        match own {
            Some(own) if self.are_plain => {
                text.push(b'"');
                text.extend_from_slice(own.as_bytes());
                text.push(b'"');
            }
            own => write_text(text, own),
        }
    }
}

/// What a node tells of its link, in one piece: there are not many.
fn about_link(node: &Node<'_>) -> &'static str {
    macro_rules! about {
        ($replaced:literal, $confirmed:literal, $extra_bom:literal) => {
            concat!(",\"replaced\":", $replaced, ",\"confirmed\":", $confirmed, ",\"extra_bom\":", $extra_bom)
        };
    }
    match (node.replaced, node.confirmed, node.extra_bom) {
        (false, false, false) => about!(false, false, false),
        (false, false, true) => about!(false, false, true),
        (false, true, false) => about!(false, true, false),
        (false, true, true) => about!(false, true, true),
        (true, false, false) => about!(true, false, false),
        (true, false, true) => about!(true, false, true),
        (true, true, false) => about!(true, true, false),
        (true, true, true) => about!(true, true, true),
    }
}

/// Writes a text in quotation marks, or `null`.
fn write_text(text: &mut Vec<u8>, value: Option<&str>) {
    match value {
        Some(value) => write_str(value, text),
        None => text.extend_from_slice(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Walk;
    use super::super::load::tree_of;
    use super::*;

    #[test]
    fn texts_are_written_as_json_has_them_whatever_they_are() {
        for text in [
            "",
            "plain",
            "a \"quoted\" one",
            "back\\slash",
            "two\nlines\u{1}",
            "Größe \u{7f} \u{10ffff}",
            &"x".repeat(99),
        ] {
            let mut written = Vec::new();
            write_text(&mut written, Some(text));
            assert_eq!(serde_json::from_slice::<String>(&written).unwrap(), text);
        }
        let mut written = Vec::new();
        write_text(&mut written, None);
        assert_eq!(written, b"null");
    }

    #[test]
    fn a_serial_whose_texts_json_does_not_have_as_they_are_is_written_like_others() {
        for own in ["plain", "a \"quoted\" one", "two\nlines"] {
            let mut walk = Walk::default();
            let code = walk.texts.add(own);
            walk.find(own, None).code = Some(code);
            let text = Forest::new(tree_of(walk), Vec::new()).json(true);
            let tree: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert_eq!((&tree[0]["serial_key"], &tree[0]["serial_code"]), (&own.into(), &own.into()));
        }
    }

    #[test]
    fn links_are_told_as_they_are() {
        for bits in 0..8_u8 {
            let [replaced, confirmed, extra_bom] = [1, 2, 4].map(|bit| bits & bit != 0);
            let node = Node { subject: Subject::Serial(0), replaced, confirmed, extra_bom, children: 0..0 };
            let told: serde_json::Value = serde_json::from_str(&format!("{{{}}}", &about_link(&node)[1..])).unwrap();
            assert_eq!(told, serde_json::json!({"replaced": replaced, "confirmed": confirmed, "extra_bom": extra_bom}));
        }
    }
}
