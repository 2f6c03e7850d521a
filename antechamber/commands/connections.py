"""``antechamber connections``: prints the clients that are connected to a broker."""

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
Show the open connections of a running broker: the client with its library and
address, how many requests it has sent, and whether one is in progress.
"""
_HEADER = ("node", "client", "library", "address", "principal", "requests", "idle", "")


def connections(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _show)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("connections", _DESCRIPTION)
    add = made.add_argument
    add("--client", metavar="ID", help="only this client id")
    add("--followers", action="store_true", help="include the connections between nodes")
    add("--json", action="store_true", help="one JSON object a line, instead of a table")
    add("--limit", metavar="N", type=limit, default=100, help="at most N (%(default)s)")
    return made


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    followers = 1 if given.followers else None
    found = client.connections(client=given.client, followers=followers, limit=given.limit)
    if given.json:
        lines = [json.dumps(each) for each in found]
    elif found:
        lines = _table([_HEADER, *map(_row, found)])
    else:
        lines = ["no client is connected"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _row(connection: Mapping[str, Any]) -> tuple[str, ...]:
    library = connection["software"]
    return (
        str(connection["node"]),
        connection["client_id"] or "-",
        f"{library} {connection['software_version']}" if library else "-",
        connection["address"],
        f"{connection['principal']} ({connection['listener']})",
        str(connection["requests"]),
        durations.format_us(connection["idle_ms"] * 1000),
        "waits" if connection["is_waiting"] else "",
    )


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines, with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
