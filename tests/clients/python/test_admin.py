"""What administrators ask of the server itself."""

import os
import time
from datetime import datetime

import jwt
import pytest
from arango.exceptions import DatabaseCompactError, ServerLicenseSetError, ServerModeSetError

from conftest import fails


@pytest.fixture
def superuser(client):
    """Who shows a token for servers; their key is known where the suite has started the server."""
    secret = os.environ.get("ARANGO_JWT_SECRET")
    if secret is None:
        pytest.skip("the key of the tokens is not known")
    now = int(time.time())
    token = jwt.encode({"iat": now, "exp": now + 60, "iss": "arangodb", "server_id": "suite"}, secret, "HS256")
    return client.db("_system", superuser_token=token)


def test_the_server_describes_itself(db):
    assert {"architecture", "server-version"} <= set(db.details())
    assert isinstance(db.required_db_version(), str)
    assert {"host", "operation_mode", "server_info", "version"} <= set(db.status())
    assert db.role() == "SINGLE" and db.engine()["name"] == "rocksdb"
    assert isinstance(db.time(), datetime)
    assert db.echo("a body")["requestBody"] == "a body"
    assert "arangodb_" in db.metrics()
    assert {"time", "system", "server"} <= set(db.statistics())
    assert {"figures", "groups"} <= set(db.statistics(description=True))
    assert "padded" in db.key_generators()


def test_the_log_is_read(system):
    assert {"total", "messages"} <= set(system.read_log_entries(upto="info", size=5, sort="desc"))


def test_the_mode_is_one_of_two(system):
    assert system.mode() == "default" and system.set_mode("default") == {"mode": "default"}
    with pytest.raises(ServerModeSetError):
        system.set_mode("nonsense")


def test_what_only_the_system_database_tells(system, db):
    assert {"deployment", "date"} <= set(system.support_info())
    with fails(1230, 403):
        db.support_info()
    assert system.options_available()
    assert system.license() == {"license": "none"}
    with pytest.raises(ServerLicenseSetError):
        system.set_license('"abc"')


def test_the_log_of_writes_tells_its_ticks(system):
    assert system.wal.flush() is True
    assert int(system.wal.tick_ranges()["tick_max"]) <= int(system.wal.last_tick()["tick"])


def test_superusers_compact_and_read_the_certificates(system, superuser):
    assert superuser.compact() == {}
    with pytest.raises(DatabaseCompactError):
        system.compact()
    assert isinstance(superuser.tls(), dict) and isinstance(superuser.reload_tls(), dict)


def test_a_token_that_nobody_signed_is_refused(client):
    stranger = client.db("_system", superuser_token="nonsense")
    for call in (stranger.version, stranger.tls, stranger.jwt_secrets, stranger.encryption):
        with fails(11, 401):
            call()
