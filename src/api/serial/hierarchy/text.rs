//! A tree as JSON text.

use std::ops::Range;

use aqlite::value::write_str;

use super::load::Product;
use super::tree::{Forest, Node, Of};

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
}

impl<'a> Writer<'a> {
    pub fn new(forest: &'a Forest) -> Self {
        let about =
            |product: &Product| About::new(Some(&product.key), product.code.as_deref(), product.description.as_deref());
        Self { forest, products: forest.products.iter().map(about).collect() }
    }

    /// Writes the tree whose root is the first node.
    pub fn write(&self, nodes: &[Node<'_>]) -> String {
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
        String::from_utf8(text).expect("JSON text is UTF-8")
    }

    /// Writes a node up to the start of its children.
    fn write_head(&self, text: &mut Vec<u8>, node: &Node<'_>) {
        match node.of {
            Of::Serial(at) => {
                let serial = &self.forest.serials[at];
                let unknown;
                let about = if let Some(product) = serial.product {
                    &self.products[product]
                } else {
                    unknown = About::new(serial.product_key.as_deref(), None, None);
                    &unknown
                };
                write_node(text, (Some(serial.key()), serial.code.as_deref()), about, node);
            }
            Of::Expected(component) => {
                let (code, description) = (component.code.as_deref(), component.description.as_deref());
                write_node(text, (None, None), &About::new(Some(&component.product_key), code, description), node);
            }
        }
    }
}

fn write_node(text: &mut Vec<u8>, (key, code): (Option<&str>, Option<&str>), about: &About, node: &Node<'_>) {
    text.extend_from_slice(b"{\"serial_key\":");
    write_text(text, key);
    text.extend_from_slice(&about.behind_key);
    write_text(text, code);
    text.extend_from_slice(&about.behind_code);
    text.extend_from_slice(b",\"replaced\":");
    write_truth(text, node.replaced);
    text.extend_from_slice(b",\"confirmed\":");
    write_truth(text, node.confirmed);
    text.extend_from_slice(b",\"extra_bom\":");
    write_truth(text, node.extra_bom);
    text.extend_from_slice(&about.behind_link);
}

fn write_truth(text: &mut Vec<u8>, truth: bool) {
    text.extend_from_slice(if truth { b"true" } else { b"false" });
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
}
