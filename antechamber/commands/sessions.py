"""``antechamber sessions``: prints the sessions and other timeouts of group members."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, limit, run
from antechamber.sentences import durations

_DESCRIPTION = """\
Show the sessions of the members of groups: a member whose next heartbeat does
not arrive in the time that is left is removed from its group. The session of a
classic member whose JoinGroup or SyncGroup waits is not shown, because it
cannot end; antechamber requests --parked shows the request.

Also shown: member ids that have been issued and have not joined, and the
timeouts of members of the consumer protocol that revoke partitions.
"""
_MEANINGS = {
    "session": "the session of",
    "pending": "the join of the new",
    "rebalance": "the revocation by",
    "join": "the join of",
    "sync": "the sync of",
}


def sessions(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _show)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("sessions", _DESCRIPTION)
    add = made.add_argument
    add("--group", metavar="ID", help="only the members of this group")
    add("--json", action="store_true", help="one JSON object a line, instead of a table")
    add("--limit", metavar="N", type=limit, default=100, help="at most N (%(default)s)")
    return made


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    found = client.sessions(group=given.group, limit=given.limit)
    if given.json:
        sys.stdout.write("".join(f"{json.dumps(each)}\n" for each in found))
        return
    if not found:
        sys.stdout.write("no member of a group has a timeout\n")
        return
    lines = [f"{'left':>10}  {'of':>10}  what ends", *map(_line, found)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _line(timeout: Mapping[str, Any]) -> str:
    left = durations.format_us(timeout["remaining_ms"] * 1000)
    total = durations.format_us(timeout["timeout_ms"] * 1000)
    what = f"{_MEANINGS[timeout['kind']]} member {timeout['member']} of group {timeout['group']}"
    return f"{left:>10}  {total:>10}  {what}, at node {timeout['node']}"
