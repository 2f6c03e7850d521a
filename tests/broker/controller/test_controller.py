"""The controller creates, grows and deletes topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import Broker
from protocol.errors import ErrorCode
from tests.broker.controller.nodes import RecordingNode, make_controller


@pytest.fixture
def node() -> RecordingNode:
    """The only node."""
    return RecordingNode()


@pytest.fixture
def controller(node: RecordingNode) -> Iterator[Controller]:
    """A controller in memory with one node."""
    controller = make_controller(ControllerStore(None))
    controller.register(Broker(1, "127.0.0.1", 9092), node).release()
    yield controller
    controller.close()


def _refusal(call: object, *args: object, **kwargs: object) -> ErrorCode:
    assert callable(call)
    with pytest.raises(ApiError) as refusal:
        call(*args, **kwargs)
    return refusal.value.code


def test_a_new_topic_reaches_every_node(controller: Controller, node: RecordingNode) -> None:
    """The nodes have the topic when the creation returns."""
    topic = controller.create_topic("orders", partitions=3)

    assert controller.topic("orders") is topic
    assert controller.image.topic_by_id(topic.topic_id) is topic
    assert node.notified == [("changed", "orders", 3)]
    assert [p.leader for p in topic.partitions] == [1, 1, 1]


def test_defaults_come_from_the_configuration() -> None:
    """-1 partitions are ``num.partitions``."""
    controller = make_controller(ControllerStore(None), Config(num_partitions=4))
    controller.register(Broker(1, "h", 1), RecordingNode())

    assert len(controller.create_topic("t").partitions) == 4
    controller.close()


def test_the_default_factor_is_limited_to_the_number_of_nodes() -> None:
    """With one node a default factor of three is one."""
    controller = make_controller(ControllerStore(None), Config(default_replication_factor=3))
    controller.register(Broker(1, "h", 1), RecordingNode())

    assert controller.create_topic("t").partitions[0].replicas == (1,)
    controller.close()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"name": "a b"}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"name": "taken"}, ErrorCode.TOPIC_ALREADY_EXISTS),
        ({"name": "a_b"}, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ({"name": "t", "partitions": 0}, ErrorCode.INVALID_PARTITIONS),
        ({"name": "t", "partitions": 2**31 - 1}, ErrorCode.POLICY_VIOLATION),
        ({"name": "t", "replication_factor": 0}, ErrorCode.INVALID_REPLICATION_FACTOR),
        ({"name": "t", "replication_factor": 2}, ErrorCode.INVALID_REPLICATION_FACTOR),
        ({"name": "t", "configs": {"nonsense": "1"}}, ErrorCode.INVALID_CONFIG),
        ({"name": "t", "configs": {"segment.bytes": "x"}}, ErrorCode.INVALID_CONFIG),
        ({"name": "t", "assignments": [(2,)]}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"name": "t", "assignments": [(1, 1)]}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"name": "t", "assignments": [()]}, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ({"name": "t", "assignments": [(1,)], "partitions": 1}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_invalid_topics_are_refused(
    controller: Controller, node: RecordingNode, arguments: dict[str, object], error: ErrorCode
) -> None:
    """With Kafka's error code, and without an effect."""
    controller.create_topic("taken")
    controller.create_topic("a.b")
    notified = list(node.notified)

    assert _refusal(controller.create_topic, **arguments) is error
    assert node.notified == notified


def test_validate_only_creates_nothing(controller: Controller, node: RecordingNode) -> None:
    """The result is that of a creation."""
    topic = controller.create_topic("t", partitions=2, validate_only=True)

    assert len(topic.partitions) == 2
    assert controller.topic("t") is None
    assert node.notified == []


def test_partitions_can_only_be_added(controller: Controller, node: RecordingNode) -> None:
    """A smaller or equal number is refused."""
    controller.create_topic("t")

    controller.create_partitions("t", 3)

    assert node.notified[-1] == ("changed", "t", 3)
    assert _refusal(controller.create_partitions, "t", 3) is ErrorCode.INVALID_PARTITIONS
    assert _refusal(controller.create_partitions, "t", 2) is ErrorCode.INVALID_PARTITIONS
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert _refusal(controller.create_partitions, "nope", 2) is unknown


def test_too_many_new_partitions_are_an_error_without_a_reason(controller: Controller) -> None:
    """As in Kafka, where no check precedes the limit of records; assignments are checked before."""
    controller.create_topic("t")

    refused = _refusal(controller.create_partitions, "t", 10_002)
    assert refused is ErrorCode.UNKNOWN_SERVER_ERROR
    refused = _refusal(controller.create_partitions, "t", 10_002, [[1]])
    assert refused is ErrorCode.INVALID_REPLICA_ASSIGNMENT
    controller.create_partitions("t", 10_001, validate_only=True)


def test_a_deleted_topic_is_removed(controller: Controller, node: RecordingNode) -> None:
    """From the image and from the nodes; deleting it again is an error."""
    controller.create_topic("t")

    controller.delete_topic("t")

    assert controller.topic("t") is None
    assert node.notified[-1] == ("deleted", "t", 1)
    assert _refusal(controller.delete_topic, "t") is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_restart_keeps_topics_ids_and_the_cluster_id(tmp_path: Path) -> None:
    """A controller over the same store has the same state, and repeats no id."""
    before = make_controller(ControllerStore(tmp_path / "db"))
    before.register(Broker(1, "h", 1), RecordingNode())
    topic = before.create_topic("t", configs={"segment.bytes": "2000000"})
    given = {*before.allocate_producer_ids(), *before.allocate_producer_ids()}
    before.close()

    after = make_controller(ControllerStore(tmp_path / "db"))
    node = RecordingNode()
    after.register(Broker(1, "h", 1), node).release()

    again = after.topic("t")
    assert again is not None
    assert (again.topic_id, again.configs) == (topic.topic_id, topic.configs)
    assert node.notified[-1] == ("changed", "t", 1)
    assert after.image.cluster_id == before.image.cluster_id
    assert given.isdisjoint(after.allocate_producer_ids())
    after.close()


def test_quotas_of_clients_are_altered(controller: Controller) -> None:
    """Other quotas stay; validation alone sets nothing."""
    client = (("client-id", "a"),)
    controller.client_quotas.alter(client, {"producer_byte_rate": 1.0, "consumer_byte_rate": 2.0})
    controller.client_quotas.alter(client, {"producer_byte_rate": None})
    controller.client_quotas.alter(client, {"consumer_byte_rate": 3.0}, validate_only=True)

    assert controller.image.client_quotas == {client: {"consumer_byte_rate": 2.0}}
