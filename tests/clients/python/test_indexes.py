"""Indexes."""

import pytest

from conftest import fails, keys


def test_every_collection_has_its_own_indexes(col, edges):
    assert [i["type"] for i in col.indexes()] == ["primary"]
    assert [i["type"] for i in edges.indexes()] == ["primary", "edge"]


def test_a_persistent_index_is_made_found_and_dropped(col):
    made = col.add_index({"type": "persistent", "fields": ["a", "b.c"], "name": "ab", "unique": False, "sparse": True})
    assert made["isNewlyCreated"] is True
    assert col.add_index({"type": "persistent", "fields": ["a", "b.c"], "sparse": True})["isNewlyCreated"] is False
    found = [i for i in col.indexes() if i["name"] == "ab"][0]
    assert found["fields"] == ["a", "b.c"] and found["sparse"] is True and found["id"] == made["id"]
    assert col.get_index(made["id"])["name"] == "ab"
    assert col.delete_index(made["id"]) is True
    with fails(1212, 404):
        col.delete_index(made["id"])
    assert col.delete_index(made["id"], ignore_missing=True) is False


@pytest.mark.parametrize("kind", ["hash", "skiplist", "persistent"])
def test_all_names_of_a_persistent_index_guard_uniqueness(col, kind):
    col.add_index({"type": kind, "fields": ["serial"], "unique": True})
    col.insert({"serial": 1})
    with fails(1210, 409) as caught:
        col.insert({"serial": 1})
    assert "serial" in caught.value.error_message
    assert col.count() == 1


def test_an_index_over_duplicates_fails_and_leaves_nothing(col):
    col.insert_many([{"v": 1}, {"v": 1}])
    with fails(1210, 400):
        col.add_index({"type": "persistent", "fields": ["v"], "unique": True})
    assert len(col.indexes()) == 1


def test_an_array_index_finds_elements(db, col):
    col.insert_many([{"_key": "a", "tags": ["x", "y"]}, {"_key": "b", "tags": ["z"]}])
    col.add_index({"type": "persistent", "fields": ["tags[*]"]})
    query = "FOR d IN @@c FILTER 'y' IN d.tags RETURN d"
    assert keys(db.aql.execute(query, bind_vars={"@c": col.name})) == ["a"]
    assert "IndexNode" in [n["type"] for n in db.aql.explain(query, bind_vars={"@c": col.name})["nodes"]]


def test_a_ttl_index_is_kept(col):
    made = col.add_index({"type": "ttl", "fields": ["at"], "expireAfter": 3600})
    assert made["expireAfter"] == 3600
    assert "ttl" in [i["type"] for i in col.indexes()]


def test_an_index_type_nobody_knows_is_refused(col):
    with fails(10, 400):
        col.add_index({"type": "nonsense", "fields": ["a"]})


def test_a_geo_index_serves_the_geo_queries(col):
    col.insert_many([{"_key": f"p{n}", "loc": [n, n]} for n in range(1, 6)])
    made = col.add_index({"type": "geo", "fields": ["loc"], "geoJson": False})
    assert made["type"] == "geo" and made["geoJson"] is False
    assert [d["_key"] for d in col.find_near(1, 1, limit=2)] == ["p1", "p2"]
    within = list(col.find_in_radius(3, 3, 10, distance_field="away"))
    assert [d["_key"] for d in within] == ["p3"] and within[0]["away"] == 0


def test_a_fulltext_index_serves_the_text_queries(col):
    col.add_index({"type": "fulltext", "fields": ["text"], "minLength": 3})
    col.insert_many([{"_key": "a", "text": "quick brown fox"}, {"_key": "b", "text": "lazy dog"}])
    assert keys(col.find_by_text("text", "quick")) == ["a"]
    assert keys(col.find_by_text("text", "prefix:laz")) == ["b"]
    assert keys(col.find_by_text("text", "quick,|dog")) == ["a", "b"]
    assert keys(col.find_by_text("text", "quick,|dog", limit=1)) in (["a"], ["b"])
    assert keys(col.find_by_text("text", "quick", limit=0)) == []
    with fails(10, 400):
        col.find_by_text("text", "+")
    with fails(1571, 400):
        col.find_by_text("elsewhere", "quick")
