"""The groups with their members, assignments and committed offsets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from broker.admin.facts.groups import groups
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


def node(*commands: str) -> Any:
    """A node whose group coordinator has played the commands."""
    world = VirtualWorld()
    ScriptPlayer(world).play(list(commands))
    return SimpleNamespace(id=1, groups=world.coordinator)


def one_group(*commands: str, end: int | None = 7) -> dict[str, Any]:
    """The only group after the commands; all partitions have that log end."""
    [found] = groups([node(*commands)], lambda _: end, None, 10)
    return found


def test_a_classic_group_has_the_assignment_of_each_member() -> None:
    """As its leader has sent it."""
    found = one_group("enter a topics=t", "sync a a=t-0,1/u-0")

    [member] = found["members"]
    assert (found["group"], found["state"], found["protocol"]) == ("g", "Stable", "classic")
    assert (found["node"], found["protocol_type"]) == (1, "consumer")
    assert member.pop("member").startswith("a-")
    assert member == {
        "instance": None,
        "client_id": "a",
        "host": member["host"],
        "assignment": {"t": [0, 1], "u": [0]},
    }


@pytest.mark.parametrize(
    "commands",
    [("enter a topics=t",), ("enter a type=connect", "sync a a=t-0"), ("enter a", "sync a")],
)
def test_no_assignment_is_known_in_a_rebalance_or_of_other_programs(
    commands: tuple[str, ...],
) -> None:
    """Only consumers have partitions as assignments, and only when the leader has sent them."""
    [member] = one_group(*commands)["members"]

    assert member["assignment"] == {}


def test_a_consumer_group_has_the_partitions_that_its_members_own() -> None:
    """By the names of the topics."""
    found = one_group("topic t 2", "consume a t", "beat a")

    [member] = found["members"]
    assert (found["protocol"], found["state"]) == ("consumer", "Stable")
    assert member["assignment"] == {"t": [0, 1]}


def test_a_streams_group_has_the_active_tasks_of_its_members() -> None:
    """Partitions by the subtopology; standby tasks are not listed."""
    found = one_group("topic t 2", "run a t", "run b t", "tick a")

    first, second = found["members"]
    assert (found["protocol"], found["protocol_type"]) == ("streams", "streams")
    assert found["state"] == "Reconciling"
    assert (first["member"], first["instance"], first["assignment"]) == ("a", None, {"0": [0]})
    assert (second["member"], second["assignment"]) == ("b", {})


def test_a_committed_offset_has_its_lag() -> None:
    """The distance to the log end offset; null if the partition has no running leader."""
    offset = {"topic": "t", "partition": 0, "offset": 5, "metadata": ""}

    assert one_group("commit - t-0=5")["offsets"] == [{**offset, "log_end_offset": 7, "lag": 2}]
    assert one_group("commit - t-0=5", end=None)["offsets"] == [
        {**offset, "log_end_offset": None, "lag": None}
    ]
    assert one_group("commit - t-0=5", end=3)["offsets"][0]["lag"] == 0


def test_offsets_that_are_not_replicated_are_not_committed() -> None:
    """OffsetFetch does not return them either."""
    assert one_group("slow", "commit - t-0=5")["offsets"] == []


def test_a_group_is_selected_by_its_name() -> None:
    """At most the limit of groups is returned."""
    busy = node("commit - t-0=5")

    assert groups([busy], lambda _: 0, "other", 10) == []
    assert len(groups([busy], lambda _: 0, "g", 10)) == 1
    assert len(groups([busy, busy], lambda _: 0, None, 1)) == 1
