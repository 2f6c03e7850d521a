"""The sessions and other timeouts of group members."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from broker.admin.facts.member_timeouts import member_timeouts
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


def node(*commands: str) -> Any:
    """A node whose group coordinator has played the commands."""
    world = VirtualWorld()
    ScriptPlayer(world).play(list(commands))
    return SimpleNamespace(id=1, clock=world.clock, groups=world.coordinator)


def test_a_session_has_its_member_and_the_time_left() -> None:
    """The time left is that until the member is removed."""
    [timeout] = member_timeouts([node("enter a session=8000", "sync a", "wait 1500")], None, 10)

    assert timeout.pop("member").startswith("a-")
    assert timeout == {
        "node": 1,
        "group": "g",
        "kind": "session",
        "timeout_ms": 8000,
        "remaining_ms": 6500,
    }


def test_the_next_timeouts_are_first() -> None:
    """At most the limit, and only those of a group that is named."""
    busy = node("enter a session=9000", "sync a", "join b session=7000")

    assert [each["kind"] for each in member_timeouts([busy], "g", 10)] == ["pending", "session"]
    assert [each["kind"] for each in member_timeouts([busy], None, 1)] == ["pending"]
    assert member_timeouts([busy], "other", 10) == []
