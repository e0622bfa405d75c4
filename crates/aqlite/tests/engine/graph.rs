//! Traversals, path searches and windows, as queries see them.

use crate::common::{World, json};
use aqlite::catalog::{CollectionDefinition, CollectionKind};
use aqlite::error::code;

/// Vertices `v/A`, … and edges `e` given as `"A B weight"`.
fn graph(vertices: &str, edges: &[&str]) -> World {
    let world = World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    let keys: Vec<_> = vertices.split(' ').collect();
    world.rows(&format!("FOR k IN {keys:?} INSERT {{ _key: k }} INTO v"));
    for edge in edges {
        let parts: Vec<_> = edge.split(' ').collect();
        let weight = parts.get(2).unwrap_or(&"null");
        world.rows(&format!(
            "INSERT {{ _key: '{0}{1}', _from: 'v/{0}', _to: 'v/{1}', w: {weight} }} INTO e \
             OPTIONS {{ overwriteMode: 'ignore' }}",
            parts[0], parts[1]
        ));
    }
    world
}

/// A tree: A over B and G, B over C and E, C over D, E over F.
fn tree() -> World {
    graph("A B C D E F G", &["A B", "B C", "C D", "B E", "E F", "A G"])
}

/// A circle A B C, with D behind C.
fn circle() -> World {
    graph("A B C D", &["A B", "B C", "C A", "C D"])
}

#[track_caller]
fn same(actual: &str, expected: &str) {
    let parse = |text: &str| json(text).to_json();
    assert_eq!(parse(actual), parse(expected));
}

#[test]
fn depth_first_goes_down_before_it_goes_on() {
    same(&tree().rows("FOR v IN 1..3 OUTBOUND 'v/A' e RETURN v._key"), r#"["B","C","D","E","F","G"]"#);
}

#[test]
fn breadth_first_goes_level_by_level() {
    same(
        &tree().rows("FOR v IN 1..3 OUTBOUND 'v/A' e OPTIONS { order: 'bfs' } RETURN v._key"),
        r#"["B","G","C","E","D","F"]"#,
    );
}

#[test]
fn only_depths_in_the_range_are_rows() {
    same(&tree().rows("FOR v IN 2..2 OUTBOUND 'v/A' e RETURN v._key"), r#"["C","E"]"#);
}

#[test]
fn depths_are_whole_numbers_that_are_not_negative() {
    let world = tree();
    for depth in ["-1..1", "2..1", "1..-1", "1.5", "1..2.5", "'a'..2", "null", "1..18446744073709551615"] {
        assert_eq!(world.error(&format!("FOR v IN {depth} OUTBOUND 'v/A' e RETURN v")), code::QUERY_PARSE, "{depth}");
    }
    same(&world.rows("FOR v IN 3..9223372036854775807 OUTBOUND 'v/A' e RETURN v._key"), r#"["D","F"]"#);
}

#[test]
fn depth_zero_is_the_start_vertex_without_an_edge() {
    same(
        &tree().rows("FOR v, x, p IN 0..0 OUTBOUND 'v/A' e RETURN [v._key, x, LENGTH(p.vertices), p.edges]"),
        r#"[["A",null,1,[]]]"#,
    );
}

#[test]
fn any_follows_edges_from_both_ends_but_none_twice_on_a_path() {
    same(&tree().rows("FOR v IN 1..2 ANY 'v/E' e RETURN v._key"), r#"["F","B","C","A"]"#);
}

#[test]
fn inbound_walks_against_the_edges() {
    same(&tree().rows("FOR v IN 1..5 INBOUND 'v/D' e RETURN v._key"), r#"["C","B","A"]"#);
}

#[test]
fn a_document_can_be_the_start() {
    same(&tree().rows("FOR d IN v FILTER d._key == 'E' FOR n IN OUTBOUND d e RETURN n._key"), r#"["F"]"#);
}

#[test]
fn the_path_holds_what_leads_to_the_vertex() {
    same(
        &tree().rows(
            "FOR v, x, p IN 2..3 OUTBOUND 'v/A' e FILTER v._key == 'D' RETURN [p.vertices[*]._key, p.edges[*]._key]",
        ),
        r#"[[["A","B","C","D"],["AB","BC","CD"]]]"#,
    );
}

#[test]
fn an_edge_is_used_once_on_a_path() {
    same(
        &circle().rows("FOR v, x, p IN 1..9 OUTBOUND 'v/A' e RETURN CONCAT(p.vertices[*]._key)"),
        r#"["AB","ABC","ABCA","ABCD"]"#,
    );
}

#[test]
fn edges_may_repeat_when_asked_for() {
    same(
        &circle().rows("FOR v IN 4..5 OUTBOUND 'v/A' e OPTIONS { uniqueEdges: 'none' } RETURN v._key"),
        r#"["B","C"]"#,
    );
}

#[test]
fn vertices_are_unique_on_a_path_when_asked_for() {
    for order in ["dfs", "bfs", "weighted"] {
        same(
            &circle().rows(&format!(
                "FOR v IN 1..9 OUTBOUND 'v/A' e OPTIONS {{ order: '{order}', uniqueVertices: 'path' }} RETURN v._key"
            )),
            r#"["B","C","D"]"#,
        );
    }
}

#[test]
fn vertices_are_visited_once_when_globally_unique() {
    let diamond = graph("A B C D", &["A B", "A C", "B D", "C D", "D A"]);
    same(
        &diamond.rows(
            "FOR v, x, p IN 0..9 OUTBOUND 'v/A' e OPTIONS { order: 'bfs', uniqueVertices: 'global' }
             RETURN CONCAT(p.vertices[*]._key)",
        ),
        r#"["A","AB","AC","ABD"]"#,
    );
}

#[test]
fn a_weighted_walk_takes_the_lightest_path_first() {
    let world = graph("A B C D", &["A B 5", "A C 1", "C B 1", "B D 1"]);
    same(
        &world.rows(
            "FOR v, x, p IN 1..9 OUTBOUND 'v/A' e
             OPTIONS { order: 'weighted', weightAttribute: 'w', uniqueVertices: 'global' }
             RETURN [v._key, p.weights]",
        ),
        r#"[["C",[0,1]],["B",[0,1,2]],["D",[0,1,2,3]]]"#,
    );
}

#[test]
fn steps_of_the_same_weight_come_in_the_order_of_the_heap_they_wait_in() {
    let world = graph("A B C D E", &["A B 1", "A C 1", "A D 1", "A E 1"]);
    let walk = "FOR v IN 1..2 OUTBOUND 'v/A' e OPTIONS { order: 'weighted', weightAttribute: 'w' } RETURN v._key";
    same(&world.rows(walk), r#"["B","D","C","E"]"#);
}

#[test]
fn a_negative_weight_is_an_error() {
    let world = graph("A B", &["A B -1"]);
    let walk = "FOR v IN 1..2 OUTBOUND 'v/A' e OPTIONS { order: 'weighted', weightAttribute: 'w' } RETURN v";
    assert_eq!(world.error(walk), 1948);
    let path = "FOR v IN OUTBOUND SHORTEST_PATH 'v/A' TO 'v/B' e OPTIONS { weightAttribute: 'w' } RETURN v";
    assert_eq!(world.error(path), 1948);
}

#[test]
fn the_weights_around_the_start_are_looked_at_before_it_is_given() {
    let walk = |weight: &str| {
        let world = graph("A B", &[&format!("A B {weight}")]);
        let options = "OPTIONS { order: 'weighted', weightAttribute: 'w', uniqueVertices: 'global' }";
        world
            .run(&format!("FOR v, e, p IN 0..9 OUTBOUND 'v/A' e {options} LIMIT 1 RETURN p.weights"))
            .map_err(|e| e.num)
    };
    assert_eq!(walk("-1").err(), Some(1948));
    assert!(walk("0").is_ok() && walk("null").is_ok());
}

#[test]
fn weights_of_zero_and_missing_ones_count_in_walks_of_a_named_graph() {
    let edges = ["A B 0", "B C 1", "C D 0", "A X 0.5", "X D 0.75", "D E"];
    let world = graph("A B C D E X", &edges);
    world.store.create_collection("_system", CollectionDefinition::new("_graphs", CollectionKind::Document)).ok();
    world.rows(
        "INSERT { _key: 'g', edgeDefinitions: [{ collection: 'e', from: ['v'], to: ['v'] }], orphanCollections: [] }
         INTO _graphs OPTIONS { overwriteMode: 'ignore' }",
    );
    let walk = "FOR v, e, p IN 1..9 OUTBOUND 'v/A' GRAPH 'g'
        OPTIONS { order: 'weighted', weightAttribute: 'w', defaultWeight: 7, uniqueVertices: 'global' }
        RETURN [v._key, p.weights[-1]]";
    same(&world.rows(walk), r#"[["B",0],["X",0.5],["C",1],["D",1],["E",8]]"#);
    let none = walk.replace("'w'", "'nowhere'");
    same(&world.rows(&none), r#"[["B",7],["X",7],["C",14],["D",14],["E",21]]"#);
    let paths = "FOR p IN ANY K_SHORTEST_PATHS 'v/A' TO 'v/C' GRAPH 'g' OPTIONS { weightAttribute: 'w' }
        RETURN [CONCAT(p.vertices[*]._key), p.weight]";
    same(&world.rows(paths), r#"[["ABC",1],["AXDC",1.25]]"#);
}

#[test]
fn a_pruned_vertex_is_a_row_but_nothing_behind_it() {
    same(&tree().rows("FOR v IN 0..3 OUTBOUND 'v/A' e PRUNE v._key == 'B' RETURN v._key"), r#"["A","B","G"]"#);
}

#[test]
fn prune_is_asked_below_the_least_depth_too() {
    same(&tree().rows("FOR v, x IN 2..3 OUTBOUND 'v/A' e PRUNE x == null RETURN v._key"), "[]");
}

#[test]
fn a_prune_variable_holds_the_condition_of_the_row() {
    same(
        &tree().rows("FOR v IN 1..3 OUTBOUND 'v/A' e PRUNE stop = v._key == 'C' FILTER stop RETURN v._key"),
        r#"["C"]"#,
    );
}

#[test]
fn filters_on_the_path_hold_for_every_row() {
    same(
        &tree().rows("FOR v, x, p IN 1..3 OUTBOUND 'v/A' e FILTER p.vertices[1]._key != 'G' RETURN v._key"),
        r#"["B","C","D","E","F"]"#,
    );
    same(
        &tree().rows("FOR v, x, p IN 1..3 OUTBOUND 'v/A' e FILTER p.edges[*]._key ALL != 'BE' RETURN v._key"),
        r#"["B","C","D","G"]"#,
    );
    same(
        &tree().rows("FOR v, x, p IN 0..3 OUTBOUND 'v/A' e FILTER p.edges[1]._key == 'BE' RETURN v._key"),
        r#"["E","F"]"#,
    );
}

#[test]
fn other_vertex_collections_are_not_entered_but_may_be_the_start() {
    let world =
        World::new(&[("v", CollectionKind::Document), ("w", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows("FOR c IN [{ _key: 'A' }, { _key: 'B' }] INSERT c INTO v");
    world.rows("INSERT { _key: 'X' } INTO w");
    world.rows("FOR c IN [{ _from: 'w/X', _to: 'v/A' }, { _from: 'v/A', _to: 'w/X' }, { _from: 'w/X', _to: 'v/B' }] INSERT c INTO e");
    same(
        &world.rows("FOR v IN 1..5 OUTBOUND 'w/X' e OPTIONS { vertexCollections: 'v' } RETURN v._key"),
        r#"["A","B"]"#,
    );
}

#[test]
fn a_missing_vertex_is_null_with_a_warning() {
    let world = graph("A", &["A B"]);
    assert_eq!(world.warnings("FOR v IN OUTBOUND 'v/A' e RETURN v"), ("[null]".into(), vec![1202]));
    assert_eq!(world.warnings("FOR v IN 0..0 OUTBOUND 'v/Z' e RETURN v"), ("[null]".into(), vec![1202]));
    assert_eq!(world.warnings("FOR v, x IN OUTBOUND 'v/A' e RETURN x._key"), (r#"["AB"]"#.into(), vec![]));
}

#[test]
fn what_names_no_vertex_gives_no_rows() {
    let world = tree();
    assert_eq!(world.warnings("FOR v IN OUTBOUND 'nothing' e RETURN v"), ("[]".into(), vec![10]));
    assert_eq!(world.warnings("FOR s IN [1, null] FOR v IN OUTBOUND s e RETURN v"), ("[]".into(), vec![10, 10]));
    assert_eq!(world.warnings("FOR s IN [{}] FOR v IN OUTBOUND s e RETURN v"), ("[]".into(), vec![10]));
    for known in ["[]", "{}", "{ _id: 'A' }"] {
        assert_eq!(
            world.warnings(&format!("FOR v IN OUTBOUND {known} e RETURN v")),
            ("[]".into(), vec![10]),
            "{known}"
        );
    }
}

#[test]
fn a_path_search_passes_over_a_document_without_an_id_in_silence() {
    let search = "FOR s IN [{}, { _id: 'v/B' }] FOR v IN OUTBOUND SHORTEST_PATH s TO 'v/C' e RETURN v._key";
    same(&tree().rows(search), r#"["B","C"]"#);
}

#[test]
fn a_known_value_that_can_be_no_vertex_is_an_error_before_the_query_runs() {
    let world = tree();
    for wrong in ["5", "null", "true", "{ _id: 5 }", "1 + 1"] {
        for walk in ["", "SHORTEST_PATH 'v/A' TO ", "K_PATHS 'v/A' TO "] {
            let query = format!("FOR i IN [] FOR v IN OUTBOUND {walk} {wrong} e RETURN v");
            assert_eq!(world.error(&query), code::QUERY_PARSE, "{query}");
        }
    }
}

#[test]
fn a_vertex_turned_down_for_its_place_in_the_path_may_come_at_another() {
    let world = graph("A B C", &["A C", "A B", "B C"]);
    for condition in ["p.vertices[1]._key != 'C'", "'C' != p.vertices[1]._key", "p.edges[0]._key != 'AC'"] {
        same(
            &world.rows(&format!(
                "FOR v, x, p IN 1..2 OUTBOUND 'v/A' e OPTIONS {{ order: 'bfs', uniqueVertices: 'global' }}
                 FILTER {condition} RETURN CONCAT(p.vertices[*]._key)"
            )),
            r#"["AB","ABC"]"#,
        );
    }
}

#[test]
fn the_older_option_for_breadth_first_decides_where_both_are_given() {
    let walk =
        |options: &str| tree().rows(&format!("FOR v IN 1..3 OUTBOUND 'v/A' e OPTIONS {{ {options} }} RETURN v._key"));
    same(&walk("bfs: false, order: 'bfs'"), r#"["B","C","D","E","F","G"]"#);
    same(&walk("bfs: true, order: 'dfs'"), r#"["B","G","C","E","D","F"]"#);
}

#[test]
fn a_negative_weight_by_default_is_an_error_before_the_query_runs() {
    let world = tree();
    let walk = "FOR v IN 1..2 OUTBOUND 'v/D' e OPTIONS { order: 'weighted', defaultWeight: -1 } RETURN v";
    assert_eq!(world.error(walk), code::GRAPH_NEGATIVE_EDGE_WEIGHT);
    let path =
        "FOR v IN OUTBOUND SHORTEST_PATH 'v/D' TO 'v/A' e OPTIONS { weightAttribute: 'w', defaultWeight: -1 } RETURN v";
    assert_eq!(world.error(path), code::GRAPH_NEGATIVE_EDGE_WEIGHT);
}

#[test]
fn a_limit_ends_an_endless_walk() {
    let world = graph("A B", &["A B", "B A"]);
    same(
        &world.rows("FOR v IN 1..1000000 OUTBOUND 'v/A' e OPTIONS { uniqueEdges: 'none' } LIMIT 3 RETURN v._key"),
        r#"["B","A","B"]"#,
    );
}

#[test]
fn very_deep_paths_are_walked() {
    let world = World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows("FOR i IN 1..20000 INSERT { _from: CONCAT('v/', i - 1), _to: CONCAT('v/', i) } INTO e");
    for order in ["dfs", "bfs"] {
        same(
            &world.rows(&format!(
                "RETURN LENGTH(FOR v, x IN 1..100000 OUTBOUND 'v/0' e OPTIONS {{ order: '{order}' }} RETURN x._key)"
            )),
            "[20000]",
        );
    }
    let path = "FOR p IN 1..30000 OUTBOUND K_PATHS 'v/0' TO 'v/19000' e RETURN LENGTH(p.edges)";
    assert_eq!(world.warnings(path).0, "[19000]");
}

/// A to F in three edges over B or C, in two over nothing.
fn ladder() -> World {
    graph("A B C D E F", &["A B 1", "A C 4", "B D 1", "C D 1", "D F 1", "A E 9", "E F 9", "B E 1"])
}

#[test]
fn the_shortest_path_has_the_fewest_edges() {
    same(
        &ladder().rows("FOR v, x IN OUTBOUND SHORTEST_PATH 'v/A' TO 'v/F' e RETURN [v._key, x._key]"),
        r#"[["A",null],["E","AE"],["F","EF"]]"#,
    );
    same(&ladder().rows("FOR v IN INBOUND SHORTEST_PATH 'v/F' TO 'v/A' e RETURN v._key"), r#"["F","E","A"]"#);
}

#[test]
fn of_equally_short_paths_the_one_is_given_that_two_searches_meet_first() {
    // of two equal sides the target's goes first and sees B and C; the first edge of A then leads to C
    let diamond = graph("A B C D", &["A C", "A B", "B D", "C D"]);
    same(&diamond.rows("FOR v IN OUTBOUND SHORTEST_PATH 'v/A' TO 'v/D' e RETURN v._key"), r#"["A","C","D"]"#);
    // the target's side sees B, C and E, the start's stays the smaller one: the first edge to F comes from B
    let wide = graph("A B C D E F", &["A B", "A C", "A E", "B F", "C F", "F D"]);
    same(&wide.rows("FOR v IN INBOUND SHORTEST_PATH 'v/D' TO 'v/A' e RETURN v._key"), r#"["D","F","B","A"]"#);
}

#[test]
fn the_lightest_path_has_the_least_weight() {
    same(
        &ladder().rows(
            "FOR v, x IN OUTBOUND SHORTEST_PATH 'v/A' TO 'v/F' e OPTIONS { weightAttribute: 'w' } RETURN [v._key, x.w]",
        ),
        r#"[["A",null],["B",1],["D",1],["F",1]]"#,
    );
}

#[test]
fn the_lightest_path_is_as_light_as_the_first_of_all_paths() {
    let world = World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows("FOR i IN 0..29 INSERT { _key: TO_STRING(i) } INTO v");
    // edges and weights that repeat, among them zeros and parallel ones
    world.rows(
        "FOR i IN 0..29 FOR j IN [7, 11, 13, 22] FOR p IN 0..1
         INSERT { _from: CONCAT('v/', i), _to: CONCAT('v/', (i * j + 3) % 30), w: (i * j * (p + 2)) % 5 } INTO e",
    );
    let compared = world.rows(
        "FOR a IN 0..29 FOR b IN [0, 4, 17, 29]
         LET edges = (FOR v, x IN OUTBOUND SHORTEST_PATH CONCAT('v/', a) TO CONCAT('v/', b) e
                      OPTIONS { weightAttribute: 'w' } RETURN x.w)
         LET first = FIRST(FOR p IN OUTBOUND K_SHORTEST_PATHS CONCAT('v/', a) TO CONCAT('v/', b) e
                           OPTIONS { weightAttribute: 'w' } LIMIT 1 RETURN p.weight)
         COLLECT same = (LENGTH(edges) > 0 ? SUM(edges) : null) == first RETURN same",
    );
    assert_eq!(compared, "[true]");
}

#[test]
fn a_path_from_a_vertex_to_itself_is_that_vertex() {
    let world = circle();
    same(&world.rows("FOR v IN OUTBOUND SHORTEST_PATH 'v/A' TO 'v/A' e RETURN v._key"), r#"["A"]"#);
    for search in ["ALL_SHORTEST_PATHS", "K_SHORTEST_PATHS"] {
        same(&world.rows(&format!("FOR p IN OUTBOUND {search} 'v/A' TO 'v/A' e RETURN LENGTH(p.vertices)")), "[1]");
    }
    same(&world.rows("FOR p IN 1..9 OUTBOUND K_PATHS 'v/A' TO 'v/A' e RETURN p"), "[]");
}

#[test]
fn without_a_path_there_are_no_rows() {
    let world = tree();
    for search in ["SHORTEST_PATH", "ALL_SHORTEST_PATHS", "K_SHORTEST_PATHS", "K_PATHS"] {
        same(&world.rows(&format!("FOR p IN OUTBOUND {search} 'v/C' TO 'v/A' e RETURN p")), "[]");
        same(&world.rows(&format!("FOR p IN OUTBOUND {search} 'v/A' TO 'v/none' e RETURN p")), "[]");
    }
}

#[test]
fn all_shortest_paths_are_found() {
    let world = graph("A B C D E F", &["A B", "A C", "B D", "C D", "D E", "D F", "E F", "C E"]);
    same(
        &world.rows("FOR p IN OUTBOUND ALL_SHORTEST_PATHS 'v/A' TO 'v/F' e RETURN CONCAT(p.vertices[*]._key)"),
        r#"["ABDF","ACDF","ACEF"]"#,
    );
}

#[test]
fn k_shortest_paths_come_by_weight() {
    same(
        &ladder().rows(
            "FOR p IN OUTBOUND K_SHORTEST_PATHS 'v/A' TO 'v/F' e OPTIONS { weightAttribute: 'w' }
             RETURN [CONCAT(p.vertices[*]._key), p.weight]",
        ),
        r#"[["ABDF",3],["ACDF",6],["ABEF",11],["AEF",18]]"#,
    );
    same(
        &ladder()
            .rows("FOR p IN OUTBOUND K_SHORTEST_PATHS 'v/A' TO 'v/F' e LIMIT 1 RETURN [p.weight, LENGTH(p.edges)]"),
        "[[2,2]]",
    );
}

#[test]
fn of_paths_of_one_weight_the_one_that_leaves_the_last_path_latest_comes_first() {
    let world = graph("A B C D T X Y", &["A B", "B C", "C T", "B D", "D T", "A X", "X Y", "Y T"]);
    for options in ["", "OPTIONS { weightAttribute: 'w', defaultWeight: 2 }"] {
        let paths =
            format!("FOR p IN OUTBOUND K_SHORTEST_PATHS 'v/A' TO 'v/T' e {options} RETURN CONCAT(p.vertices[*]._key)");
        same(&world.rows(&paths), r#"["ABCT","ABDT","AXYT"]"#);
    }
}

#[test]
fn an_edge_from_a_vertex_to_itself_is_walked_in_each_direction() {
    let world = graph("A B", &["A A", "A B"]);
    let walked = |direction: &str| {
        let query = format!("FOR v, e IN 1..1 {direction} 'v/A' e SORT v._key RETURN [v._key, e._from == e._to]");
        world.rows(&query)
    };
    same(&walked("OUTBOUND"), r#"[["A",true],["B",false]]"#);
    same(&walked("INBOUND"), r#"[["A",true]]"#);
    same(&walked("ANY"), r#"[["A",true],["A",true],["B",false]]"#);
    let deeper = world.rows("FOR v, e, p IN 2..3 ANY 'v/A' e RETURN CONCAT(p.vertices[*]._key)");
    same(&deeper, r#"["AAB","AAB"]"#);
}

#[test]
fn k_paths_have_a_length_in_the_range_and_no_vertex_twice() {
    let world = ladder();
    let lengths = |range: &str| {
        world.rows(&format!(
            "FOR p IN {range} OUTBOUND K_PATHS 'v/A' TO 'v/F' e SORT CONCAT(p.vertices[*]._key) RETURN CONCAT(p.vertices[*]._key)"
        ))
    };
    same(&lengths("1..2"), r#"["AEF"]"#);
    same(&lengths("3..3"), r#"["ABDF","ABEF","ACDF"]"#);
    same(&lengths("1..9"), r#"["ABDF","ABEF","ACDF","AEF"]"#);
}

#[test]
fn the_shorter_k_paths_come_first() {
    let lengths = ladder().rows("FOR p IN 1..9 OUTBOUND K_PATHS 'v/A' TO 'v/F' e RETURN LENGTH(p.edges)");
    same(&lengths, "[2,3,3,3]");
}

#[test]
fn k_paths_over_parallel_and_reversed_edges() {
    let world = graph("A B C", &["A B", "B A", "B C", "C B"]);
    same(
        &world.rows("FOR p IN 1..5 ANY K_PATHS 'v/A' TO 'v/C' e SORT p.edges[*]._key RETURN CONCAT(p.edges[*]._key)"),
        r#"["ABBC","ABCB","BABC","BACB"]"#,
    );
}

#[test]
fn restrictions_to_collections_are_names() {
    let world = tree();
    for wrong in ["edgeCollections: 1", "vertexCollections: ['v', 1]"] {
        let query = format!("FOR v IN 1..2 OUTBOUND 'v/A' e OPTIONS {{ {wrong} }} RETURN v");
        assert_eq!(world.error(&query), code::BAD_PARAMETER, "{wrong}");
    }
}
