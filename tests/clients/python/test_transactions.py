"""Stream transactions."""

import pytest
from arango.exceptions import TransactionInitError

from conftest import fails, name


def test_what_is_committed_is_there(db, col):
    txn = db.begin_transaction(write=col.name)
    txn.collection(col.name).insert({"_key": "a"})
    assert txn.collection(col.name).has("a")
    assert not col.has("a")
    assert txn.transaction_status() == "running"
    assert txn.commit_transaction() is True
    assert txn.transaction_status() == "committed"
    assert col.has("a")


def test_what_is_aborted_is_not_there(db, col):
    txn = db.begin_transaction(write=[col.name])
    txn.collection(col.name).insert({"_key": "a"})
    txn.aql.execute(f"INSERT {{ _key: 'b' }} INTO {col.name}")
    assert txn.abort_transaction() is True
    assert txn.transaction_status() == "aborted"
    assert col.count() == 0


def test_a_transaction_reads_its_snapshot_and_its_own_writes(db, col):
    col.insert({"_key": "a", "v": 1})
    txn = db.begin_transaction(read=col.name, write=col.name)
    assert txn.collection(col.name).get("a")["v"] == 1
    col.insert({"_key": "later"})
    assert not txn.collection(col.name).has("later")
    txn.collection(col.name).insert({"_key": "mine"})
    rows = txn.aql.execute(f"FOR d IN {col.name} SORT d._key RETURN d._key")
    assert list(rows) == ["a", "mine"]
    txn.abort_transaction()


def test_the_second_writer_of_a_document_gets_a_conflict(db, col):
    col.insert({"_key": "a", "v": 1})
    first = db.begin_transaction(write=col.name)
    second = db.begin_transaction(write=col.name)
    first.collection(col.name).update({"_key": "a", "v": 2})
    with fails(1200, 409):
        second.collection(col.name).update({"_key": "a", "v": 3})
    with fails(1200, 409):
        second.aql.execute(f"UPDATE 'a' WITH {{ v: 3 }} IN {col.name}")
    first.commit_transaction()
    second.abort_transaction()
    assert col.get("a")["v"] == 2


def test_a_write_over_what_changed_since_the_snapshot_is_a_conflict(db, col):
    col.insert({"_key": "a", "v": 1})
    txn = db.begin_transaction(write=col.name)
    assert txn.collection(col.name).get("a")["v"] == 1
    col.update({"_key": "a", "v": 2})
    with fails(1200, 409):
        txn.collection(col.name).update({"_key": "a", "v": 3})
    txn.abort_transaction()
    assert col.get("a")["v"] == 2


def test_an_undeclared_write_is_refused(db, col):
    other = db.create_collection(name("other"))
    txn = db.begin_transaction(read=other.name, write=col.name)
    with fails(1652, 400):
        txn.collection(other.name).insert({})
    with fails(1652, 400):
        txn.aql.execute(f"INSERT {{}} INTO {other.name}")
    txn.abort_transaction()
    db.delete_collection(other.name)


def test_an_undeclared_read_follows_allow_implicit(db, numbers):
    other = db.create_collection(name("other"))
    open_minded = db.begin_transaction(write=other.name, allow_implicit=True)
    assert open_minded.collection(numbers.name).has("n001")
    open_minded.abort_transaction()
    strict = db.begin_transaction(write=other.name, allow_implicit=False)
    with fails(1652, 400):
        strict.collection(numbers.name).get("n001")
    strict.abort_transaction()
    db.delete_collection(other.name)


def test_an_exclusive_transaction_keeps_writers_out(db, col):
    first = db.begin_transaction(exclusive=col.name)
    with pytest.raises(TransactionInitError) as caught:
        db.begin_transaction(exclusive=col.name, lock_timeout=1)
    assert caught.value.error_code == 18
    first.abort_transaction()


def test_an_ended_transaction_cannot_be_used(db, col):
    txn = db.begin_transaction(write=col.name)
    txn.commit_transaction()
    with fails(1655, 404):
        txn.collection(col.name).insert({})
    with fails(1653, 400):
        txn.abort_transaction()


def test_an_unknown_transaction_is_an_error(db):
    with fails(1655, 404):
        db.fetch_transaction("123456789").transaction_status()


def test_a_transaction_needs_collections_that_exist(db):
    with fails(1203, 404):
        db.begin_transaction(write=name("nowhere"))


def test_open_transactions_are_listed_and_found_again(db, col):
    txn = db.begin_transaction(write=col.name)
    assert txn.transaction_id in [t["id"] for t in db.list_transactions()]
    again = db.fetch_transaction(txn.transaction_id)
    again.collection(col.name).insert({"_key": "a"})
    again.commit_transaction()
    assert col.has("a")
    assert txn.transaction_id not in [t["id"] for t in db.list_transactions()]


def test_a_transaction_beyond_its_size_fails_with_the_limit(db, col):
    txn = db.begin_transaction(write=col.name, max_size=20_000)
    with fails(32):
        for _ in range(200):
            txn.collection(col.name).insert({"text": "x" * 1000})
    txn.abort_transaction()
    assert col.count() == 0


def test_a_cursor_of_a_transaction_pages(db, numbers):
    txn = db.begin_transaction(read=numbers.name)
    cursor = txn.aql.execute(f"FOR d IN {numbers.name} RETURN d.value", batch_size=7)
    assert sorted(cursor) == list(range(1, 101))
    txn.commit_transaction()


def test_a_streaming_cursor_of_a_transaction_pages(db, numbers):
    txn = db.begin_transaction(read=numbers.name)
    cursor = txn.aql.execute(f"FOR d IN {numbers.name} RETURN d.value", batch_size=7, stream=True)
    assert sorted(cursor) == list(range(1, 101))
    txn.commit_transaction()


def test_a_graph_is_written_within_a_transaction(db, graph):
    txn = db.begin_transaction(write=[graph.parts, graph.contains, graph.pieces])
    inside = txn.graph(graph.name)
    inside.insert_vertex(graph.parts, {"_key": "e"})
    inside.insert_edge(graph.contains, {"_from": f"{graph.parts}/d", "_to": f"{graph.parts}/e"})
    txn.commit_transaction()
    assert graph.has_vertex(f"{graph.parts}/e")


def test_a_javascript_transaction_is_refused_clearly(db):
    with fails(9, 501):
        db.execute_transaction("function () { return 1; }")
