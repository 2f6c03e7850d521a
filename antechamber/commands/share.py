"""``antechamber share``: prints share partitions and their in-flight records."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import sleep
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, limit, run
from antechamber.followed_waits import FOLLOW_INTERVAL_S
from antechamber.usage_error import UsageError

SharePartition = Mapping[str, Any]

_DESCRIPTION = """\
Show the share partitions of share groups (KIP-932): how far each has come, and
its records in flight, with the member that has acquired them, the number of
their deliveries, and the time until the lock of the member expires.

A share partition is active while members of its group have sessions at the
leader of the partition. Otherwise the state is shown that the share coordinator
has stored; no record is acquired then.
"""


def share(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _show)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("share", _DESCRIPTION)
    add = made.add_argument
    add("--group", metavar="ID", help="only this group")
    add("--topic", metavar="NAME", help="only this topic")
    add("--partition", metavar="N", type=_number, help="only this partition of the topic")
    add("--follow", action="store_true", help="continue until Ctrl-C")
    add("--json", action="store_true", help="one JSON object a line, instead of a table")
    add("--batches", metavar="N", type=limit, default=20, help="of each at most N (%(default)s)")
    add("--limit", metavar="N", type=limit, default=100, help="at most N (%(default)s)")
    return made


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a partition")
    return int(text)


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    if given.partition is not None and given.topic is None:
        raise UsageError("--partition: give --topic as well")

    def poll() -> list[dict[str, Any]]:
        return client.share_partitions(
            group=given.group,
            topic=given.topic,
            partition=given.partition,
            batches=given.batches,
            limit=given.limit,
        )

    if given.json:
        _print_continuously(poll) if given.follow else _print(poll())
    elif given.follow:
        _draw_continuously(poll)
    else:
        from rich.console import Console

        from antechamber.commands.share_table import ShareTable

        Console().print(ShareTable(poll()))


def _print(found: Sequence[SharePartition]) -> None:
    sys.stdout.write("".join(f"{json.dumps(each)}\n" for each in found))
    sys.stdout.flush()


def _print_continuously(poll: Callable[[], Sequence[SharePartition]]) -> None:
    """Print each share partition, and again after each change other than of the time left."""
    before: dict[tuple[Any, ...], SharePartition] = {}
    while True:
        found = {(each["group"], each["topic"], each["partition"]): each for each in poll()}
        now: dict[tuple[Any, ...], SharePartition] = {
            key: _without_times(each) for key, each in found.items()
        }
        _print([found[key] for key in found if before.get(key) != now[key]])
        before = now
        sleep(FOLLOW_INTERVAL_S)


def _without_times(each: SharePartition) -> SharePartition:
    batches = [{**batch, "lock_expires_in_ms": None} for batch in each["batches"]]
    return {**each, "batches": batches}


def _draw_continuously(poll: Callable[[], Sequence[SharePartition]]) -> None:
    from rich.console import Console
    from rich.live import Live

    from antechamber.commands.requests_table import fitting
    from antechamber.commands.share_table import ShareTable

    if not Console().is_terminal:
        raise UsageError("--follow: a table needs a terminal; add --json")
    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            now = poll()
            table = fitting(partial(ShareTable, now), len(now), live.console)
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)
