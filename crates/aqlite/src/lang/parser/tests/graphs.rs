use super::{clauses, refused};

/// The loop of a query, without the `FOR … IN`.
fn walked(text: &str) -> String {
    let shown = clauses(&format!("FOR v IN {text} RETURN v"));
    shown.trim_start_matches("FOR v IN ").trim_end_matches("; RETURN v").to_owned()
}

#[test]
fn traversals_have_depths_a_direction_a_start_and_edges() {
    assert_eq!(walked("OUTBOUND 'a/1' e"), "Outbound \"a/1\" e");
    assert_eq!(walked("1..3 INBOUND @s @@e"), "1..3 Inbound @s @@e");
    assert_eq!(walked("2 ANY x.y e"), "2..2 Any x.y e");
    assert_eq!(walked("@min..@max OUTBOUND s e"), "@min..@max Outbound s e");
    assert_eq!(walked("1 + 1 .. 5 OUTBOUND s e"), "(1 + 1)..5 Outbound s e");
}

#[test]
fn edge_collections_may_have_a_direction_of_their_own() {
    assert_eq!(walked("ANY s a, OUTBOUND b, INBOUND @@c, ANY @d, @e"), "Any s a, Outbound b, Inbound @@c, Any @d, @e");
    assert_eq!(walked("OUTBOUND s ANY e"), "Outbound s Any e");
}

#[test]
fn a_graph_is_named_by_a_string_a_name_or_a_bind_parameter() {
    assert_eq!(walked("OUTBOUND s GRAPH 'g'"), "Outbound s GRAPH g");
    assert_eq!(walked("OUTBOUND s GRAPH g"), "Outbound s GRAPH g");
    assert_eq!(walked("OUTBOUND s GRAPH @g"), "Outbound s GRAPH @g");
    assert_eq!(walked("OUTBOUND s GRAPH @@g"), "Outbound s GRAPH @@g");
}

#[test]
fn traversals_have_up_to_three_variables_and_path_searches_fewer() {
    clauses("FOR v, e, p IN OUTBOUND s e RETURN p");
    assert_eq!(refused("FOR v, e, p, x IN OUTBOUND s e RETURN v"), 1501);
    clauses("FOR v, e IN OUTBOUND SHORTEST_PATH a TO b e RETURN v");
    assert_eq!(refused("FOR v, e, p IN OUTBOUND SHORTEST_PATH a TO b e RETURN v"), 1501);
    for kind in ["K_SHORTEST_PATHS", "K_PATHS", "ALL_SHORTEST_PATHS"] {
        assert_eq!(refused(&format!("FOR v, e IN OUTBOUND {kind} a TO b e RETURN v")), 1501);
    }
}

#[test]
fn a_traversal_may_be_pruned_and_have_options() {
    assert_eq!(walked("OUTBOUND s e PRUNE v.x == 1"), "Outbound s e PRUNE (v.x == 1)");
    assert_eq!(
        walked("OUTBOUND s e PRUNE c = v.x OPTIONS {order: 'bfs'}"),
        "Outbound s e PRUNE c = v.x OPTIONS {order: \"bfs\"}"
    );
    assert_eq!(walked("OUTBOUND s e OPTIONS {}"), "Outbound s e OPTIONS {}");
    assert_eq!(
        clauses("FOR v IN OUTBOUND s e PRUNE c = v.x RETURN {c}"),
        "FOR v IN Outbound s e PRUNE c = v.x; RETURN {c}"
    );
    for text in ["PRUNE (RETURN 1)", "OPTIONS 5", "TRIM v", "PRUNE v TUNE {}", "OPTIONS {} PRUNE v"] {
        assert_eq!(refused(&format!("FOR v IN OUTBOUND s e {text} RETURN v")), 1501, "{text}");
    }
}

#[test]
fn path_searches_go_from_a_start_to_a_target() {
    assert_eq!(walked("OUTBOUND SHORTEST_PATH a TO b e"), "Outbound Shortest a TO b e");
    assert_eq!(walked("ANY K_SHORTEST_PATHS a TO b GRAPH 'g' OPTIONS {}"), "Any KShortest a TO b GRAPH g OPTIONS {}");
    assert_eq!(walked("1..4 INBOUND K_PATHS a TO b e"), "1..4 Inbound KPaths a TO b e");
    assert_eq!(walked("OUTBOUND ALL_SHORTEST_PATHS a TO b e"), "Outbound AllShortest a TO b e");
    assert_eq!(refused("FOR v IN OUTBOUND SHORTEST_PATH a UNTO b e RETURN v"), 1501);
    assert_eq!(refused("FOR v IN 1..2 OUTBOUND SHORTEST_PATH a TO b e RETURN v"), 1501);
}

#[test]
fn any_before_a_comparison_is_a_quantifier_and_otherwise_a_direction() {
    assert_eq!(walked("a ANY == 1 ? b : c"), "((a ANY == 1) ? b : c)");
    assert_eq!(walked("a ANY b c"), "a..a Any b c");
}
