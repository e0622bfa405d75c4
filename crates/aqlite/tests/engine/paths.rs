//! Path searches on random graphs give what trying every way gives.

use aqlite::catalog::CollectionKind;
use proptest::prelude::*;

use crate::common::World;

/// An edge by the numbers of its ends, and its weight in halves.
type Edge = (usize, usize, u32);

const DIRECTIONS: [&str; 3] = ["OUTBOUND", "INBOUND", "ANY"];

/// Every way from one vertex to another that meets no vertex twice, as the numbers of its edges.
fn every_way(edges: &[Edge], direction: &str, start: usize, target: usize) -> Vec<Vec<usize>> {
    fn go_on(
        steps: &[(usize, usize, usize)],
        target: usize,
        seen: &mut Vec<usize>,
        way: &mut Vec<usize>,
        ways: &mut Vec<Vec<usize>>,
    ) {
        let here = seen[seen.len() - 1];
        if here == target {
            ways.push(way.clone());
            return;
        }
        for (number, _, to) in steps.iter().filter(|(_, from, _)| *from == here) {
            if !seen.contains(to) {
                seen.push(*to);
                way.push(*number);
                go_on(steps, target, seen, way, ways);
                seen.pop();
                way.pop();
            }
        }
    }
    let mut steps = Vec::new();
    for (number, (from, to, _)) in edges.iter().enumerate() {
        if direction != "INBOUND" {
            steps.push((number, *from, *to));
        }
        if direction != "OUTBOUND" {
            steps.push((number, *to, *from));
        }
    }
    let mut ways = Vec::new();
    go_on(&steps, target, &mut vec![start], &mut Vec::new(), &mut ways);
    ways
}

fn world(vertices: usize, edges: &[Edge]) -> World {
    let world = World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows(&format!("FOR i IN 0..{} INSERT {{ _key: TO_STRING(i) }} INTO v", vertices - 1));
    for (number, (from, to, halves)) in edges.iter().enumerate() {
        let weight = f64::from(*halves) / 2.0;
        world.rows(&format!("INSERT {{ _key: '{number}', _from: 'v/{from}', _to: 'v/{to}', w: {weight} }} INTO e"));
    }
    world
}

/// The numbers of the edges of each path that a search finds, in its order.
fn found(world: &World, search: &str) -> Vec<Vec<usize>> {
    let outcome = world.run(&format!("FOR p IN {search} RETURN CONCAT_SEPARATOR(' ', p.edges[*]._key)"));
    let rows = outcome.unwrap_or_else(|e| panic!("{search}: {e}")).rows;
    rows.iter().map(|row| row.to_text().split_whitespace().map(|number| number.parse().unwrap()).collect()).collect()
}

fn sorted(mut ways: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    ways.sort();
    ways
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn searches_find_what_trying_every_way_finds(
        (vertices, edges) in (2..7_usize).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n, 0..6_u32), 0..16))),
    ) {
        let world = world(vertices, &edges);
        let target = vertices - 1;
        let weight = |way: &[usize]| way.iter().map(|edge| edges[*edge].2).sum::<u32>();
        for direction in DIRECTIONS {
            let ways = sorted(every_way(&edges, direction, 0, target));
            let search = |kind: &str, options: &str| format!("{direction} {kind} 'v/0' TO 'v/{target}' e {options}");

            prop_assert_eq!(sorted(found(&world, &format!("0..{vertices} {}", search("K_PATHS", "")))), ways.clone());

            let weighted = "OPTIONS { weightAttribute: 'w', defaultWeight: 1 }";
            let by_weight = found(&world, &search("K_SHORTEST_PATHS", weighted));
            prop_assert!(by_weight.is_sorted_by_key(|way| weight(way)), "{:?}", by_weight);
            prop_assert_eq!(sorted(by_weight), ways.clone());

            let fewest = ways.iter().map(Vec::len).min();
            let shortest = ways.iter().filter(|way| Some(way.len()) == fewest).cloned().collect::<Vec<_>>();
            prop_assert_eq!(sorted(found(&world, &search("ALL_SHORTEST_PATHS", ""))), shortest);

            for (options, lightest) in [("", fewest), (weighted, ways.iter().map(|way| weight(way) as usize).min())] {
                let one = search("SHORTEST_PATH", options);
                let rows = world.run(&format!("FOR v, e IN {one} FILTER e != null RETURN e._key")).expect("runs").rows;
                let way: Vec<usize> = rows.iter().map(|key| key.to_text().parse().unwrap()).collect();
                let measure = if options.is_empty() { way.len() } else { weight(&way) as usize };
                prop_assert_eq!((ways.is_empty(), measure), (lightest.is_none(), lightest.unwrap_or_default()));
                prop_assert!(ways.is_empty() || ways.contains(&way), "{}: {:?}", one, way);
            }
        }
    }
}
