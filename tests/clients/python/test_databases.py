"""Databases: made, listed, dropped."""

import pytest

from conftest import PASSWORD, fails, name


def test_a_database_is_made_used_and_dropped(client, system):
    database = name("made")
    assert system.create_database(database)
    assert system.has_database(database)
    assert database in system.databases()
    db = client.db(database, username="root", password=PASSWORD)
    assert db.create_collection("things").insert({"_key": "a"})["_id"] == "things/a"
    assert system.delete_database(database)
    assert database not in system.databases()


def test_a_database_can_be_made_with_its_users(client, system):
    database, user = name("made"), name("user")
    system.create_database(database, users=[{"username": user, "password": "pw", "active": True}])
    assert client.db(database, username=user, password="pw", verify=True).properties()["name"] == database
    assert system.permission(user, database) == "rw"
    system.delete_database(database)
    system.delete_user(user)


def test_a_name_is_taken_once(system, db):
    with fails(1207, 409):
        system.create_database(db.name)


def test_a_bad_name_is_refused(system):
    with fails(1229, 400):
        system.create_database("no/slashes")


def test_dropping_what_is_not_there_is_an_error_unless_it_may_be_missing(system):
    with fails(1228, 404):
        system.delete_database(name("nowhere"))
    assert system.delete_database(name("nowhere"), ignore_missing=True) is False


def test_databases_are_made_in_the_system_database_only(db):
    with fails(1230, 403):
        db.create_database(name("inner"))


@pytest.mark.parametrize("word", ["maçã", "mötör", "😀", "ﻚﻠﺑ ﻞﻄﻴﻓ", "かわいい犬"])
def test_names_come_in_any_script(client, system, word):
    database = name(word)
    system.create_database(database)
    db = client.db(database, username="root", password=PASSWORD, verify=True)
    collection = db.create_collection(word)
    collection.insert({"_key": "a"})
    assert list(db.aql.execute("FOR d IN @@c RETURN d._id", bind_vars={"@c": word})) == [f"{word}/a"]
    assert db.document(f"{word}/a")["_key"] == "a"
    assert system.delete_database(database)
