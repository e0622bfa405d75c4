"""Users and what they may do."""

import pytest
from arango.exceptions import ServerConnectionError

from conftest import PASSWORD, fails, name


@pytest.fixture
def user(system):
    username = name("user")
    system.create_user(username, "first", active=True, extra={"team": "quality"})
    yield username
    system.delete_user(username, ignore_missing=True)


def test_a_user_is_made_listed_changed_and_dropped(system, user):
    assert system.has_user(user)
    assert system.user(user) == {"username": user, "active": True, "extra": {"team": "quality"}}
    assert user in [u["username"] for u in system.users()]
    assert system.update_user(user, extra={"team": "stores"})["extra"] == {"team": "stores"}
    assert system.replace_user(user, "second", active=True, extra={})["extra"] == {}
    assert system.delete_user(user) is True
    with fails(1703, 404):
        system.user(user)
    assert system.delete_user(user, ignore_missing=True) is False


def test_a_name_is_taken_once(system, user):
    with fails(1702, 409):
        system.create_user(user, "pw")


def test_a_changed_password_counts_at_once(client, system, db, user):
    system.update_permission(user, "rw", db.name)
    client.db(db.name, username=user, password="first", verify=True)
    system.update_user(user, password="second")
    with pytest.raises(ServerConnectionError):
        client.db(db.name, username=user, password="first", verify=True)
    client.db(db.name, username=user, password="second", verify=True)


def test_an_inactive_user_stays_out(client, system, db, user):
    system.update_permission(user, "rw", db.name)
    system.update_user(user, active=False)
    with pytest.raises(ServerConnectionError) as caught:
        client.db(db.name, username=user, password="first", verify=True)
    assert caught.value.http_code == 401


def test_a_user_without_a_grant_stays_out(client, db, user):
    with pytest.raises(ServerConnectionError) as caught:
        client.db(db.name, username=user, password="first", verify=True)
    assert caught.value.http_code == 401


def test_a_read_only_user_reads_and_does_not_write(client, system, db, numbers, user):
    system.update_permission(user, "ro", db.name)
    reader = client.db(db.name, username=user, password="first")
    assert reader.collection(numbers.name).count() == 100
    with fails(1004, 403):
        reader.collection(numbers.name).insert({})
    with fails(1004, 403):
        reader.aql.execute(f"REMOVE 'n001' IN {numbers.name}")
    with fails(11, 403):
        reader.create_collection(name("c"))


def test_a_grant_on_a_collection_goes_before_the_databases(client, system, db, numbers, user):
    system.update_permission(user, "rw", db.name)
    system.update_permission(user, "none", db.name, numbers.name)
    guest = client.db(db.name, username=user, password="first")
    with fails(11, 403):
        guest.collection(numbers.name).get("n001")
    with fails(11, 403):
        guest.aql.execute(f"FOR d IN {numbers.name} RETURN d")
    assert system.permission(user, db.name, numbers.name) == "none"
    assert system.reset_permission(user, db.name, numbers.name) is True
    assert guest.collection(numbers.name).has("n001")


def test_grants_are_listed(system, db, user):
    assert system.update_permission(user, "ro", db.name) is True
    assert system.permission(user, db.name) == "ro"
    assert system.permissions(user)[db.name]["permission"] == "ro"
    assert system.reset_permission(user, db.name) is True
    assert system.permission(user, db.name) == "none"


def test_only_administrators_manage_users(client, system, db, user):
    system.update_permission(user, "rw", db.name)
    with fails(11, 403):
        client.db(db.name, username=user, password="first").create_user(name("user"), "pw")


def test_the_root_password_still_opens(client):
    assert client.db("_system", username="root", password=PASSWORD, verify=True)
