//! Geo indexes: what they find is what the conditions alone find, and they look at little else.

use crate::common::{World, plain};
use aqlite::exec::QueryOptions;
use aqlite::value::Value;
use proptest::prelude::*;

const GEO_JSON: &str = r#"{"type":"geo","name":"places","fields":["loc"],"geoJson":true}"#;
const PAIRS: &str = r#"{"type":"geo1","name":"pairs","fields":["pair"]}"#;
const TWO: &str = r#"{"type":"geo2","name":"two","fields":["lat","lon"]}"#;

/// Ten thousand places, a tenth of a degree from each other.
fn many() -> World {
    let world = World::indexed(&[GEO_JSON, PAIRS, TWO]);
    world.rows(
        "FOR x IN 0..99 FOR y IN 0..99 LET lon = x / 10, lat = 40 + y / 10
         INSERT { _key: CONCAT(x, '-', y), loc: [lon, lat], pair: [lat, lon], lon, lat } INTO c",
    );
    world
}

/// The index of the first loop, if it has one.
fn used(world: &World, query: &str) -> Value {
    let nodes = world.plan(query).get("nodes");
    let node = nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode"));
    node.map(|node| node.get("indexes").at(0)).unwrap_or_default()
}

#[test]
fn the_cost_of_a_small_area_is_that_of_its_answer() {
    let world = many();
    let square = "{ type: 'Polygon', coordinates: [[[4.95, 44.95], [5.25, 44.95], [5.25, 45.25], [4.95, 45.25], [4.95, 44.95]]] }";
    for (condition, index, hits) in [
        ("GEO_DISTANCE([5, 45], d.loc) <= 12000", "places", 5),
        ("GEO_DISTANCE(d.loc, [5, 45]) < 12000", "places", 5),
        ("12000 >= GEO_DISTANCE([5, 45], d.loc)", "places", 5),
        ("GEO_DISTANCE([5, 45], d.loc) <= 12000 AND GEO_DISTANCE([5, 45], d.loc) > 100", "places", 4),
        ("GEO_DISTANCE({ type: 'Point', coordinates: [5, 45] }, d.loc, 'wgs84') <= 12000", "places", 5),
        ("GEO_DISTANCE([5, 45], [d.lon, d.lat]) <= 12000", "two", 5),
        ("GEO_DISTANCE([d.pair[1], d.pair[0]], [5, 45]) <= 12000", "pairs", 5),
        ("DISTANCE(d.lat, d.lon, 45, 5) <= 12000", "two", 5),
        ("DISTANCE(45, 5, d.pair[0], d.pair[1]) <= 12000", "pairs", 5),
        (&format!("GEO_CONTAINS({square}, d.loc)"), "places", 9),
        (&format!("GEO_CONTAINS({square}, d.loc) == true"), "places", 9),
        (&format!("GEO_INTERSECTS({square}, d.loc)"), "places", 9),
        (&format!("GEO_CONTAINS({square}, [d.lon, d.lat])"), "two", 9),
    ] {
        let query = format!("FOR d IN c FILTER {condition} SORT d._key RETURN d._key");
        let index_of = used(&world, &query);
        assert_eq!(
            (index_of.get("name").as_str(), index_of.get("type").as_str()),
            (Some(index), Some("geo")),
            "{query}"
        );
        let (rows, stats) = world.measured(&query, &QueryOptions::default());
        assert_eq!(rows, world.measured(&query, &plain()).0, "{query}");
        assert_eq!(rows.matches('-').count(), hits, "{query}: {rows}");
        assert_eq!(stats.scanned_full, 0, "{query}");
        assert!(stats.scanned_index <= 60, "{query}: {}", stats.scanned_index);
    }
}

#[test]
fn the_nearest_are_read_in_rings() {
    let world = many();
    for (query, most) in [
        ("FOR d IN c SORT GEO_DISTANCE([5.01, 45.02], d.loc) LIMIT 5 RETURN d._key", 200),
        ("FOR d IN c SORT DISTANCE(d.lat, d.lon, 45.02, 5.01) LIMIT 2, 3 RETURN d._key", 200),
        ("FOR d IN c LET far = GEO_DISTANCE([5.01, 45.02], d.loc) SORT far LIMIT 3 RETURN [d._key, far]", 200),
        (
            "FOR d IN c LET far = GEO_DISTANCE([5.01, 45.02], d.loc) FILTER far < 9000 SORT far, d._key LIMIT 9 RETURN [d._key, far]",
            60,
        ),
        (
            "FOR d IN c FILTER GEO_DISTANCE([5.01, 45.02], d.loc) > 20000 SORT GEO_DISTANCE([5.01, 45.02], d.loc) LIMIT 3 RETURN d._key",
            400,
        ),
        ("FOR d IN c FILTER d.lat > 45.1 SORT GEO_DISTANCE([5.01, 45.02], d.loc) LIMIT 3 RETURN d._key", 400),
        ("FOR d IN c SORT GEO_DISTANCE([-174.9, -45.1], d.loc) DESC LIMIT 5 RETURN d._key", 200),
        ("FOR d IN c SORT DISTANCE(d.lat, d.lon, -45.1, -174.9) DESC, d._key LIMIT 3 RETURN d._key", 200),
        (
            "FOR d IN c LET far = GEO_DISTANCE([5.01, 45.02], d.loc) FILTER far < 9000 SORT far DESC LIMIT 2 RETURN [d._key, far]",
            60,
        ),
        (
            "FOR p IN [[1, 41], [9, 49]] FOR d IN c FILTER GEO_DISTANCE(p, d.loc) < 9000 SORT d._key RETURN [p, d._key]",
            100,
        ),
    ] {
        assert_eq!(used(&world, query).get("type").as_str(), Some("geo"), "{query}");
        let (rows, stats) = world.measured(query, &QueryOptions::default());
        assert_eq!(rows, world.measured(query, &plain()).0, "{query}");
        assert_eq!(stats.scanned_full, 0, "{query}");
        assert!(stats.scanned_index <= most, "{query}: {}", stats.scanned_index);
    }
}

#[test]
fn near_within_and_within_rectangle_read_what_they_give() {
    let world = many();
    for (call, hits) in [
        ("NEAR('c', 45, 5, 7)", 7),
        ("WITHIN('c', 45, 5, 12000)", 5),
        ("WITHIN_RECTANGLE('c', 44.95, 4.95, 45.25, 5.25)", 9),
    ] {
        let (rows, stats) = world.measured(&format!("FOR d IN {call} RETURN d._key"), &QueryOptions::default());
        assert_eq!(rows.matches('-').count(), hits, "{call}: {rows}");
        assert_eq!(stats.scanned_full, 0, "{call}");
        assert!(stats.scanned_index <= 120, "{call}: {}", stats.scanned_index);
    }
}

#[test]
fn explain_shows_what_the_index_is_asked() {
    let world = World::indexed(&[GEO_JSON]);
    let node = |query: &str| {
        let plan = world.plan(query);
        let rules = plan.get("rules").to_json();
        assert!(rules.contains("geo-index-optimizer"), "{rules}");
        let nodes = plan.get("nodes");
        let node = nodes.iter_array().find(|node| node.get("type").as_str() == Some("IndexNode"));
        node.expect("an index").get("condition").to_json()
    };
    let bounded = node("FOR d IN c FILTER GEO_DISTANCE([1, 2], d.loc) <= 5 RETURN d");
    assert!(bounded.contains(r#""compare <=""#) && bounded.contains("GEO_DISTANCE"), "{bounded}");
    let sorted = node("FOR d IN c SORT GEO_DISTANCE([1, 2], d.loc) LIMIT 5 RETURN d");
    assert!(sorted.contains(r#""compare <""#) && sorted.contains("unlimited"), "{sorted}");
    let sort = "FOR d IN c SORT GEO_DISTANCE([1, 2], d.loc) LIMIT 5 RETURN d";
    assert_eq!(world.nodes(sort), ["IndexNode", "LimitNode"]);
    let off = QueryOptions { rules: vec!["-geo-index-optimizer".into()], ..QueryOptions::default() };
    world.rows("INSERT { loc: [1, 2] } INTO c");
    assert_eq!(world.measured(sort, &off).1.scanned_full, 1);
}

#[test]
fn what_is_no_place_is_found_as_the_condition_alone_finds_it() {
    let world = World::indexed(&[GEO_JSON, PAIRS, TWO]);
    world.warnings(
        "LET values = [null, 1, 'x', [1], [200, 1], {}, { type: 'MultiPolygon', coordinates: [] }, [0, 0], [1, 1]]
         FOR n IN 0..8 LET v = values[n] INSERT { n, loc: v, pair: v, lat: v[0], lon: v[1] } INTO c",
    );
    for condition in [
        "GEO_DISTANCE([0, 0], d.loc) <= 10",
        "GEO_DISTANCE([0, 0], d.loc) >= 0",
        "GEO_DISTANCE([0, 0], d.loc) == null",
        "GEO_DISTANCE([0, 0], d.loc) <= null",
        "GEO_DISTANCE([0, 0], d.loc) < 'x'",
        "GEO_DISTANCE([0, 0], d.loc) > 'x'",
        "GEO_DISTANCE('nowhere', d.loc) < 10",
        "DISTANCE(0, 0, d.lat, d.lon) < 100000",
        "DISTANCE(0, 0, d.pair[0], d.pair[1]) > 100000",
        "DISTANCE(500, 0, d.lat, d.lon) > 1",
        "GEO_CONTAINS('no shape', d.loc)",
        "GEO_CONTAINS({ type: 'Polygon', coordinates: [[[-1, -1], [2, -1], [2, 2], [-1, 2], [-1, -1]]] }, d.loc)",
    ] {
        for rest in [
            "",
            "SORT GEO_DISTANCE([0, 0], d.loc), d.n LIMIT 20",
            "SORT GEO_DISTANCE([0, 0], d.loc) DESC, d.n LIMIT 20",
            "SORT DISTANCE(0, 0, d.lat, d.lon), d.n LIMIT 20",
        ] {
            let query = format!("FOR d IN c FILTER {condition} {rest} RETURN d.loc");
            let sorted = format!("FOR x IN ({query}) SORT x RETURN x");
            let query = if rest.is_empty() { &sorted } else { &query };
            assert_eq!(world.measured(query, &QueryOptions::default()).0, world.measured(query, &plain()).0, "{query}");
        }
    }
}

#[test]
fn entries_follow_their_documents() {
    let world = World::indexed(&[GEO_JSON]);
    let near = || world.rows("FOR d IN c FILTER GEO_DISTANCE([5, 5], d.loc) < 1000 SORT d._key RETURN d._key");
    world.rows("FOR k IN ['a', 'b', 'c'] INSERT { _key: k, loc: [5, 5] } INTO c");
    world.rows("UPDATE 'a' WITH { loc: [6, 6] } IN c");
    world.rows("REMOVE 'b' IN c");
    world.rows("UPDATE 'c' WITH { loc: { type: 'LineString', coordinates: [[4, 5], [6, 5]] } } IN c");
    assert_eq!(near(), r#"["c"]"#);
    world.rows("UPDATE 'c' WITH { other: 1 } IN c");
    world.rows("UPDATE 'a' WITH { loc: [5, 5.001] } IN c");
    assert_eq!(near(), r#"["a","c"]"#);
    world.store.verify().expect("fits");
    world.store.truncate_collection("_system", "c").expect("truncates");
    assert_eq!(near(), "[]");
    world.store.verify().expect("fits");
}

/// Pairs of a latitude and a longitude, and what only `GeoJSON` has at 5 degrees east and 45 degrees north.
fn pairs(indexes: &[&str]) -> World {
    let world = World::indexed(indexes);
    world.rows("FOR x IN 0..99 FOR y IN 0..99 INSERT { _key: CONCAT(x, '-', y), pair: [40 + y / 10, x / 10] } INTO c");
    world.rows(
        "FOR d IN [{ _key: 'turned', pair: [5, 45] }, { _key: 'point', pair: GEO_POINT(5, 45) }, { _key: 'none' }]
         INSERT d INTO c",
    );
    world
}

const SQUARE: &str =
    "{ type: 'Polygon', coordinates: [[[4.95, 44.95], [5.25, 44.95], [5.25, 45.25], [4.95, 45.25], [4.95, 44.95]]] }";

#[test]
fn an_index_without_geojson_has_the_latitude_read_first() {
    let world = pairs(&[PAIRS]);
    for (condition, hits) in [
        (&*format!("GEO_CONTAINS({SQUARE}, d.pair)"), 9),
        (&format!("GEO_INTERSECTS({SQUARE}, d.pair)"), 9),
        ("GEO_DISTANCE([5, 45], d.pair) <= 12000", 5),
        ("12000 > GEO_DISTANCE(d.pair, GEO_POINT(5, 45))", 5),
        ("GEO_DISTANCE([5, 45], d.pair) <= 12000 AND GEO_DISTANCE([5, 45], d.pair) > 100", 4),
    ] {
        let query = format!("FOR d IN c FILTER {condition} SORT d._key RETURN d._key");
        assert_eq!(used(&world, &query).get("name").as_str(), Some("pairs"), "{query}");
        let (rows, stats) = world.measured(&query, &QueryOptions::default());
        // what is no pair of numbers is not in the index
        assert!(["turned", "point", "none"].iter().all(|key| !rows.contains(key)), "{query}: {rows}");
        assert_eq!(rows.matches('-').count(), hits, "{query}: {rows}");
        assert!(stats.scanned_index <= 60, "{query}: {}", stats.scanned_index);
    }
    let far = "FOR d IN c LET far = GEO_DISTANCE([5.01, 45.02], d.pair)";
    for (query, found) in [
        (format!("{far} SORT far LIMIT 2 RETURN d._key"), r#"["50-50","51-50"]"#),
        (format!("{far} FILTER far < 3000 RETURN d._key"), r#"["50-50"]"#),
        (format!("{far} FILTER far >= 0 COLLECT WITH COUNT INTO n RETURN n"), "[10001]"),
    ] {
        assert_eq!(world.rows(&query), found, "{query}");
    }
}

#[test]
fn what_such_an_index_does_not_answer_is_read_as_geojson() {
    let world = pairs(&[PAIRS]);
    let in_square = format!("GEO_CONTAINS({SQUARE}, d.pair)");
    let by_rules = |query: &str, rules: &[&str]| {
        let rules = rules.iter().map(|rule| (*rule).into()).collect();
        world.measured(query, &QueryOptions { rules, ..QueryOptions::default() }).0
    };
    let as_geojson = r#"["point","turned"]"#;
    let plain = format!("FOR d IN c FILTER {in_square} SORT d._key RETURN d._key");
    for rules in [["-all"], ["-geo-index-optimizer"], ["-use-indexes"]] {
        assert_eq!(by_rules(&plain, &rules), as_geojson, "{rules:?}");
    }
    for query in [
        format!("FOR d IN c OPTIONS {{ disableIndex: true }} FILTER {in_square} SORT d._key RETURN d._key"),
        "FOR d IN c FILTER d.pair != null AND GEO_DISTANCE([5, 45], d.pair) == 0 SORT d._key RETURN d._key".to_owned(),
        format!("FOR d IN c FILTER {in_square} OR d.n == 1 SORT d._key RETURN d._key"),
    ] {
        assert_eq!(by_rules(&query, &[]), as_geojson, "{query}");
    }
    // what is computed beside it is not about the index
    let beside = format!("FOR d IN c FILTER {in_square} LIMIT 1 RETURN {in_square}");
    assert_eq!(world.rows(&beside), "[false]");
    // of two indexes of an attribute the first decides
    let world = pairs(&[r#"{"type":"geo","name":"shapes","fields":["pair"],"geoJson":true}"#, PAIRS]);
    assert_eq!(world.rows(&plain), as_geojson);
    assert_eq!(used(&world, &plain).get("name").as_str(), Some("shapes"));
}

/// A coordinate as AQL writes it: poles, the antimeridian and round numbers are likely.
fn coordinate(most: i32) -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (-most * 100..=most * 100).prop_map(|n| format!("{}", f64::from(n) / 100.0)),
        2 => (-4..=4i32).prop_map(move |n| format!("{}", n * most / 4)),
        1 => (-100..=100i32).prop_map(|n| format!("{}", f64::from(n) / 100.0)),
        1 => (0..=100i32).prop_map(move |n| format!("{}", f64::from(most) - f64::from(n) / 100.0)),
    ]
}

fn position() -> impl Strategy<Value = String> {
    (coordinate(180), coordinate(90)).prop_map(|(lon, lat)| format!("[{lon},{lat}]"))
}

/// A rectangle or a triangle around a place, perhaps the wrong way round, or with corners anywhere.
fn polygon() -> impl Strategy<Value = String> {
    let small =
        ((-170..170i32), (-80..80i32), (1..90i32), (1..90i32), any::<bool>()).prop_map(|(x, y, w, h, turned)| {
            let (x, y, w, h) = (f64::from(x), f64::from(y), f64::from(w) / 10.0, f64::from(h) / 10.0);
            let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)];
            let mut ring: Vec<String> = corners.iter().map(|(x, y)| format!("[{x},{y}]")).collect();
            if turned {
                ring.reverse();
            }
            ring.join(",")
        });
    let any = prop::collection::vec(position(), 3).prop_map(|p| format!("{},{},{},{}", p[0], p[1], p[2], p[0]));
    prop_oneof![2 => small, 1 => any].prop_map(|ring| format!("{{type:'Polygon',coordinates:[[{ring}]]}}"))
}

fn shape() -> impl Strategy<Value = String> {
    let positions = |n| prop::collection::vec(position(), n);
    prop_oneof![
        4 => position(),
        1 => position().prop_map(|p| format!("{{type:'Point',coordinates:{p}}}")),
        1 => positions(1..4).prop_map(|p| format!("{{type:'MultiPoint',coordinates:[{}]}}", p.join(","))),
        1 => positions(2..4).prop_map(|p| format!("{{type:'LineString',coordinates:[{}]}}", p.join(","))),
        2 => polygon(),
    ]
}

/// A place, or what is none.
fn place() -> impl Strategy<Value = String> {
    prop_oneof![
        9 => shape(),
        1 => prop_oneof![Just("null"), Just("7"), Just("'x'"), Just("[]"), Just("[999,0]"), Just("{type:'Point'}")]
            .prop_map(String::from),
    ]
}

fn metres() -> impl Strategy<Value = String> {
    prop_oneof![Just(0u64), 0..2_000u64, 0..2_000_000u64, 0..20_100_000u64].prop_map(|n| n.to_string())
}

fn query() -> impl Strategy<Value = String> {
    let far = |p: String| format!("GEO_DISTANCE({p}, d.loc)");
    let ops = || prop_oneof![Just("<"), Just("<="), Just(">"), Just(">="), Just("==")];
    let order = || prop_oneof![Just(""), Just("DESC")];
    let filter = |f: String| format!("FOR d IN c FILTER {f} SORT d._key RETURN d._key");
    prop_oneof![
        (place(), ops(), metres()).prop_map(move |(p, op, r)| filter(format!("{} {op} {r}", far(p)))),
        (position(), metres(), metres()).prop_map(move |(p, a, b)| {
            let far = far(p);
            filter(format!("{far} >= {a} AND {far} <= {b}"))
        }),
        (position(), metres()).prop_map(move |(p, r)| { filter(format!("GEO_DISTANCE(d.loc, {p}, 'wgs84') <= {r}")) }),
        (position(), metres())
            .prop_map(move |(p, r)| { filter(format!("DISTANCE({p}[1], {p}[0], d.lat, d.lon) <= {r}")) }),
        (position(), 0..5, 1..9, order()).prop_map(move |(p, skip, n, order)| {
            format!("FOR d IN c SORT {} {order} LIMIT {skip}, {n} RETURN d._key", far(p))
        }),
        (position(), 1..9, order()).prop_map(move |(p, n, order)| {
            format!(
                "FOR d IN c SORT DISTANCE({p}[1], {p}[0], d.lat, d.lon) {order}, d._key DESC LIMIT {n} RETURN d._key"
            )
        }),
        (position(), metres(), metres(), 1..9, order()).prop_map(move |(p, a, b, n, order)| {
            format!(
                "FOR d IN c LET far = {} FILTER far > {a} AND far < {b} SORT far {order} LIMIT {n} RETURN [d._key, far]",
                far(p)
            )
        }),
        (shape(), prop_oneof![Just("GEO_CONTAINS"), Just("GEO_INTERSECTS")])
            .prop_map(move |(s, f)| filter(format!("{f}({s}, d.loc)"))),
        (shape(), prop_oneof![Just("GEO_CONTAINS"), Just("GEO_INTERSECTS")])
            .prop_map(move |(s, f)| filter(format!("{f}(d.loc, {s})"))),
        (polygon(), position()).prop_map(move |(s, p)| {
            filter(format!("GEO_CONTAINS({s}, d.loc) OR GEO_DISTANCE({p}, d.loc) < 500000"))
        }),
    ]
}

#[test]
fn lines_on_one_great_circle_on_opposite_sides_of_the_sphere_do_not_meet() {
    let world = World::new(&[]);
    let short = "{type:'LineString',coordinates:[[0,0],[0,-0.01]]}";
    let opposite = "{type:'LineString',coordinates:[[76.42,-20.93],[135,90],[180,-76.55]]}";
    let across = "{type:'LineString',coordinates:[[-1,-0.005],[1,-0.005]]}";
    assert_eq!(world.rows(&format!("RETURN GEO_INTERSECTS({short}, {opposite})")), "[false]");
    assert_eq!(world.rows(&format!("RETURN GEO_INTERSECTS({opposite}, {short})")), "[false]");
    assert_eq!(world.rows(&format!("RETURN GEO_INTERSECTS({short}, {across})")), "[true]");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_the_condition_alone_finds(
        places in prop::collection::vec((place(), coordinate(95), coordinate(190)), 0..40),
        queries in prop::collection::vec(query(), 20),
    ) {
        let world = World::indexed(&[GEO_JSON, TWO]);
        for (i, (place, lat, lon)) in places.iter().enumerate() {
            world.rows(&format!("INSERT {{ _key: '{i}', loc: {place}, lat: {lat}, lon: {lon} }} INTO c"));
        }
        world.store.verify().expect("fits");
        for query in queries {
            let found = world.measured(&query, &QueryOptions::default());
            prop_assert_eq!(found.1.scanned_full, 0, "{}", &query);
            prop_assert_eq!(found.0, world.measured(&query, &plain()).0, "{}", query);
        }
    }
}
