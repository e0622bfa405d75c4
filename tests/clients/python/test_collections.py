"""Collections and their properties."""

from conftest import fails, keys, name


def test_a_collection_is_made_listed_and_dropped(db):
    collection = db.create_collection(name("c"))
    assert db.has_collection(collection.name)
    assert collection.name in [c["name"] for c in db.collections()]
    assert db.delete_collection(collection.name) is True
    assert not db.has_collection(collection.name)
    with fails(1203, 404):
        db.delete_collection(collection.name)


def test_a_name_is_taken_once(db, col):
    with fails(1207, 409):
        db.create_collection(col.name)


def test_a_bad_name_is_refused(db):
    with fails(1208, 400):
        db.create_collection("1 2 3/")


def test_properties_are_kept_and_changed(db):
    collection = db.create_collection(
        name("c"), sync=True, user_keys=False, key_increment=10, key_offset=5, key_generator="autoincrement"
    )
    properties = collection.properties()
    assert properties["sync"] is True
    keys = properties["key_options"]
    assert (keys["key_generator"], keys["key_increment"], keys["key_offset"]) == ("autoincrement", 10, 5)
    assert keys["user_keys"] is False
    assert [collection.insert({})["_key"] for _ in range(2)] == ["5", "15"]
    with fails(1222, 400):
        collection.insert({"_key": "mine"})
    assert collection.configure(sync=False)["sync"] is False
    db.delete_collection(collection.name)


def test_an_edge_collection_says_so(edges):
    assert edges.properties()["edge"] is True
    assert edges.info()["type"] == 3


def test_a_schema_guards_what_is_written(db):
    schema = {
        "rule": {"type": "object", "properties": {"weight": {"type": "number"}}, "required": ["weight"]},
        "level": "moderate",
        "message": "every part has a weight",
    }
    collection = db.create_collection(name("c"), schema=schema)
    collection.insert({"weight": 1})
    with fails(1620, 400) as caught:
        collection.insert({"weight": "heavy"})
    assert "every part has a weight" in caught.value.error_message
    collection.configure(schema={**schema, "level": "none"})
    collection.insert({"weight": "heavy"})
    db.delete_collection(collection.name)


def test_counting_emptying_and_renaming(db, numbers):
    assert numbers.count() == len(numbers) == 100
    assert numbers.truncate() is True
    assert numbers.count() == 0
    renamed = name("renamed")
    old = numbers.name
    assert numbers.rename(renamed) is True
    assert db.has_collection(renamed) and not db.has_collection(old)
    db.delete_collection(renamed)


def test_revision_and_checksum_change_with_the_data(col):
    revision, checksum = col.revision(), col.checksum(with_rev=True, with_data=True)
    col.insert({"a": 1})
    assert col.revision() != revision
    assert col.checksum(with_rev=True, with_data=True) != checksum


def test_figures_are_understood(numbers):
    statistics = numbers.statistics()
    assert statistics["indexes"]["count"] == 1


def test_loading_and_unloading_change_nothing(numbers):
    assert numbers.load() is True
    assert numbers.unload() is True
    assert numbers.load_indexes() is True
    assert numbers.recalculate_count() is True
    assert numbers.count() == 100


def test_what_is_in_a_collection_can_be_listed(numbers):
    assert len(list(numbers.keys())) == 100
    assert f"{numbers.name}/n001" in list(numbers.ids())
    assert keys(numbers.all(skip=98)) == ["n099", "n100"]
    assert keys(numbers.find({"value": 7})) == ["n007"]
    assert numbers.random()["_key"].startswith("n")
    assert sorted(d["_key"] for d in numbers.get_many(["n001", "n002", "nowhere"])) == ["n001", "n002"]


def test_what_matches_is_changed_at_once(numbers):
    assert numbers.update_match({"odd": True}, {"seen": True}) == 50
    assert numbers.replace_match({"value": 2}, {"value": 2, "new": 1}) == 1
    assert numbers.delete_match({"seen": True}, limit=20) == 20
    assert numbers.count() == 80


def test_a_computed_value_is_written_with_the_document(db):
    rule = {"name": "full", "expression": "RETURN CONCAT(@doc.first, '-', @doc.last)", "overwrite": True}
    collection = db.create_collection(name("c"), computedValues=[rule])
    new = collection.insert({"first": "a", "last": "b"}, return_new=True)["new"]
    assert new["full"] == "a-b"
    db.delete_collection(collection.name)


def test_the_kinds_of_key_generators_are_listed(db):
    assert {"traditional", "autoincrement"} <= set(db.key_generators())
