//! The tree of positions, built from the links between them.

use std::collections::{HashMap, HashSet};

use super::super::ROOT;
pub(super) use crate::aql::warehouse::position_hierarchy::Row as Link;
use poem_openapi::Object;

/// Levels below the root.
const DEPTH: usize = 15;

/// A position with those in it.
#[derive(Debug, PartialEq, Object)]
pub(super) struct PositionTreeNode {
    position_id: String,
    position_key: String,
    code: Option<String>,
    product_key: Option<String>,
    /// Identifier of the position itself, when it is in another.
    from: Option<String>,
    /// Identifier of the position it is in.
    to: Option<String>,
    /// Codes from below the root to the position.
    path: Vec<Option<String>>,
    /// Keys from below the root to the position.
    path_keys: Vec<String>,
    /// Left out when there are none.
    #[oai(skip_serializing_if_is_none)]
    children: Option<Vec<PositionTreeNode>>,
}

/// The tree from the root down, when the wanted position stands in it and the root holds anything.
pub(super) fn build(wanted: &str, links: Vec<Link>) -> Option<PositionTreeNode> {
    let root = links.iter().find(|link| link.position_key == ROOT)?.clone();
    let mut inside: HashMap<String, Vec<Link>> = HashMap::new();
    for link in links {
        if let Some(to) = link.to.clone().filter(|_| link.position_key != ROOT) {
            inside.entry(to).or_default().push(link);
        }
    }
    for children in inside.values_mut() {
        children.sort_by_cached_key(|link| {
            (link.code.as_ref().map(|code| code.to_lowercase()), link.code.clone(), link.position_key.clone())
        });
    }
    let mut seen = HashSet::new();
    let tree = node(&root, &inside, &mut seen, &[]);
    (seen.contains(wanted) && tree.children.is_some()).then_some(tree)
}

/// The node of a link, `way` being the links from below the root to it.
fn node<'a>(
    link: &'a Link,
    inside: &'a HashMap<String, Vec<Link>>,
    seen: &mut HashSet<String>,
    way: &[&'a Link],
) -> PositionTreeNode {
    seen.insert(link.position_key.clone());
    let position_id = format!("Position/{}", link.position_key);
    let mut children = Vec::new();
    if way.len() < DEPTH {
        for child in inside.get(&position_id).into_iter().flatten() {
            if !seen.contains(&child.position_key) {
                children.push(node(child, inside, seen, &[way, &[child]].concat()));
            }
        }
    }
    PositionTreeNode {
        position_id,
        position_key: link.position_key.clone(),
        code: link.code.clone(),
        product_key: None,
        from: link.from.clone(),
        to: link.to.clone(),
        path: way.iter().map(|step| step.code.clone()).collect(),
        path_keys: way.iter().map(|step| step.position_key.clone()).collect(),
        children: (!children.is_empty()).then_some(children),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(&str, &str)]) -> Vec<Link> {
        let mut links = vec![Link { position_key: ROOT.to_owned(), code: Some("IN".to_owned()), from: None, to: None }];
        links.extend(pairs.iter().map(|(key, parent)| Link {
            position_key: (*key).to_owned(),
            code: Some((*key).to_owned()),
            from: Some(format!("Position/{key}")),
            to: Some(format!("Position/{parent}")),
        }));
        links
    }

    fn outline(node: &PositionTreeNode) -> String {
        let children: Vec<String> = node.children.iter().flatten().map(outline).collect();
        if children.is_empty() {
            node.position_key.clone()
        } else {
            format!("{}({})", node.position_key, children.join(" "))
        }
    }

    fn tree(wanted: &str, pairs: &[(&str, &str)]) -> Option<String> {
        build(wanted, links(pairs)).as_ref().map(outline)
    }

    #[test]
    fn children_are_sorted_by_code_whatever_its_case() {
        assert_eq!(tree("IN", &[("b", "IN"), ("C", "IN"), ("a", "b")]).unwrap(), "IN(b(a) C)");
    }

    #[test]
    fn every_node_knows_its_way_from_below_the_root() {
        let tree = build("IN", links(&[("b", "IN"), ("a", "b")])).unwrap();
        assert!(tree.path.is_empty() && tree.path_keys.is_empty());
        let below = &tree.children.as_ref().unwrap()[0];
        assert_eq!(below.path_keys, ["b"]);
        let leaf = &below.children.as_ref().unwrap()[0];
        assert_eq!(leaf.path_keys, ["b", "a"]);
        assert_eq!(leaf.path, [Some("b".to_owned()), Some("a".to_owned())]);
    }

    #[test]
    fn a_position_that_is_not_in_the_tree_has_none() {
        assert_eq!(tree("x", &[("b", "IN"), ("x", "y")]), None);
        assert_eq!(tree("IN", &[]), None);
    }

    #[test]
    fn a_circle_ends() {
        assert_eq!(tree("a", &[("a", "IN"), ("b", "a"), ("a", "b")]).unwrap(), "IN(a(b))");
    }

    #[test]
    fn the_tree_has_fifteen_levels_below_the_root() {
        let keys: Vec<String> = (0..20).map(|level| format!("p{level:02}")).collect();
        let mut pairs = vec![(keys[0].as_str(), "IN")];
        pairs.extend(keys.windows(2).map(|pair| (pair[1].as_str(), pair[0].as_str())));
        assert!(tree("p14", &pairs).unwrap().contains("p14"));
        assert_eq!(tree("p15", &pairs), None);
    }
}
