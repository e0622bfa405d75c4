"""Single documents."""

import pytest

from conftest import fails, name


def test_a_document_is_inserted_read_and_deleted(col):
    meta = col.insert({"_key": "a", "value": 1})
    assert meta["_id"] == f"{col.name}/a" and meta["_key"] == "a"
    assert col.get("a") == {**meta, "value": 1}
    assert col.has("a") and "a" in col
    assert col.delete("a")["_rev"] == meta["_rev"]
    assert col.get("a") is None
    assert not col.has("a")


def test_generated_keys_increase(col):
    generated = [int(col.insert({})["_key"]) for _ in range(10)]
    assert generated == sorted(set(generated))


def test_a_key_is_taken_once(col):
    col.insert({"_key": "a"})
    with fails(1210, 409):
        col.insert({"_key": "a"})


@pytest.mark.parametrize("key", ["", "a b", "a/b", "x" * 255])
def test_a_bad_key_is_refused(col, key):
    with fails(1221, 400):
        col.insert({"_key": key})


def test_new_and_old_states_come_back(col):
    assert col.insert({"_key": "a", "v": 1}, return_new=True)["new"]["v"] == 1
    changed = col.update({"_key": "a", "v": 2}, return_new=True, return_old=True)
    assert (changed["old"]["v"], changed["new"]["v"]) == (1, 2)
    assert changed["_old_rev"] != changed["_rev"]
    assert col.delete("a", return_old=True)["old"]["v"] == 2


def test_silence_is_an_empty_answer(col):
    assert col.insert({"_key": "a"}, silent=True) is True
    assert col.update({"_key": "a", "v": 1}, silent=True) is True
    assert col.delete("a", silent=True) is True


def test_an_update_merges_and_a_replacement_does_not(col):
    col.insert({"_key": "a", "keep": 1, "sub": {"x": 1}})
    col.update({"_key": "a", "sub": {"y": 2}})
    assert col.get("a")["sub"] == {"x": 1, "y": 2}
    col.update({"_key": "a", "sub": {"z": 3}}, merge=False)
    assert col.get("a")["sub"] == {"z": 3}
    col.update({"_key": "a", "keep": None}, keep_none=False)
    assert "keep" not in col.get("a")
    col.replace({"_key": "a", "only": 1})
    assert set(col.get("a")) == {"_id", "_key", "_rev", "only"}


def test_a_revision_guards_what_has_changed_meanwhile(col):
    first = col.insert({"_key": "a", "v": 1})
    col.update({"_key": "a", "v": 2})
    with fails(1200, 412):
        col.update({"_key": "a", "_rev": first["_rev"], "v": 3})
    with fails(1200, 412):
        col.replace({"_key": "a", "_rev": first["_rev"], "v": 3})
    with fails(1200, 412):
        col.delete({"_key": "a", "_rev": first["_rev"]})
    assert col.update({"_key": "a", "_rev": first["_rev"], "v": 3}, check_rev=False)
    assert col.get("a")["v"] == 3
    with fails(1200, 412):
        col.get({"_key": "a", "_rev": first["_rev"]})


def test_changing_what_is_not_there_is_an_error(col):
    with fails(1202, 404):
        col.update({"_key": "nowhere"})
    with fails(1202, 404):
        col.replace({"_key": "nowhere"})
    with fails(1202, 404):
        col.delete("nowhere")
    assert col.delete("nowhere", ignore_missing=True) is False


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("ignore", {"v": 1}), ("replace", {"w": 2}), ("update", {"v": 1, "w": 2})],
)
def test_an_insert_over_an_existing_document_follows_its_mode(col, mode, expected):
    col.insert({"_key": "a", "v": 1})
    col.insert({"_key": "a", "w": 2}, overwrite_mode=mode)
    assert {k: v for k, v in col.get("a").items() if not k.startswith("_")} == expected


def test_an_insert_with_conflict_mode_fails_as_without(col):
    col.insert({"_key": "a"})
    with fails(1210, 409):
        col.insert({"_key": "a"}, overwrite_mode="conflict")


def test_an_edge_needs_both_ends(edges):
    with fails(1233, 400):
        edges.insert({"_from": "a/1"})
    edges.insert({"_key": "e", "_from": "a/1", "_to": "a/2"})
    assert edges.get("e")["_to"] == "a/2"


def test_values_come_back_as_they_were_written(col):
    values = {
        "null": None,
        "true": True,
        "integers": [0, -1, 9007199254740993, -9223372036854775808, 9223372036854775807],
        "numbers": [0.1, -1.5e300, 5e-324],
        "strings": ["", "ä€😀", 'quote " and \\', "\u0000\t\n"],
        "nested": {"a": [{"b": [[], {}]}]},
    }
    col.insert({"_key": "v", **values})
    stored = col.get("v")
    assert {k: stored[k] for k in values} == values


def test_a_document_is_reached_through_its_database(db, col):
    db.insert_document(col.name, {"_key": "a", "v": 1})
    assert db.document(f"{col.name}/a")["v"] == 1
    db.update_document({"_id": f"{col.name}/a", "v": 2})
    db.replace_document({"_id": f"{col.name}/a", "w": 2})
    assert db.has_document(f"{col.name}/a")
    assert db.delete_document(f"{col.name}/a")["_key"] == "a"


def test_an_unknown_collection_is_named_by_number(db):
    with fails(1203, 404):
        db.collection(name("nowhere")).insert({})
    with fails(1203, 404):
        db.collection(name("nowhere")).count()
