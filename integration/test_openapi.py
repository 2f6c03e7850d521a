"""The OpenAPI description that a broker serves, and the responses of that broker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from openapi_spec_validator import validate

from antechamber import Cluster
from antechamber.admin_client import AdminClient, AdminError
from integration.machine.deadlines import eventually
from tests.described import Description


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """Two nodes that keep wait records."""
    with Cluster(brokers=2, topics=["orders:2:2"], record=True) as running:
        yield running


@pytest.fixture(scope="module")
def description(kafka: Cluster) -> Description:
    """What the broker serves."""
    return Description(AdminClient(kafka.admin).call("GET", "/v1/openapi.json"))


@pytest.fixture(scope="module")
def member(kafka: Cluster) -> Iterator[None]:
    """A member of the group `g`, and a transaction."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "g"})
    consumer.subscribe(["orders"])
    eventually(lambda: consumer.poll(0.05) or consumer.assignment(), "an assignment", within=60)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": "t"})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce("orders", b"one")
    producer.flush(60)
    yield
    producer.abort_transaction(60)
    consumer.close()


def test_the_description_is_valid(description: Description) -> None:
    """It follows the schema of OpenAPI 3.1."""
    validate(description.document)


def response(kafka: Cluster, method: str, path: str) -> tuple[int, Any]:
    """The status and the value of a response."""
    try:
        return 200, AdminClient(kafka.admin).call(method, path)
    except AdminError as error:
        return error.status, {"error": str(error)}


@pytest.mark.usefixtures("member")
@pytest.mark.parametrize(
    "path",
    [
        "/v1/cluster",
        "/v1/statistics",
        "/v1/timers",
        "/v1/requests?limit=10000",
        "/v1/requests?parked=1&followers=1",
        "/v1/sessions",
        "/v1/transactions",
        "/v1/transactions?hanging=1",
        "/v1/clock",
        "/v1/wait?for=hw",
        "/v1/wait?for=isr",
        "/v1/wait?for=parked&followers=1",
        "/v1/wait?for=group_stable&group=g",
        "/v1/wait?for=topic&topic=orders",
        "/v1/wait?for=topic_deleted&topic=none",
        "/v1/wait?for=requests&api=Produce",
        "/v1/wait?for=client_connected&client=rdkafka",
        "/v1/wait?for=client_gone&client=none",
        "/v1/faults",
        "/v1/wait?for=assigned&group=g&partitions=2&topic=orders",
        "/v1/groups",
        "/v1/connections",
    ],
)
def test_a_response_is_as_described(kafka: Cluster, description: Description, path: str) -> None:
    """With a consumer, a transaction and requests that wait; no field is missing or unknown."""
    status, value = response(kafka, "GET", path)

    assert status == 200, value
    description.check("GET", path, status, value)


def test_fault_rules_are_as_described(kafka: Cluster, description: Description) -> None:
    """A rule with all limits, a rule that is not valid, and the removal."""
    client = AdminClient(kafka.admin)
    rule = {
        "match": {"api": "Produce", "topic": "none"},
        "times": 1,
        "for_ms": 60_000,
        "name": "described",
        "action": {"type": "error", "error": "NOT_LEADER_OR_FOLLOWER", "when": "before"},
    }
    added = client.call("POST", "/v1/faults", body=rule)
    description.check("POST", "/v1/faults", 200, added)
    with pytest.raises(AdminError) as refused:
        client.call("POST", "/v1/faults", body={"action": {"type": "none"}})
    description.check("POST", "/v1/faults", refused.value.status, {"error": str(refused.value)})
    for method, path in (
        ("GET", "/v1/faults"),
        ("GET", f"/v1/faults/{added['id']}"),
        ("DELETE", f"/v1/faults/{added['id']}"),
        ("GET", f"/v1/faults/{added['id']}"),  # 404 now
        ("DELETE", "/v1/faults"),
        ("POST", "/v1/marks"),
    ):
        status, value = response(kafka, method, path)
        description.check(method, path, status, value)


def test_changes_are_as_described(kafka: Cluster, description: Description) -> None:
    """Of the clock and of a node; a change that is not possible is refused."""
    expected = {
        "/v1/clock/freeze": 200,
        "/v1/clock/advance?ms=1000": 200,
        "/v1/clock/advance?to=transaction&transactional_id=none": 409,
        "/v1/clock/run": 200,
        "/v1/nodes/2/pause": 200,
        "/v1/nodes/2/resume": 200,
        "/v1/nodes/2/start": 409,
        "/v1/nodes/7/stop": 404,
        "/v1/nodes/2/stop": 200,
        "/v1/nodes/2/start?": 200,
    }
    for path, status in expected.items():
        found, value = response(kafka, "POST", path)
        assert found == status, value
        description.check("POST", path, found, value)
