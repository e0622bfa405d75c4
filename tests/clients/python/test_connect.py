"""Who may come in, and what the server says about itself."""

import os
import time

import jwt
import pytest
from arango.exceptions import JWTAuthError, ServerConnectionError

from conftest import PASSWORD, fails, name


@pytest.mark.parametrize("method", ["basic", "jwt"])
def test_every_way_of_authentication_opens_a_database(client, method):
    db = client.db("_system", username="root", password=PASSWORD, auth_method=method, verify=True)
    assert db.username == "root"
    assert db.properties()["name"] == "_system"


def test_a_wrong_password_is_refused(client):
    with pytest.raises(ServerConnectionError) as caught:
        client.db("_system", username="root", password="wrong", verify=True)
    assert caught.value.http_code == 401


def test_a_wrong_password_gets_no_token(client):
    with pytest.raises(JWTAuthError) as caught:
        client.db("_system", username="root", password="wrong", auth_method="jwt")
    assert caught.value.http_code == 401


def test_a_token_of_the_shared_secret_is_a_superuser(client):
    secret = os.environ.get("ARANGO_JWT_SECRET")
    if not secret:
        pytest.skip("the server's secret is not known")
    claims = {"iss": "arangodb", "server_id": "suite", "iat": int(time.time()), "exp": int(time.time()) + 60}
    db = client.db("_system", superuser_token=jwt.encode(claims, secret, algorithm="HS256"), verify=True)
    assert "_system" in db.databases()


def test_a_token_of_another_secret_is_refused(client):
    claims = {"iss": "arangodb", "server_id": "suite", "exp": int(time.time()) + 60}
    token = jwt.encode(claims, "another secret that nobody knows", algorithm="HS256")
    with pytest.raises(ServerConnectionError) as caught:
        client.db("_system", superuser_token=token, verify=True)
    assert caught.value.http_code == 401


def test_an_unknown_database_is_refused(client):
    with fails(1228, 404):
        client.db(name("nowhere"), username="root", password=PASSWORD).properties()


def test_the_server_introduces_itself(system):
    assert system.version().startswith("3.12")
    assert system.engine()["name"] == "rocksdb"
    assert system.role() == "SINGLE"
    assert system.mode() == "default"
    assert system.check_availability() == "default"
    assert system.status()["server_info"]["role"] == "SINGLE"
    assert abs(system.time().timestamp() - time.time()) < 3600 * 24
    assert "arangodb_" in system.metrics()


def test_an_expired_token_is_renewed_on_its_own(client):
    db = client.db("_system", username="root", password=PASSWORD, auth_method="jwt")
    secret = os.environ.get("ARANGO_JWT_SECRET")
    if not secret:
        pytest.skip("the server's secret is not known")
    claims = {"iss": "arangodb", "preferred_username": "root", "iat": 1, "exp": int(time.time()) - 1000}
    expired = jwt.encode(claims, secret, algorithm="HS256")
    db.conn._token = expired
    db.conn._auth_header = f"bearer {expired}"
    assert db.version()


def test_the_server_counts_what_it_does(system):
    figures = system.statistics()
    assert figures["http"]["requestsTotal"] > 0 and figures["server"]["uptime"] > 0
    described = system.statistics(description=True)
    assert {group["group"] for group in described["groups"]} <= set(figures)


def test_log_levels_are_changed_and_set_back(system):
    before = system.log_levels()
    changed = system.set_log_levels(agency="DEBUG", threads="WARNING")
    assert (changed["agency"], changed["threads"]) == ("DEBUG", "WARNING")
    assert system.log_levels() == changed
    assert system.reset_log_levels() == before


def test_lines_of_the_log_name_what_they_are_asked_to(system):
    assert system.set_log_settings(database=True, username=True) == {"database": True, "username": True}
    assert system.set_log_settings(database=False, username=False) == system.log_settings() == {}


def test_options_tell_how_the_server_runs(system):
    assert system.options()["server.authentication"] is True
    assert set(system.options()) == set(system.options_available())
