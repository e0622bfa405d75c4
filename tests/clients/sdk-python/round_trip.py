"""Log in, read a hierarchy, change a bill of materials and put it back, record what happens to a job: with the generated client
alone."""

import os

from tracewright_client import AuthenticatedClient, Client
from tracewright_client.api.process import update_process_product_product_key_process_put as put_process
from tracewright_client.api.product import (
    copy_product_product_copy_post as copy_product,
    get_product_bom_product_product_key_bom_get as get_bom,
    update_bom_product_product_key_or_code_bom_put as put_bom,
)
from tracewright_client.api.security import authenticate_user_auth_post as login
from tracewright_client.api.production import create_work_order_work_order_post as plan_order
from tracewright_client.api.serial import get_serial_hierarchy_serial_hierarchy_get as get_hierarchy
from tracewright_client.api.traceability import get_events_event_get as get_events, record_event_event_post as record
from tracewright_client.models import (
    APIResponse,
    APIResponseNewWorkOrder,
    AuthAPIResponse,
    BodyAuthenticateUserAuthPost,
    BodyCopyProductProductCopyPost,
    BomLineRead,
    BomLineWriteIn,
    ErrorResponse,
    EventBATCHCREATED,
    EventJOBSTARTED,
    EventJOBSTARTEDEventType,
    EventSTEPCOMPLETED,
    EventSTEPCOMPLETEDEventType,
    NewWorkOrder,
    PhaseDataInput,
    PhaseDataOutput,
    SerialTreeNode,
    StepInput,
    WorkOrderNew,
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


def planned(client: AuthenticatedClient) -> tuple[str, list[str]]:
    """A job of a new product, and the keys of its two steps."""
    copied = copy_product.sync(
        client=client, body=BodyCopyProductProductCopyPost(original_product="bolt", new_code="BOLT-2")
    )
    assert isinstance(copied, APIResponse), copied
    product_key = copied.detail["new_product_key"]
    phase = PhaseDataInput(
        alias="Turning", operation_key="assembly", steps=[StepInput(title="Turn"), StepInput(title="Measure")]
    )
    phases = put_process.sync(product_key, client=client, body=[phase])
    assert isinstance(phases, list), phases
    turning: PhaseDataOutput = phases[0]
    order = plan_order.sync(client=client, body=WorkOrderNew(product_key=product_key, qt_planned=1))
    assert isinstance(order, APIResponseNewWorkOrder), order
    assert isinstance(order.detail, NewWorkOrder), order
    return order.detail.jobs[0].field_key, [str(step.field_key) for step in turning.steps]


def work(client: AuthenticatedClient) -> int:
    """What happens to a job is recorded and read with the members of each type."""
    job_key, steps = planned(client)
    started = EventJOBSTARTED(event_type=EventJOBSTARTEDEventType.JOB_STARTED, job_key=job_key)
    answer = record.sync(client=client, body=started)
    assert isinstance(answer, APIResponse), answer
    journal = get_events.sync(client=client, job_key=job_key)
    assert isinstance(journal, list), journal
    batches = [event.batch_key for event in journal if isinstance(event, EventBATCHCREATED)]
    done = EventSTEPCOMPLETED(
        event_type=EventSTEPCOMPLETEDEventType.STEP_COMPLETED, batch_key=str(batches[0]), step_key=steps[0]
    )
    answer = record.sync(client=client, body=done)
    assert isinstance(answer, APIResponse), answer
    journal = get_events.sync(client=client, job_key=job_key)
    assert isinstance(journal, list), journal
    assert [event.step_key for event in journal if isinstance(event, EventSTEPCOMPLETED)] == steps[:1], journal
    assert isinstance(journal[0], EventJOBSTARTED), journal[0]
    return len(journal)


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
    recorded = work(client)
    print(f"python: hierarchy read, {len(before)} lines of a bill of materials written and put back, {recorded} events")


main()
