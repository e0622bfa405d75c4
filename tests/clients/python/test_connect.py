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
