"""Named graphs, their vertices and edges, and walking along them."""

from conftest import fails, name


def test_a_graph_is_made_described_and_dropped(db):
    graph_name, things, links = name("g"), name("things"), name("links")
    graph = db.create_graph(graph_name)
    assert db.has_graph(graph_name) and graph_name in [g["name"] for g in db.graphs()]
    graph.create_vertex_collection(things)
    graph.create_edge_definition(links, [things], [things])
    assert graph.has_vertex_collection(things) and graph.has_edge_definition(links)
    assert graph.edge_definitions()[0]["edge_collection"] == links
    assert graph.properties()["name"] == graph_name
    assert db.delete_graph(graph_name, drop_collections=True) is True
    assert not db.has_collection(things) and not db.has_collection(links)
    with fails(1924, 404):
        db.delete_graph(graph_name)


def test_a_name_is_taken_once(db, graph):
    with fails(1925, 409):
        db.create_graph(graph.name)


def test_definitions_change(graph):
    orphan = name("orphan")
    graph.create_vertex_collection(orphan)
    assert orphan in graph.vertex_collections()
    graph.delete_vertex_collection(orphan, purge=True)
    assert orphan not in graph.vertex_collections()
    with fails(1920, 400):
        graph.create_edge_definition(graph.contains, [graph.parts], [graph.parts])
    graph.delete_edge_definition(graph.contains, purge=True)
    assert graph.edge_definitions() == []


def test_vertices_are_written_and_read(graph):
    parts = graph.vertex_collection(graph.parts)
    assert parts.insert({"_key": "x", "v": 1})["_key"] == "x"
    assert parts.update({"_key": "x", "w": 2})["_old_rev"]
    assert parts.get("x")["w"] == 2
    parts.replace({"_key": "x", "only": 1})
    assert "w" not in parts.get("x")
    assert parts.delete("x") is True
    assert parts.get("x") is None
    with fails(1202, 404):
        parts.update({"_key": "x"})


def test_deleting_a_vertex_takes_its_edges_along(graph):
    contains = graph.edge_collection(graph.contains)
    graph.delete_vertex(f"{graph.parts}/d")
    assert sorted(e["_key"] for e in contains.all()) == ["ab", "ac"]


def test_edges_are_written_and_read(graph):
    contains = graph.edge_collection(graph.contains)
    made = contains.link(f"{graph.parts}/a", f"{graph.parts}/d", {"_key": "ad", "count": 2})
    assert made["_key"] == "ad" and contains.get("ad")["count"] == 2
    contains.update({"_key": "ad", "count": 3})
    assert contains.get("ad")["count"] == 3
    assert contains.delete("ad") is True


def test_an_edge_must_join_what_the_graph_allows(db, graph):
    stranger = db.create_collection(name("stranger"))
    stranger.insert({"_key": "s"})
    with fails(1947, 400):
        graph.insert_edge(graph.contains, {"_from": f"{stranger.name}/s", "_to": f"{graph.parts}/a"})
    with fails(1202, 404):
        graph.insert_edge(graph.contains, {"_from": f"{graph.parts}/nowhere", "_to": f"{graph.parts}/a"})
    db.delete_collection(stranger.name)


def test_the_edges_of_a_vertex_have_a_direction(graph):
    contains = graph.edge_collection(graph.contains)
    ends = {d: sorted(e["_key"] for e in contains.edges(f"{graph.parts}/b", direction=d)["edges"]) for d in ("in", "out")}
    assert ends == {"in": ["ab"], "out": ["bd"]}
    assert len(contains.edges(f"{graph.parts}/b")["edges"]) == 2


def test_a_traversal_follows_the_graph(db, graph):
    query = "FOR v, e, p IN 1..2 OUTBOUND @start GRAPH @graph OPTIONS { order: 'bfs' } RETURN [v._key, LENGTH(p.edges)]"
    rows = list(db.aql.execute(query, bind_vars={"start": f"{graph.parts}/a", "graph": graph.name}))
    assert sorted(map(tuple, rows)) == [("b", 1), ("c", 1), ("d", 2), ("d", 2)]


def test_each_vertex_is_visited_once_where_asked(db, graph):
    query = (
        "FOR v IN 1..5 OUTBOUND @start GRAPH @graph OPTIONS { order: 'bfs', uniqueVertices: 'global' } RETURN v._key"
    )
    rows = list(db.aql.execute(query, bind_vars={"start": f"{graph.parts}/a", "graph": graph.name}))
    assert sorted(rows) == ["b", "c", "d"]


def test_paths_are_found(db, graph):
    bound = {"start": f"{graph.parts}/a", "end": f"{graph.parts}/d", "graph": graph.name}
    shortest = list(db.aql.execute("FOR v IN OUTBOUND SHORTEST_PATH @start TO @end GRAPH @graph RETURN v._key", bind_vars=dict(bound)))
    assert shortest[0] == "a" and shortest[-1] == "d" and len(shortest) == 3
    all_paths = db.aql.execute(
        "FOR p IN OUTBOUND ALL_SHORTEST_PATHS @start TO @end GRAPH @graph RETURN p.vertices[*]._key", bind_vars=dict(bound)
    )
    assert sorted(all_paths) == [["a", "b", "d"], ["a", "c", "d"]]


def test_an_unknown_graph_is_an_error(db):
    with fails(1924, 404):
        db.graph(name("nowhere")).properties()
