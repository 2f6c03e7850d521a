"""The coordinators of three nodes: which node they are at, and their moves."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import elect, reassign
from integration.parity.group_requests import committed
from integration.parity.scenario import Kafka
from integration.parity.transaction_requests import describe_transactions
from protocol.errors import ErrorCode

STATE, OFFSETS = "__transaction_state", "__consumer_offsets"
ALL = (1, 2, 3)
PAUSED, OTHER = 3, 2  # nodes without the controller


def prepare(kafka: Kafka) -> None:
    """Make the first node, which has the controller, the coordinator of transactions and groups."""
    for topic in (STATE, OFFSETS):
        if tuple(kafka.metadata(topic).partitions[0].replica_nodes) != ALL:
            kafka.request(reassign(topic, ALL))
        kafka.wait_for_isr(topic, ALL)
    move_state(kafka, 1)
    move_offsets(kafka, 1)


def keep_state_away_from_the_paused_node(kafka: Kafka) -> None:
    """Let only markers wait for the paused node."""
    kept = (1, OTHER)
    kafka.request(reassign(STATE, kept))
    kafka.wait_for_isr(STATE, kept)
    wait_until_loaded(kafka, 1)


def _move(kafka: Kafka, topic: str, to: int) -> None:
    """Make a node the leader of a topic with replicas on all nodes."""
    if kafka.metadata(topic).partitions[0].leader_id != to:
        kafka.request(reassign(topic, (to, *(node for node in ALL if node != to))))
        kafka.wait_for_isr(topic, ALL)
        kafka.request(elect(topic, 0))
    kafka.wait_for_leader(topic, to)
    kafka.settle()  # the old leader is no coordinator any more


def move_state(kafka: Kafka, to: int) -> None:
    """Make a node the coordinator of transactions, and wait until it has loaded them."""
    _move(kafka, STATE, to)
    wait_until_loaded(kafka, to)


def move_offsets(kafka: Kafka, to: int) -> None:
    """Make a node the coordinator of groups, and wait until it has loaded them."""
    _move(kafka, OFFSETS, to)
    requested = committed("any", {})
    eventually(
        lambda: kafka.request(requested, node=to).groups[0].error_code == 0,
        f"the coordinator of groups at {to}",
    )


def wait_until_loaded(kafka: Kafka, node: int) -> None:
    """Wait until a node coordinates transactions."""

    def is_loaded() -> bool:
        response = kafka.request(describe_transactions("none"), node=node)
        error = response.transaction_states[0].error_code
        return bool(error == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)

    eventually(is_loaded, f"the coordinator of transactions at {node}")
