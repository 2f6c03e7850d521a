"""``antechamber clock``: shows the clock of a running broker, freezes it and moves it forwards."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.broker_clock import ADVANCE_TIMEOUT_S
from antechamber.commands.command_line import CommandParser, run
from antechamber.sentences import durations
from antechamber.usage_error import UsageError

_DESCRIPTION = """\
Show the clock of a running broker, or adjust it. Everything in the broker that
waits by time follows its clock: long polls, sessions, rebalances, in-sync sets,
transactions, quotas, retention, idle connections.

  clock                 show it, and the timer that acts next
  clock freeze          stop it: requests are served, and nothing expires
  clock run             let it run, with --speed at another speed
  clock advance 45s     move it forwards, and show what happens: 500ms, 45s,
                        10m, 2h or 7d
  clock advance         move it to an event:
    --to timer                          the next task of any timer
    --to session --member ID            a member is removed from its group
    --to transaction --transactional-id ID   a transaction is aborted
    --to parked [--api NAME] [--client ID]   a waiting request times out
    --to retention --topic T --partition N   records are deleted
"""
_ADJUSTMENTS = ("show", "freeze", "run", "advance")
_EVENT_OPTIONS = (
    "to",
    "member",
    "group",
    "transactional_id",
    "api",
    "client",
    "correlation",
    "topic",
    "partition",
)
# The options without which an event is not determined.
_NEEDED_OPTIONS = {
    "session": ("member",),
    "transaction": ("transactional_id",),
    "retention": ("topic", "partition"),
}


def clock(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _adjust)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("clock", _DESCRIPTION, {"ms": "DURATION in ms"})
    add = made.add_argument
    add(
        "adjustment",
        nargs="?",
        choices=_ADJUSTMENTS,
        default="show",
        metavar="|".join(_ADJUSTMENTS),
    )
    duration = durations.milliseconds
    add("duration", nargs="?", type=duration, metavar="DURATION", help="how far to advance")
    add("--speed", metavar="N", help="the speed of clock run, from 0.001 to 1000 (1)")
    events = ("timer", "session", "transaction", "parked", "retention")
    add("--to", choices=events, metavar="EVENT", help="advance to timer, session, ... (above)")
    add("--member", metavar="ID", help="the id of a group member")
    add("--group", metavar="ID", help="the group of the member")
    add("--transactional-id", metavar="ID", help="the id of an open transaction")
    add("--api", metavar="NAME", help="a waiting request of this API")
    add("--client", metavar="ID", help="a waiting request of this client id")
    add("--correlation", metavar="N", help="the waiting request with this correlation id")
    add("--topic", metavar="NAME", help="the topic of the retention")
    add("--partition", metavar="N", help="the partition of the retention")
    add("--json", action="store_true", help="the response of the broker, as one JSON object")
    return made


def _adjust(client: AdminClient, given: argparse.Namespace) -> None:
    _check(given)
    response = _response(client, given)
    if given.json:
        sys.stdout.write(f"{json.dumps(response)}\n")
        return
    lines = [_state(response)] if "clock" not in response else list(_advanced(response))
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _check(given: argparse.Namespace) -> None:
    """Raise `UsageError` for options that the adjustment does not have."""
    has_event = any(getattr(given, name) is not None for name in _EVENT_OPTIONS)
    if given.adjustment != "advance":
        if has_event or given.duration is not None:
            raise UsageError(f"{given.adjustment} has no duration and no event")
    elif (given.duration is None) == (given.to is None):
        raise UsageError("advance: give a duration such as 45s, or an event with --to")
    for name in _NEEDED_OPTIONS.get(given.to, ()):
        if getattr(given, name) is None:
            raise UsageError(f"--to {given.to}: give --{name.replace('_', '-')}")
    if given.speed is not None and given.adjustment != "run":
        raise UsageError("--speed: only clock run has a speed")


def _response(client: AdminClient, given: argparse.Namespace) -> dict[str, Any]:
    match given.adjustment:
        case "show":
            return client.clock()
        case "advance":
            wanted = {name: getattr(given, name) for name in _EVENT_OPTIONS}
            return client.advance_clock(ADVANCE_TIMEOUT_S, ms=given.duration, **wanted)
        case "run":
            return client.adjust_clock("run", speed=given.speed)
    return client.adjust_clock("freeze")


def _state(state: Mapping[str, Any]) -> str:
    now = datetime.fromtimestamp(state["now_us"] / 1e6, UTC).isoformat(" ", "milliseconds")
    speed = "" if state["speed"] in (0, 1) else f" at speed {state['speed']:g}"
    following = state["next"]
    if following is None:
        rest = "no timer holds a task"
    else:
        left = durations.format_us(following["in_ms"] * 1000)
        rest = f"next: {_timer(following)} in {left}"
    return f"the clock is {state['state']}{speed} at {now.removesuffix('+00:00')} UTC; {rest}"


def _advanced(response: Mapping[str, Any]) -> Iterator[str]:
    """The steps, and the new state."""
    if response["steps_omitted"]:
        yield f"{response['steps_omitted']} earlier steps are not shown"
    for step in response["steps"]:
        after = f"+{durations.format_us(step['after_ms'] * 1000)}"
        for task in step["tasks"]:
            yield f"{after:>10}  {_timer(task)}: {task['task']}"
            after = ""
        for record in _waited(step["responses"]):
            yield f"{after:>10}  {_ended(record)}"
            after = ""
    moved = durations.format_us(response["advanced_ms"] * 1000)
    yield f"the clock has moved {moved} forwards; {_tasks(response['tasks_run'])} run"
    yield _state(response["clock"])


def _waited(responses: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those that have waited by the broker's clock: clients go on to send others meanwhile."""
    return (record for record in responses if record["parked_us"])


def _tasks(count: int) -> str:
    return "1 task has" if count == 1 else f"{count} tasks have"


def _ended(record: Mapping[str, Any]) -> str:
    client = record["client_id"]
    parked = durations.format_us(record["parked_us"])
    return f"{record['api']} of client {client} has ended; it was parked for {parked}"


def _timer(of: Mapping[str, Any]) -> str:
    """The timer of a task; that of the cluster belongs to no node."""
    return f"timer {of['timer']}" + ("" if of["node"] is None else f" of node {of['node']}")
