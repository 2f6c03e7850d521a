"""AddRaftVoter and RemoveRaftVoter, compared with Kafka 4.3.1 with static voters."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from protocol.errors import ErrorCode
from protocol.messages.add_raft_voter import AddRaftVoterRequest, Listener
from protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from protocol.schema import ZERO_UUID
from tests.client import running_node

pytestmark = pytest.mark.anyio

DIRECTORY = UUID(int=7)
CONTROLLER = Listener(name="controller", host="h", port=1)
# In the order of their hash codes in Java.
OTHERS = [Listener(name=name, host="h", port=1) for name in ("OTHER", "A", "CLIENTS")]


def _addition(
    listeners: list[Listener],
    *,
    cluster_id: str | None = None,
    voter_id: int = 9,
    directory: UUID = DIRECTORY,
) -> AddRaftVoterRequest:
    return AddRaftVoterRequest(
        cluster_id=cluster_id,
        timeout_ms=1000,
        voter_id=voter_id,
        voter_directory_id=directory,
        listeners=listeners,
    )


@pytest.mark.parametrize("change", ["adding", "removing"])
async def test_voters_are_static(tmp_path: Path, change: str) -> None:
    """A valid request is refused with Kafka's message for the level of kraft.version."""
    removal = RemoveRaftVoterRequest(cluster_id=None, voter_id=1, voter_directory_id=DIRECTORY)
    async with running_node(tmp_path) as node:
        result = await node.client().send(
            _addition([CONTROLLER]) if change == "adding" else removal
        )

    assert result.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert result.error_message == (
        f"Cluster doesn't support {change} voter because the kraft.version feature is 0"
    )


async def test_the_cluster_is_checked_before_the_voter(tmp_path: Path) -> None:
    """The message has both ids."""
    async with running_node(tmp_path) as node:
        result = await node.client().send(_addition([], cluster_id="other", voter_id=-1))

    assert result.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID
    assert result.error_message.startswith('The given id "other" doesn\'t match the cluster id "')


@pytest.mark.parametrize(("voter_id", "directory"), [(-1, DIRECTORY), (9, ZERO_UUID)])
async def test_a_voter_needs_an_id_and_a_directory(
    tmp_path: Path, voter_id: int, directory: UUID
) -> None:
    """Both requests check them in the same way."""
    removal = RemoveRaftVoterRequest(
        cluster_id=None, voter_id=voter_id, voter_directory_id=directory
    )
    addition = _addition([CONTROLLER], voter_id=voter_id, directory=directory)
    async with running_node(tmp_path) as node:
        client = node.client()
        results = [await client.send(each) for each in (addition, removal)]

    assert [each.error_code for each in results] == [ErrorCode.INVALID_REQUEST] * 2
    assert [each.error_message for each in results] == [
        f"{verb} voter request didn't include a valid voter" for verb in ("Add", "Remove")
    ]


async def test_a_new_voter_needs_the_listener_of_controllers(tmp_path: Path) -> None:
    """The message has the other ones in the order of Java's hash table."""
    async with running_node(tmp_path) as node:
        result = await node.client().send(_addition(OTHERS[::-1]))

    assert result.error_code == ErrorCode.INVALID_REQUEST
    shown = ", ".join(f"ListenerName({each.name})=h/<unresolved>:1" for each in OTHERS)
    assert result.error_message == (
        f"Add voter request didn't include the endpoint (Endpoints(endpoints={{{shown}}})) "
        "for the default listener ListenerName(CONTROLLER)"
    )


async def test_a_listener_without_name_is_refused(tmp_path: Path) -> None:
    """Kafka's process ends."""
    unnamed = Listener(name=" ", host="h", port=1)
    async with running_node(tmp_path) as node:
        result = await node.client().send(_addition([CONTROLLER, unnamed]))

    assert result.error_code == ErrorCode.INVALID_REQUEST
