"""What the tests share: a server, a database of their own, and helpers that read errors by number."""

import os
import uuid
from contextlib import contextmanager

import pytest
from arango import ArangoClient, formatter
from arango.exceptions import ArangoServerError

URL = os.environ["ARANGO_URL"]
PASSWORD = os.environ.get("ARANGO_ROOT_PASSWORD", "")


def name(prefix):
    """A name nothing else has."""
    return f"{prefix}_{uuid.uuid4().hex[:12]}"


@contextmanager
def fails(number, status=None):
    """The block must fail with ArangoDB's error of that number."""
    with pytest.raises(ArangoServerError) as caught:
        yield caught
    assert caught.value.error_code == number, caught.value
    if status is not None:
        assert caught.value.http_code == status, caught.value


def keys(cursor):
    return sorted(document["_key"] for document in cursor)


@pytest.fixture(autouse=True)
def nothing_is_lost_in_translation(monkeypatch):
    """The driver translates what it knows of an answer; an answer with more than that is not ArangoDB's."""

    def check(body, translated):
        given = {k for k, v in body.items() if k not in ("error", "code") and v is not None}
        known = {k for k, v in translated.items() if k != "edge" and v is not None}
        assert len(given) == len(known), f"sent {sorted(given)}, understood {sorted(known)}"
        return translated

    monkeypatch.setattr(formatter, "verify_format", check)


@pytest.fixture(scope="session")
def client():
    client = ArangoClient(hosts=URL, request_timeout=120)
    yield client
    client.close()


@pytest.fixture(scope="session")
def system(client):
    return client.db("_system", username="root", password=PASSWORD, verify=True)


@pytest.fixture(scope="session")
def db(client, system):
    """The database of the run; tests make collections of their own in it."""
    database = name("suite")
    system.create_database(database)
    yield client.db(database, username="root", password=PASSWORD)
    system.delete_database(database)


@pytest.fixture
def col(db):
    collection = db.create_collection(name("docs"))
    yield collection
    db.delete_collection(collection.name, ignore_missing=True)


@pytest.fixture
def edges(db):
    collection = db.create_collection(name("edges"), edge=True)
    yield collection
    db.delete_collection(collection.name, ignore_missing=True)


@pytest.fixture
def numbers(col):
    """A collection with the numbers 1 to 100."""
    col.insert_many([{"_key": f"n{n:03}", "value": n, "odd": n % 2 == 1} for n in range(1, 101)])
    return col


@pytest.fixture
def graph(db):
    """Parts that contain parts: a -> b -> d, a -> c -> d."""
    graph = db.create_graph(
        name("bom"),
        edge_definitions=[
            {
                "edge_collection": name("contains"),
                "from_vertex_collections": [name("part")],
                "to_vertex_collections": [name("piece")],
            }
        ],
    )
    definition = graph.edge_definitions()[0]
    parts = definition["from_vertex_collections"][0]
    contains = definition["edge_collection"]
    pieces = definition["to_vertex_collections"][0]
    graph.replace_edge_definition(contains, [parts, pieces], [parts, pieces])
    for key in "abcd":
        graph.insert_vertex(parts, {"_key": key})
    for start, end in ("ab", "ac", "bd", "cd"):
        graph.insert_edge(contains, {"_key": start + end, "_from": f"{parts}/{start}", "_to": f"{parts}/{end}"})
    graph.parts, graph.contains, graph.pieces = parts, contains, pieces
    yield graph
    db.delete_graph(graph.name, drop_collections=True, ignore_missing=True)
