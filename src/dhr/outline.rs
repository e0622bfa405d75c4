//! Which serials a record speaks of, and in which order.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Deserialize;
use serde_json::Value;

use super::value;

/// Who makes the record when the configuration does not say.
const NOBODY: &str = "Tracewright";

/// The serials of a record, and who makes it.
#[derive(Debug, Deserialize)]
pub(super) struct Outline {
    company_name: Value,
    #[serde(deserialize_with = "text_or_none")]
    pub company_logo: Option<String>,
    serials: Vec<Node>,
}

/// A serial with its place.
#[derive(Debug, Deserialize)]
pub(super) struct Node {
    serial_key: String,
    #[serde(deserialize_with = "text_or_none")]
    pub serial_code: Option<String>,
    #[serde(deserialize_with = "text_or_none")]
    pub product_code: Option<String>,
    #[serde(deserialize_with = "text_or_none")]
    pub product_description: Option<String>,
    has_data: bool,
    children: Vec<String>,
}

fn text_or_none<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    Ok(value::text(&Value::deserialize(source)?))
}

impl Node {
    /// Whether the serial has something to tell besides its name.
    pub(super) fn is_detailed(&self) -> bool {
        self.has_data || !self.children.is_empty()
    }

    /// Serials stand in the order of product code, then serial code.
    fn place(&self) -> (Option<&String>, Option<&String>, &String) {
        (self.product_code.as_ref(), self.serial_code.as_ref(), &self.serial_key)
    }
}

impl Outline {
    /// The name of the company.
    pub(super) fn company(&self) -> String {
        let name = self.company_name.as_str().map(str::trim).unwrap_or_default();
        if name.is_empty() { NOBODY } else { name }.to_owned()
    }

    /// What a serial is called: its code, else its key. `None` when there is no such serial.
    pub(super) fn name(&self, serial_key: &str) -> Option<&str> {
        let node = self.serials.iter().find(|node| node.serial_key == serial_key)?;
        Some(node.serial_code.as_ref().unwrap_or(&node.serial_key))
    }

    /// The serials that get a record: the one asked for and, on demand, all detailed ones that stand in it at any depth.
    pub(super) fn records(&self, serial_key: &str, with_children: bool) -> Vec<String> {
        let mut keys = vec![serial_key.to_owned()];
        if with_children {
            let nodes = self.by_key();
            let mut seen = HashSet::from([serial_key]);
            let mut open: VecDeque<&Node> = nodes.get(serial_key).copied().into_iter().collect();
            let mut found: Vec<&Node> = Vec::new();
            while let Some(node) = open.pop_front() {
                let children = node.children.iter().filter_map(|key| nodes.get(key.as_str()).copied());
                for child in children.filter(|child| seen.insert(&child.serial_key)) {
                    open.push_back(child);
                    found.push(child);
                }
            }
            found.retain(|node| node.is_detailed());
            found.sort_by_key(|node| node.place());
            keys.extend(found.into_iter().map(|node| node.serial_key.clone()));
        }
        keys
    }

    /// The serials that stand directly in each serial, in order, each once.
    pub(super) fn components(&self) -> HashMap<&str, Vec<&Node>> {
        let nodes = self.by_key();
        let of = |node: &Node| {
            let mut seen = HashSet::from([node.serial_key.as_str()]);
            let children = node.children.iter().filter(|key| seen.insert(key.as_str()));
            let mut children: Vec<&Node> = children.filter_map(|key| nodes.get(key.as_str()).copied()).collect();
            children.sort_by_key(|node| node.place());
            children
        };
        self.serials.iter().map(|node| (node.serial_key.as_str(), of(node))).collect()
    }

    fn by_key(&self) -> HashMap<&str, &Node> {
        self.serials.iter().map(|node| (node.serial_key.as_str(), node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `a:b,c` says that a stands with b and c in it; a leading `*` that it has data of its own.
    fn outline(serials: &[&str]) -> Outline {
        let node = |text: &&str| {
            let (key, children) = text.split_once(':').unwrap_or((text, ""));
            let has_data = key.starts_with('*');
            let key = key.trim_start_matches('*');
            let children: Vec<&str> = children.split(',').filter(|key| !key.is_empty()).collect();
            json!({"serial_key": key, "serial_code": key, "product_code": "P", "product_description": null,
                "has_data": has_data, "children": children})
        };
        let serials: Vec<Value> = serials.iter().map(node).collect();
        serde_json::from_value(json!({"company_name": null, "company_logo": null, "serials": serials})).unwrap()
    }

    #[test]
    fn records_are_those_of_detailed_serials_in_order_of_their_codes() {
        let outline = outline(&["root:z,c,b", "c", "b:y", "y", "*z"]);
        assert_eq!(outline.records("root", true), ["root", "b", "z"]);
        assert_eq!(outline.records("root", false), ["root"]);
    }

    #[test]
    fn circles_end() {
        let outline = outline(&["a:b,a", "b:a"]);
        assert_eq!(outline.records("a", true), ["a", "b"]);
        assert!(outline.components()["a"].iter().all(|node| node.serial_key == "b"));
    }

    #[test]
    fn a_component_linked_twice_is_listed_once_and_a_missing_one_not_at_all() {
        let outline = outline(&["a:b,b,gone", "b"]);
        assert_eq!(outline.components()["a"].len(), 1);
    }

    #[test]
    fn a_serial_behind_links_that_do_not_stand_has_no_record() {
        assert_eq!(outline(&["a:b", "b:", "*old:x", "*x"]).records("a", true), ["a"]);
    }

    #[test]
    fn the_company_has_a_name_in_any_case() {
        assert_eq!(outline(&[]).company(), "Tracewright");
        assert_eq!(outline(&[]).company_logo, None);
    }
}
