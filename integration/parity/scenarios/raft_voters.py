"""AddRaftVoter and RemoveRaftVoter in a cluster whose voters are static (KIP-853)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from integration.parity.prepared_names import name_cluster
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.add_raft_voter import AddRaftVoterRequest, Listener
from protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from protocol.schema import ZERO_UUID

DIRECTORY = UUID(int=7)
CONTROLLER = ("CONTROLLER", "127.0.0.1", 4711)
CLIENTS = ("CLIENTS", "127.0.0.1", 4712)


@scenario()
def voters_are_not_added(kafka: Kafka) -> Observations:
    """AddRaftVoter of valid and of invalid voters, with the endpoints that it needs and others."""
    for version in (0, 1):
        yield version, kafka.request(_addition(), version)
    yield kafka.request(_addition(ack_when_committed=False), 1)
    yield "a voter", kafka.request(_addition(voter_id=1))
    for voter_id, directory in ((77, ZERO_UUID), (-1, DIRECTORY), (-2, DIRECTORY), (-1, ZERO_UUID)):
        yield voter_id, kafka.request(_addition(voter_id=voter_id, voter_directory_id=directory))
    lower = ("controller", "x", 0)
    for endpoints in ([], [CLIENTS], [CLIENTS, CONTROLLER], [lower], [("A", "", 0)]):
        yield endpoints, kafka.request(_addition(listeners=_listeners(endpoints)))
    others = [("clients", "127.0.0.2", 1), ("OTHER", "::1", 65535), ("A", "no.such.host", 1)]
    yield kafka.request(_addition(listeners=_listeners([CLIENTS, *others, CLIENTS])))
    yield kafka.request(_addition(timeout_ms=-1))


@scenario()
def voters_are_not_removed(kafka: Kafka) -> Observations:
    """RemoveRaftVoter of valid and of invalid voters."""
    for voter_id, directory in (
        (77, DIRECTORY),
        (1, DIRECTORY),
        (77, ZERO_UUID),
        (-1, DIRECTORY),
        (-1, ZERO_UUID),
    ):
        yield voter_id, kafka.request(_removal(voter_id, directory))


@scenario()
def voters_of_other_clusters(kafka: Kafka) -> Observations:
    """The id of the cluster is compared before the voter; the message has both ids."""
    name_cluster(kafka)
    for cluster_id in ("other", ""):
        yield kafka.request(_addition(cluster_id=cluster_id, voter_id=-1))
        yield kafka.request(_removal(-1, DIRECTORY, cluster_id))


def _addition(**changes: Any) -> AddRaftVoterRequest:
    values = {
        "cluster_id": None,
        "timeout_ms": 1000,
        "voter_id": 77,
        "voter_directory_id": DIRECTORY,
        "listeners": _listeners([CONTROLLER]),
    }
    return AddRaftVoterRequest(**(values | changes))


def _removal(
    voter_id: int, directory: UUID, cluster_id: str | None = None
) -> RemoveRaftVoterRequest:
    return RemoveRaftVoterRequest(
        cluster_id=cluster_id, voter_id=voter_id, voter_directory_id=directory
    )


def _listeners(endpoints: Sequence[tuple[str, str, int]]) -> list[Listener]:
    return [Listener(name=name, host=host, port=port) for name, host, port in endpoints]
