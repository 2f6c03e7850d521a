"""``antechamber reset``: removes what clients have made in a running broker."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, run
from antechamber.sentences.phrases import counted

_DESCRIPTION = """\
Remove everything that clients have made in a running broker: topics, groups,
transactions, quotas, configs, ACLs, fault rules. The clock runs again, and all
nodes. Connections stay open; waiting requests end with errors that clients
retry. Topics that were given to antechamber serve exist afterwards, empty.
"""
_LISTS = {"recreated": "created again", "resumed": "resumed nodes", "started": "started nodes"}


def reset(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _reset)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("reset", _DESCRIPTION)
    add = command.add_argument
    add(
        "--prefix",
        metavar="TEXT",
        help="only topics, groups and transactional ids whose names begin with it",
    )
    add("--json", action="store_true", help="what was removed as a JSON object")
    return command


def _reset(client: AdminClient, given: argparse.Namespace) -> None:
    removed = client.reset(given.prefix)
    sys.stdout.write(f"{json.dumps(removed) if given.json else _line(removed)}\n")


def _line(removed: Mapping[str, Any]) -> str:
    """What was removed in one line; kinds of which there was nothing are left out."""
    counts = [
        counted(count, name.replace("_", " ").removesuffix("s"))
        for name, count in removed.items()
        if name not in _LISTS and count
    ]
    lists = [
        f"{words}: {', '.join(map(str, removed[name]))}"
        for name, words in _LISTS.items()
        if removed[name]
    ]
    return "; ".join([f"removed: {', '.join(counts) or 'nothing'}", *lists])
