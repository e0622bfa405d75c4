"""Log in, read a hierarchy, change a bill of materials and put it back: with the generated client alone."""

import os

from tracewright_client import AuthenticatedClient, Client
from tracewright_client.api.product import (
    get_product_bom_product_product_key_bom_get as get_bom,
    update_bom_product_product_key_or_code_bom_put as put_bom,
)
from tracewright_client.api.security import authenticate_user_auth_post as login
from tracewright_client.api.serial import get_serial_hierarchy_serial_hierarchy_get as get_hierarchy
from tracewright_client.models import (
    APIResponse,
    AuthAPIResponse,
    BodyAuthenticateUserAuthPost,
    BomLineRead,
    BomLineWriteIn,
    ErrorResponse,
    SerialTreeNode,
)

URL = os.environ["URL"] + "/api"


def log_in() -> AuthenticatedClient:
    body = BodyAuthenticateUserAuthPost(username="marco", password="tracewright-demo")
    session = login.sync(client=Client(base_url=URL), body=body)
    assert isinstance(session, AuthAPIResponse), session
    assert session.access_token is not None
    return AuthenticatedClient(base_url=URL, token=session.access_token)


def hierarchy(client: AuthenticatedClient) -> None:
    tree = get_hierarchy.sync(client=client, serial_key="eb-1")
    assert isinstance(tree, list), tree
    bike: SerialTreeNode = tree[0]
    batteries = [part for part in bike.children if part.product_code == "BAT-500"]
    assert [battery.replaced for battery in batteries] == [True, False], batteries
    assert batteries[1].children[0].serial_code == "CM-2001", batteries


def bom(client: AuthenticatedClient) -> list[BomLineRead]:
    lines = get_bom.sync(client=client, product_key_or_code="battery")
    assert isinstance(lines, list), lines
    return lines


def replace_bom(client: AuthenticatedClient, lines: list[BomLineRead], extra: float) -> None:
    body = [
        BomLineWriteIn(component_key=line.component_key, phase_key=line.phase_key, qt=(line.qt or 0) + extra)
        for line in lines
    ]
    answer = put_bom.sync(client=client, product_key_or_code="battery", body=body)
    assert isinstance(answer, APIResponse), answer


def refused_bom(client: AuthenticatedClient) -> None:
    """A rule that is broken is told by a text, not by entries like those of a form."""
    body = [BomLineWriteIn(component_key="nobody", qt=1)]
    answer = put_bom.sync(client=client, product_key_or_code="battery", body=body)
    assert isinstance(answer, ErrorResponse), answer
    assert "nobody" in str(answer.detail), answer


def main() -> None:
    client = log_in()
    hierarchy(client)
    before = bom(client)
    refused_bom(client)
    replace_bom(client, before, 1)
    after = bom(client)
    assert [line.qt for line in after] == [(line.qt or 0) + 1 for line in before], after
    replace_bom(client, before, 0)
    assert [line.qt for line in bom(client)] == [line.qt for line in before]
    print(f"python: hierarchy read, {len(before)} lines of a bill of materials written and put back")


main()
