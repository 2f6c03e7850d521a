"""``antechamber groups``: prints the groups with their members, assignments and lags."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, limit, run

_DESCRIPTION = """\
Show the groups of a running broker: their state, the partitions of each member,
and the committed offset and the lag of each partition.
"""


def groups(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _show)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("groups", _DESCRIPTION)
    add = made.add_argument
    add("--group", metavar="ID", help="only this group")
    add("--json", action="store_true", help="one JSON object a line, instead of a text")
    add("--limit", metavar="N", type=limit, default=100, help="at most N (%(default)s)")
    return made


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    found = client.groups(group=given.group, limit=given.limit)
    if given.json:
        lines = [json.dumps(each) for each in found]
    elif found:
        lines = [line for each in found for line in _lines(each)]
    else:
        lines = ["there is no group" if given.group is None else f"there is no group {given.group}"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _lines(group: Mapping[str, Any]) -> Iterator[str]:
    what = f"{group['protocol']} group {group['group']} is {group['state']}"
    yield f"{what}, at node {group['node']}"
    for member in group["members"]:
        instance = "" if member["instance"] is None else f" ({member['instance']})"
        yield f"  member {member['member']}{instance}: {_partitions(member['assignment'])}"
    for offset in group["offsets"]:
        yield f"  {offset['topic']}-{offset['partition']}: committed {_progress(offset)}"


def _partitions(assignment: Mapping[str, Sequence[int]]) -> str:
    named = [f"{topic}-{each}" for topic, partitions in assignment.items() for each in partitions]
    return ", ".join(named) or "no partition"


def _progress(offset: Mapping[str, Any]) -> str:
    if offset["lag"] is None:
        return f"{offset['offset']}, no running leader"
    return f"{offset['offset']} of {offset['log_end_offset']}, lag {offset['lag']}"
