"""``antechamber fault``: pauses, resumes, stops or starts a node."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from antechamber.admin_client import AdminClient
from antechamber.command_line import CommandParser, run

ORDERS = ("pause", "resume", "stop", "start")
_DESCRIPTION = """\
Cause a fault in a node of a running broker.

  pause NODE    its followers stop fetching, so acks=all waits for it; it still
                serves as a leader
  resume NODE   its followers fetch again
  stop NODE     it ends as after kill -9: connections close, its partitions get
                other leaders
  start NODE    it starts again, with its own logs
"""


def fault(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _give)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("fault", _DESCRIPTION)
    command.add_argument("order", choices=ORDERS, metavar="|".join(ORDERS), help="the action")
    command.add_argument("node", type=_node, metavar="NODE", help="the id of a node")
    return command


def _give(client: AdminClient, given: argparse.Namespace) -> None:
    node = client.order(given.node, given.order)
    sys.stdout.write(f"node {node['id']} is {node['state']}\n")


def _node(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        raise argparse.ArgumentTypeError(f"{text!r} is not the id of a node")
    return int(text)
