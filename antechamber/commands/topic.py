"""``antechamber topic``: compacts, rolls or expires the logs of a topic, or elects its leaders."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, run
from antechamber.usage_error import UsageError

WORK = ("compact", "roll", "expire", "elect")
_DESCRIPTION = """\
Do now what the broker does by itself when time has passed, for a topic or for
one of its partitions, on all running replicas.

  compact   begin a new segment, and compact all others
  roll      begin a new segment
  expire    delete the segments that retention allows now
  elect     elect the preferred replica, or --leader
"""


def topic(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _work)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("topic", _DESCRIPTION)
    add = command.add_argument
    add("work", choices=WORK, metavar="|".join(WORK), help="the work")
    add("topic", metavar="TOPIC", help="the name of the topic")
    add("partition", nargs="?", type=_number, metavar="PARTITION", help="only this partition")
    add("--leader", type=_number, metavar="NODE", help="elect: a replica in sync")
    add(
        "--unclean",
        action="store_true",
        help="elect: also a replica that is not in sync, where there is no leader",
    )
    add("--json", action="store_true", help="one JSON object for each partition")
    return command


def _work(client: AdminClient, given: argparse.Namespace) -> None:
    if given.work != "elect" and (given.leader is not None or given.unclean):
        raise UsageError("--leader and --unclean are options of elect")
    wanted: dict[str, str | int | None] = {}
    if given.work == "elect":
        wanted = {"leader": given.leader, "unclean": 1 if given.unclean else None}
    for each in client.work_on(given.topic, given.partition, given.work, **wanted):
        lines = [json.dumps(each)] if given.json else _lines(each)
        sys.stdout.writelines(f"{line}\n" for line in lines)


def _lines(partition: Mapping[str, Any]) -> Iterator[str]:
    name = f"{partition['topic']}-{partition['partition']}"
    if not partition["replicas"]:
        leader = partition["leader"]
        yield f"{name}: " + (f"node {leader} leads" if leader >= 0 else "no leader")
    for each in partition["replicas"]:
        yield (
            f"{name}, node {each['node']}: segments {each['segments_before']} -> "
            f"{each['segments']}, bytes {each['bytes_before']:,} -> {each['bytes']:,}, "
            f"offsets from {each['log_start_offset']} to {each['log_end_offset']}"
        )


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)
