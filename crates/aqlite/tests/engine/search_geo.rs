//! Places in a `SEARCH`.

use http::Method;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::server::Server;

/// A view `v` and an alias `w` over documents with a shape, a pair of coordinates, and both of them as attributes.
fn world() -> Server {
    let server = Server::start();
    server.collection("c", 0);
    for (name, kind, properties) in [
        ("shape", "geojson", json!({})),
        ("centre", "geojson", json!({"type": "centroid"})),
        ("pair", "geopoint", json!({})),
        ("apart", "geopoint", json!({"latitude": ["lat"], "longitude": ["lon"]})),
    ] {
        let analyzer = json!({"name": name, "type": kind, "properties": properties});
        let (status, made) = server.root(Method::POST, "/_api/analyzer", &analyzer);
        assert_eq!(status, 201, "{made}");
        assert_eq!(made["properties"]["options"], json!({"maxCells": 20, "minLevel": 4, "maxLevel": 23}));
    }
    let link = json!({"fields": {"shape": {"analyzers": ["shape", "centre"]}, "pair": {"analyzers": ["pair"]},
        "both": {"analyzers": ["apart"]}, "n": {}}});
    let view = json!({"name": "v", "type": "arangosearch", "links": {"c": link}});
    assert_eq!(server.root(Method::POST, "/_api/view", &view).0, 201);
    let fields = json!([{"name": "shape", "analyzer": "shape"}, {"name": "pair", "analyzer": "pair"}, "n"]);
    let index = json!({"type": "inverted", "name": "i", "fields": fields});
    assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201);
    let alias = json!({"name": "w", "type": "search-alias", "indexes": [{"collection": "c", "index": "i"}]});
    assert_eq!(server.root(Method::POST, "/_api/view", &alias).0, 201);
    server
}

fn found(server: &Server, view: &str, condition: &str) -> Value {
    server.query(&format!("FOR d IN {view} SEARCH {condition} SORT d._key RETURN d._key"))
}

#[test]
fn places_are_found_by_each_of_their_forms() {
    let server = world();
    server.query(
        "FOR d IN [
            { _key: 'a', n: 1, shape: [7, 50], pair: [50, 7], both: { lat: 50, lon: 7 } },
            { _key: 'b', n: 2, shape: GEO_POLYGON([[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]), pair: [0, 0] },
            { _key: 'c', n: 3, shape: GEO_LINESTRING([[5, 5], [20, 5]]), both: { lat: 'x', lon: 7 } },
            { _key: 'd', n: 4, shape: 'nowhere', pair: [1], both: 3 }
        ] INSERT d INTO c",
    );
    let square = "GEO_POLYGON([[-1, -1], [10, -1], [10, 10], [-1, 10], [-1, -1]])";
    for (condition, analyzer, expected) in [
        (format!("GEO_CONTAINS({square}, d.shape)"), "shape", json!(["b"])),
        (format!("GEO_INTERSECTS({square}, d.shape)"), "shape", json!(["b", "c"])),
        ("GEO_CONTAINS(d.shape, [4, 4])".to_owned(), "shape", json!(["b"])),
        (format!("GEO_CONTAINS({square}, d.shape)"), "centre", json!(["b"])),
        ("GEO_DISTANCE(d.shape, [7, 50]) < 1000".to_owned(), "shape", json!(["a"])),
        ("1000 > GEO_DISTANCE([7, 50], d.shape)".to_owned(), "shape", json!(["a"])),
        ("GEO_DISTANCE(d.pair, [7, 50]) > 1000".to_owned(), "pair", json!(["b"])),
        ("GEO_IN_RANGE(d.both, [7, 50.001], 10, 200)".to_owned(), "apart", json!(["a"])),
        ("GEO_IN_RANGE(d.pair, [7, 50.001], 500, 700)".to_owned(), "pair", json!([])),
        ("GEO_DISTANCE(d.shape, [7, 50]) < 1000".to_owned(), "identity", json!([])),
        ("GEO_DISTANCE(d.shape, [7, 50]) < 1e9 AND d.n >= 0".to_owned(), "shape", json!(["a", "b", "c"])),
    ] {
        assert_eq!(
            found(&server, "v", &format!("ANALYZER({condition}, '{analyzer}')")),
            expected,
            "{analyzer}: {condition}"
        );
        if analyzer == "shape" || analyzer == "pair" {
            assert_eq!(found(&server, "w", &condition), expected, "alias: {condition}");
        }
    }
    let hinted = |condition: &str| {
        let options = "OPTIONS { indexHint: 'i', forceIndexHint: true }";
        format!("FOR d IN c {options} FILTER {condition} SORT d._key RETURN d._key")
    };
    assert_eq!(server.query(&hinted("GEO_DISTANCE(d.shape, [7, 50]) < 1000")), json!(["a"]));
    assert_eq!(server.query(&hinted(&format!("GEO_INTERSECTS({square}, d.shape) AND d.n == 3"))), json!(["c"]));
    assert_eq!(server.error(&hinted("GEO_DISTANCE(d.both, [7, 50]) < 1000")), 1577, "it is not in the index");
    assert_eq!(server.error(&hinted("GEO_DISTANCE(d.shape, d.pair) < 1000")), 1577);
    for condition in ["GEO_CONTAINS(d.shape, d.pair)", "GEO_DISTANCE(d.shape, 'x') < 3", "GEO_AREA(d.shape) > 3"] {
        assert_eq!(server.error(&format!("FOR d IN w SEARCH {condition} RETURN d")), 10, "{condition}");
    }
}

#[test]
fn a_search_of_places_finds_what_a_filter_finds_and_reads_little_else() {
    let server = world();
    let mut random = StdRng::seed_from_u64(11);
    let mut degree = |most: i32| f64::from(random.random_range(-most * 4..=most * 4)) / 4.0;
    for n in 0..300 {
        let (lat, lon) = (degree(20), degree(40));
        let shape = match n % 3 {
            0 => format!("[{lon}, {lat}]"),
            1 => format!("GEO_LINESTRING([[{lon}, {lat}], [{}, {}]])", lon + 1.5, lat + 0.5),
            _ => format!(
                "GEO_POLYGON([[{lon}, {lat}], [{}, {lat}], [{}, {}], [{lon}, {lat}]])",
                lon + 2.0,
                lon + 2.0,
                lat + 2.0
            ),
        };
        server.query(&format!("INSERT {{ n: {n}, shape: {shape}, pair: [{lat}, {lon}] }} INTO c"));
    }
    let mut hits = 0;
    for _ in 0..40 {
        let (lat, lon, size) = (degree(20), degree(40), 1.0 + degree(3).abs() * 2.0);
        let square = format!(
            "GEO_POLYGON([[{lon}, {lat}], [{0}, {lat}], [{0}, {1}], [{lon}, {1}], [{lon}, {lat}]])",
            lon + size,
            lat + size
        );
        let metres = size * 111_000.0;
        for condition in [
            format!("GEO_INTERSECTS({square}, d.shape)"),
            format!("GEO_CONTAINS({square}, d.shape)"),
            format!("GEO_DISTANCE(d.shape, [{lon}, {lat}]) <= {metres}"),
            format!("GEO_IN_RANGE(d.shape, [{lon}, {lat}], {}, {metres})", metres / 2.0),
        ] {
            let plain = server.query(&format!("FOR d IN c FILTER {condition} SORT d._key RETURN d._key"));
            assert_eq!(found(&server, "w", &condition), plain, "{condition}");
            hits += plain.as_array().map_or(0, Vec::len);
        }
    }
    assert!(hits > 100, "{hits}");
    let near =
        json!({"query": "FOR d IN w SEARCH GEO_DISTANCE(d.shape, [3, 3]) < 50000 COLLECT WITH COUNT INTO n RETURN n"});
    let answer = server.root(Method::POST, "/_api/cursor", &near).1;
    let read = answer["extra"]["stats"]["documentLookups"].as_u64().expect("a figure");
    assert!(read < 30, "{read} of 300 documents were read");
}
