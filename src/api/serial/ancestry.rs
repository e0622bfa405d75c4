//! Ways up from a serial. Each ancestor is visited once, so the walk ends on any data and costs what the data weighs.

use std::collections::HashMap;

use serde::Deserialize;

use super::graph::{Link, LinkState, placed, places};
use crate::aql::serial::{self as stored, ancestors};
use crate::error::Result;
use crate::store::Source;

/// A serial on the way up, with the links by which others contain it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Ancestor {
    pub serial_key: String,
    pub serial_code: Option<String>,
    pub product_key: Option<String>,
    pub product_code: Option<String>,
    pub product_description: Option<String>,
    /// Whether `deleted` is exactly false.
    pub live: bool,
    pub parents: Vec<Link>,
}

/// Which links count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Through {
    /// Those that stand.
    CurrentLinks,
    /// Also those by which something was taken out again.
    AllLinks,
}

/// A serial and everything above it, each once.
pub(super) async fn load(source: &impl Source, serial_key: &str, through: Through) -> Result<Vec<Ancestor>> {
    let include_replaced = through == Through::AllLinks;
    stored::ancestors(source, ancestors::Params { serial_key, include_replaced }).await
}

/// How far an ancestor is: the longest way, and whether its first link downwards was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Distance {
    steps: usize,
    replaced: Option<bool>,
}

/// The serial `start` and its ancestors, the farthest first, each with the state of the link downwards.
pub(super) fn farthest_first(start: &str, ancestors: Vec<Ancestor>) -> Vec<(Ancestor, Option<bool>)> {
    let distances = distances(start, &ancestors, |_, _| true);
    let mut found: Vec<(Distance, Ancestor)> =
        ancestors.into_iter().zip(distances).filter_map(|(ancestor, distance)| Some((distance?, ancestor))).collect();
    found.sort_by(|(one, a), (other, b)| {
        let by_name = || (&a.serial_code, &a.serial_key).cmp(&(&b.serial_code, &b.serial_key));
        other.steps.cmp(&one.steps).then_with(by_name)
    });
    found.into_iter().map(|(distance, ancestor)| (ancestor, distance.replaced)).collect()
}

/// The root above `start`: the end of the longest way over links that are not replaced and serials that are not
/// deleted, or `start` itself. `None` when there is no such serial.
pub(super) fn root<'a>(start: &str, ancestors: &'a [Ancestor]) -> Option<&'a str> {
    let start_is_live = ancestors.iter().any(|ancestor| ancestor.serial_key == start && ancestor.live);
    let distances = distances(start, ancestors, |link, parent| start_is_live && !link.replaced && parent.live);
    ancestors
        .iter()
        .zip(distances)
        .filter_map(|(ancestor, distance)| Some((distance?.steps, ancestor.serial_key.as_str())))
        .max_by(|(steps, key), (other_steps, other_key)| steps.cmp(other_steps).then_with(|| other_key.cmp(key)))
        .map(|(_, key)| key)
}

/// The longest distance of each ancestor over the links that `follow` admits. A link that closes a circle is left out.
fn distances(
    start: &str,
    ancestors: &[Ancestor],
    follow: impl Fn(LinkState, &Ancestor) -> bool,
) -> Vec<Option<Distance>> {
    let places = places(ancestors.iter().map(|ancestor| ancestor.serial_key.as_str()));
    let links: Vec<Vec<(usize, bool)>> = ancestors
        .iter()
        .map(|ancestor| {
            let admitted = placed(&ancestor.parents, &places)
                .into_iter()
                .filter_map(|(at, link)| follow(link, ancestors.get(at)?).then_some((at, link.replaced)));
            let mut links: Vec<_> = admitted.collect();
            links.sort_unstable_by_key(|(at, replaced)| (*replaced, *at));
            links
        })
        .collect();

    let mut distances = vec![None; ancestors.len()];
    let Some(&first) = places.get(start) else { return distances };
    let order = children_first(first, &links);
    let rank: HashMap<usize, usize> = order.iter().enumerate().map(|(rank, at)| (*at, rank)).collect();
    distances[first] = Some(Distance { steps: 0, replaced: None });
    for at in &order {
        let Some(Distance { steps, .. }) = distances[*at] else { continue };
        for (parent, replaced) in links[*at].iter().filter(|(parent, _)| rank[parent] > rank[at]) {
            let candidate = Distance { steps: steps + 1, replaced: Some(*replaced) };
            if distances[*parent].is_none_or(|known| known.steps < candidate.steps) {
                distances[*parent] = Some(candidate);
            }
        }
    }
    distances
}

/// Everything reachable, each after all that lead to it (as far as circles allow).
fn children_first(start: usize, links: &[Vec<(usize, bool)>]) -> Vec<usize> {
    let mut seen = vec![false; links.len()];
    let mut finished = Vec::new();
    let mut stack = vec![(start, 0_usize)];
    seen[start] = true;
    while let Some((at, next)) = stack.last_mut() {
        let (at, position) = (*at, *next);
        *next += 1;
        match links[at].get(position) {
            Some((parent, _)) if !seen[*parent] => {
                seen[*parent] = true;
                stack.push((*parent, 0));
            }
            Some(_) => {}
            None => {
                finished.push(at);
                stack.pop();
            }
        }
    }
    finished.reverse();
    finished
}

#[cfg(test)]
mod tests {
    use super::super::samples::{chain, linked};
    use super::*;

    fn order(start: &str, links: &[&str]) -> Vec<(String, Option<bool>)> {
        let found = farthest_first(start, linked(links));
        found.into_iter().map(|(ancestor, replaced)| (ancestor.serial_key, replaced)).collect()
    }

    fn keys(start: &str, links: &[&str]) -> Vec<String> {
        order(start, links).into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn the_farthest_ancestor_is_first_and_the_serial_last() {
        assert_eq!(keys("c", &["c<b", "b<a"]), ["a", "b", "c"]);
    }

    #[test]
    fn an_ancestor_reached_on_two_ways_counts_by_the_longer_one() {
        assert_eq!(keys("c", &["c<a", "c<b", "b<a"]), ["a", "b", "c"]);
    }

    #[test]
    fn links_are_flagged_when_replaced_and_a_current_one_counts_first() {
        let found = order("c", &["c<~old", "c<~new", "c<new"]);
        assert_eq!(found, [("new".into(), Some(false)), ("old".into(), Some(true)), ("c".into(), None)]);
    }

    #[test]
    fn a_circle_ends_the_walk() {
        assert_eq!(keys("a", &["a<b", "b<c", "c<a", "a<a"]), ["c", "b", "a"]);
        assert_eq!(root("a", &linked(&["a<b", "b<a"])), Some("b"));
    }

    #[test]
    fn a_deep_chain_needs_no_stack() {
        let ancestors = chain(50_000);
        assert_eq!(root("0", &ancestors), Some("50000"));
    }

    #[test]
    fn the_root_is_found_over_current_links_and_live_serials_only() {
        let mut ancestors = linked(&["c<b", "b<~a", "b<d", "d<e"]);
        assert_eq!(root("c", &ancestors), Some("e"));
        ancestors.iter_mut().find(|ancestor| ancestor.serial_key == "d").unwrap().live = false;
        assert_eq!(root("c", &ancestors), Some("b"), "the way through a deleted serial is closed");
    }

    #[test]
    fn an_unknown_serial_has_no_root() {
        assert_eq!(root("x", &[]), None);
        assert!(keys("x", &[]).is_empty());
    }
}
