//! What contains given serials, each with the shortest way down to one of them. Ways over current links come first, so
//! that a unit counts as a former one only when no current way is left. Every serial is passed once: the walk ends on
//! any data and costs what the data weighs.

use std::collections::HashSet;

use super::ancestry::Ancestor;
use super::graph::{LinkState, placed, places};

/// A serial that contains one of the given ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Container {
    /// Its place among the ancestors.
    pub at: usize,
    /// Links down to the given serial.
    pub depth: usize,
    /// Whether every link on the way is in place.
    pub current: bool,
    /// Whether every link on the way is confirmed.
    pub confirmed: bool,
    /// Whether no current link leads further up, to a serial that was not deleted.
    pub top_level: bool,
}

/// A step on a way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The serial's place among the ancestors.
    pub at: usize,
    /// State of the link downwards from it; `None` at the end of the way.
    pub link: Option<LinkState>,
}

/// The serials above given ones.
pub(super) struct Containers<'a> {
    ancestors: &'a [Ancestor],
    /// By place: the links upwards.
    parents: Vec<Vec<(usize, LinkState)>>,
    /// By place: the way down, where one was found.
    ways: Vec<Option<Way>>,
}

#[derive(Clone, Copy)]
struct Way {
    depth: usize,
    /// The next serial downwards.
    next: usize,
    link: LinkState,
    /// The given serial at its end.
    end: usize,
    current: bool,
    confirmed: bool,
}

impl<'a> Containers<'a> {
    /// Finds a way from everything above the given serials down to them; over replaced links only on demand.
    pub(super) fn of(given: &[String], ancestors: &'a [Ancestor], include_replaced: bool) -> Self {
        let places = places(ancestors.iter().map(|ancestor| ancestor.serial_key.as_str()));
        let parents = ancestors
            .iter()
            .map(|ancestor| {
                let mut links = placed(&ancestor.parents, &places);
                links.sort_unstable_by_key(|(at, link)| (link.replaced, !link.confirmed, *at));
                links
            })
            .collect();
        let mut containers = Self { ancestors, parents, ways: vec![None; ancestors.len()] };
        let given: Vec<usize> = given.iter().filter_map(|key| places.get(key.as_str()).copied()).collect();
        containers.climb(&given, |link| !link.replaced);
        if include_replaced {
            containers.climb(&given, |_| true);
        }
        containers
    }

    /// Climbs level by level, from the given serials and from all that have a way already.
    fn climb(&mut self, given: &[usize], admits: impl Fn(LinkState) -> bool) {
        let is_given: HashSet<usize> = given.iter().copied().collect();
        let mut levels: Vec<Vec<usize>> = vec![given.to_vec()];
        for (at, way) in self.ways.iter().enumerate() {
            if let Some(way) = way.filter(|_| !is_given.contains(&at)) {
                levels.resize(levels.len().max(way.depth + 1), Vec::new());
                levels[way.depth].push(at);
            }
        }
        let mut depth = 0;
        while depth < levels.len() {
            for at in std::mem::take(&mut levels[depth]) {
                // A given serial is where ways end, also when it has one itself.
                let own = if is_given.contains(&at) { None } else { self.ways[at] };
                let end = own.map_or(at, |way| way.end);
                for position in 0..self.parents[at].len() {
                    let (parent, link) = self.parents[at][position];
                    if !admits(link) || self.ways[parent].is_some() || parent == end {
                        continue;
                    }
                    self.ways[parent] = Some(Way {
                        depth: depth + 1,
                        next: at,
                        link,
                        end,
                        current: own.is_none_or(|way| way.current) && !link.replaced,
                        confirmed: own.is_none_or(|way| way.confirmed) && link.confirmed,
                    });
                    if !is_given.contains(&parent) {
                        levels.resize(levels.len().max(depth + 2), Vec::new());
                        levels[depth + 1].push(parent);
                    }
                }
            }
            depth += 1;
        }
    }

    /// All of them, the nearest first, then by code.
    pub(super) fn nearest_first(&self) -> Vec<Container> {
        let mut found: Vec<Container> = self
            .ways
            .iter()
            .enumerate()
            .filter_map(|(at, way)| {
                let way = (*way)?;
                let (depth, current, confirmed) = (way.depth, way.current, way.confirmed);
                Some(Container { at, depth, current, confirmed, top_level: !self.is_installed(at) })
            })
            .collect();
        found.sort_by(|one, other| {
            let name = |container: &Container| {
                let ancestor = &self.ancestors[container.at];
                (&ancestor.serial_code, &ancestor.serial_key)
            };
            one.depth.cmp(&other.depth).then_with(|| name(one).cmp(&name(other)))
        });
        found
    }

    /// Whether another serial, which was not deleted, contains it now.
    pub(super) fn is_installed(&self, at: usize) -> bool {
        self.parents[at]
            .iter()
            .any(|(parent, link)| *parent != at && !link.replaced && !self.ancestors[*parent].deleted)
    }

    /// The way from a container down to the given serial, both included.
    pub(super) fn path(&self, container: Container) -> Vec<Step> {
        let mut steps = Vec::with_capacity(container.depth + 1);
        let mut at = container.at;
        for _ in 0..container.depth {
            let Some(way) = self.ways[at] else { break };
            steps.push(Step { at, link: Some(way.link) });
            at = way.next;
        }
        steps.push(Step { at, link: None });
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{chain, linked};
    use super::*;

    /// The ways as `a>b>c`; `~` and `?` before a serial whose link above was replaced or is not confirmed.
    fn ways(given: &[&str], links: &[&str], include_replaced: bool) -> Vec<String> {
        let ancestors = linked(links);
        let given: Vec<String> = given.iter().map(|key| (*key).to_owned()).collect();
        let containers = Containers::of(&given, &ancestors, include_replaced);
        let write = |container: Container| {
            let mut text = String::new();
            for Step { at, link } in containers.path(container) {
                text.push_str(&ancestors[at].serial_key);
                match link {
                    Some(LinkState { replaced: true, .. }) => text.push_str(">~"),
                    Some(LinkState { confirmed: false, .. }) => text.push_str(">?"),
                    Some(_) => text.push('>'),
                    None => {}
                }
            }
            text
        };
        containers.nearest_first().into_iter().map(write).collect()
    }

    #[test]
    fn the_nearest_come_first_each_with_its_way_down() {
        assert_eq!(ways(&["c"], &["c<b", "b<a", "c<x"], false), ["b>c", "x>c", "a>b>c"]);
    }

    #[test]
    fn the_shortest_way_counts() {
        assert_eq!(ways(&["c"], &["c<b", "b<a", "c<a"], false), ["a>c", "b>c"]);
    }

    #[test]
    fn replaced_links_are_followed_on_demand() {
        let links = ["c<~b", "b<a", "c<x"];
        assert_eq!(ways(&["c"], &links, false), ["x>c"]);
        assert_eq!(ways(&["c"], &links, true), ["b>~c", "x>c", "a>b>~c"]);
    }

    #[test]
    fn a_current_way_wins_over_a_shorter_one_that_was_replaced() {
        let ancestors = linked(&["c<~a", "c<b", "b<a"]);
        let given = ["c".to_owned()];
        let containers = Containers::of(&given, &ancestors, true);
        let a = containers.nearest_first()[1];
        assert_eq!((ancestors[a.at].serial_key.as_str(), a.depth, a.current), ("a", 2, true));
    }

    #[test]
    fn unconfirmed_links_are_followed_and_told() {
        let ancestors = linked(&["c<?b", "b<a"]);
        let given = ["c".to_owned()];
        let found = Containers::of(&given, &ancestors, false).nearest_first();
        assert_eq!(found.iter().map(|c| (c.current, c.confirmed)).collect::<Vec<_>>(), [(true, false), (true, false)]);
    }

    #[test]
    fn the_top_level_is_where_no_current_link_leads_further_up() {
        let ancestors = linked(&["c<b", "b<~a", "c<d", "d<e"]);
        let given = ["c".to_owned()];
        let containers = Containers::of(&given, &ancestors, false);
        let top: Vec<&str> = containers
            .nearest_first()
            .into_iter()
            .filter(|container| container.top_level)
            .map(|container| ancestors[container.at].serial_key.as_str())
            .collect();
        assert_eq!(top, ["b", "e"]);
    }

    #[test]
    fn of_several_given_serials_the_nearest_ends_the_way_and_one_may_contain_another() {
        assert_eq!(ways(&["c", "d"], &["c<b", "d<b", "b<a"], false), ["b>c", "a>b>c"]);
        assert_eq!(ways(&["c", "b"], &["c<b", "b<a"], false), ["a>b", "b>c"]);
    }

    #[test]
    fn circles_end_and_nothing_contains_itself() {
        assert_eq!(ways(&["a"], &["a<b", "b<a", "a<a"], true), ["b>a"]);
        assert_eq!(ways(&["a", "b"], &["a<b", "b<a"], false), ["a>b", "b>a"]);
    }

    #[test]
    fn a_deep_chain_needs_no_stack() {
        let ancestors = chain(50_000);
        let given = ["0".to_owned()];
        let containers = Containers::of(&given, &ancestors, true);
        let found = containers.nearest_first();
        assert_eq!(found.len(), 50_000);
        assert_eq!(containers.path(found[49_999]).len(), 50_001);
    }

    #[test]
    fn an_unknown_serial_is_contained_nowhere() {
        assert!(ways(&["x"], &[], true).is_empty());
    }
}
