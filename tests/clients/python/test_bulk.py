"""Many documents at once."""

import pytest
from arango.exceptions import DocumentInsertError, DocumentRevisionError, DocumentUpdateError

from conftest import fails


def test_many_documents_are_inserted_in_their_order(col):
    written = col.insert_many([{"_key": f"k{n}"} for n in range(1000)], return_new=True)
    assert [w["_key"] for w in written] == [f"k{n}" for n in range(1000)]
    assert written[7]["new"]["_key"] == "k7"
    assert col.count() == 1000


def test_each_document_has_its_own_error(col):
    results = col.insert_many([{"_key": "a"}, {"_key": "a"}, {"_key": "bad key"}, {"_key": "b"}])
    assert [getattr(r, "error_code", None) for r in results] == [None, 1210, 1221, None]
    assert isinstance(results[1], DocumentInsertError)
    assert col.count() == 2


def test_errors_of_many_can_be_raised(col):
    with fails(1210):
        col.insert_many([{"_key": "a"}, {"_key": "a"}], raise_on_document_error=True)


@pytest.mark.parametrize("mode", ["ignore", "update", "replace"])
def test_many_inserts_follow_the_mode(col, mode):
    col.insert_many([{"_key": "a", "v": 1}, {"_key": "b", "v": 1}])
    col.insert_many([{"_key": "a", "w": 2}, {"_key": "c"}], overwrite_mode=mode)
    found = col.get("a")
    assert ("v" in found, "w" in found) == {"ignore": (True, False), "update": (True, True), "replace": (False, True)}[mode]
    assert col.count() == 3


def test_many_documents_are_updated_replaced_and_deleted(numbers):
    updated = numbers.update_many([{"_key": "n001", "x": 1}, {"_key": "nowhere", "x": 1}], return_old=True)
    assert updated[0]["old"]["value"] == 1
    assert isinstance(updated[1], DocumentUpdateError) and updated[1].error_code == 1202
    replaced = numbers.replace_many([{"_key": "n002", "x": 1}], return_new=True)
    assert "value" not in replaced[0]["new"]
    deleted = numbers.delete_many(["n001", "n002", "nowhere"], return_old=True)
    assert [getattr(r, "error_code", None) for r in deleted] == [None, None, 1202]
    assert numbers.count() == 98


def test_a_revision_is_checked_for_each_document(numbers):
    old = numbers.get("n001")["_rev"]
    numbers.update({"_key": "n001", "x": 1})
    results = numbers.update_many([{"_key": "n001", "_rev": old}, {"_key": "n002", "y": 1}], check_rev=True)
    assert isinstance(results[0], DocumentRevisionError) and results[0].error_code == 1200
    assert numbers.get("n002")["y"] == 1


def test_silence_leaves_only_errors(col):
    assert col.insert_many([{"_key": "a"}, {"_key": "b"}], silent=True) is True
    assert col.delete_many([{"_key": "a"}], silent=True) is True


def test_an_import_counts_what_it_did(col):
    col.insert({"_key": "a", "v": 1})
    result = col.import_bulk([{"_key": "a", "v": 2}, {"_key": "b"}], on_duplicate="update")
    assert (result["created"], result["updated"], result["errors"]) == (1, 1, 0)
    assert col.get("a")["v"] == 2
    result = col.import_bulk([{"_key": "a"}, {"_key": "c"}], on_duplicate="ignore")
    assert (result["created"], result["ignored"]) == (1, 1)
    result = col.import_bulk([{"_key": "a", "v": 9}], on_duplicate="replace")
    assert result["updated"] == 1


def test_an_import_reports_errors_with_details(col):
    col.insert({"_key": "a"})
    result = col.import_bulk([{"_key": "a"}, {"_key": "b"}], halt_on_error=False, details=True)
    assert (result["created"], result["errors"]) == (1, 1)
    assert len(result["details"]) == 1


def test_a_complete_import_is_all_or_nothing(col):
    col.insert({"_key": "a"})
    with fails(1210, 409):
        col.import_bulk([{"_key": "b"}, {"_key": "a"}], halt_on_error=True)
    assert col.count() == 1


def test_an_import_can_replace_the_whole_collection(numbers):
    assert numbers.import_bulk([{"_key": "x"}], overwrite=True)["created"] == 1
    assert numbers.count() == 1


def test_an_import_completes_the_ends_of_edges(edges):
    result = edges.import_bulk([{"_key": "e", "_from": "1", "_to": "2"}], from_prefix="a", to_prefix="b")
    assert result["created"] == 1
    assert (edges.get("e")["_from"], edges.get("e")["_to"]) == ("a/1", "b/2")


def test_a_large_import_goes_in_batches(col):
    documents = [{"_key": f"k{n}", "payload": "x" * 50} for n in range(20_000)]
    results = col.import_bulk(documents, batch_size=5_000)
    assert sum(r["created"] for r in results) == 20_000
    assert col.count() == 20_000
