"""``antechamber explain``: why one request took as long as it did, in sentences.

The latest that matches, be it answered or waiting still.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from http import HTTPStatus
from shutil import get_terminal_size
from typing import Any

from antechamber.admin_client import AdminClient, AdminError
from antechamber.command_line import CommandParser, run
from antechamber.requests_command import check_topic
from antechamber.story import story

_DESCRIPTION = """\
Tell one request's story: what it asked for, what it waited for, and who ended
its wait.

It is the latest one that matches, answered or waiting still. A broker knows
the answered ones if it keeps their wait records: antechamber serve --record.
"""
_COLUMNS_MAX = 100


def explain(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _tell)


def parser() -> CommandParser:
    """What may be given to the command."""
    command = CommandParser("explain", _DESCRIPTION)
    add = command.add_argument
    add("--client", metavar="ID", help="a request of this client id")
    add("--correlation", metavar="N", type=_correlation, help="the one with this correlation id")
    add("--api", help="a request of this API, by Kafka's name: Produce, Fetch, JoinGroup, ...")
    add("--topic", help="a request that names this topic")
    add("--json", action="store_true", help="its wait record, as one JSON object")
    return command


def _tell(client: AdminClient, given: argparse.Namespace) -> None:
    record = _latest(client, given)
    if given.json:
        sys.stdout.write(f"{json.dumps(record)}\n")
        return
    width = min(get_terminal_size().columns, _COLUMNS_MAX)
    for sentence in story(record):
        sys.stdout.write(f"{textwrap.fill(sentence, width, break_on_hyphens=False)}\n")


def _latest(client: AdminClient, given: argparse.Namespace) -> dict[str, Any]:
    """The request that arrived last; raises `AdminError` if none matches."""
    wanted = {
        "client": given.client,
        "correlation": given.correlation,
        "api": given.api,
        "topic": given.topic,
        # By name a node that replicates is meant, too: stories tell of node-3.
        "followers": None if given.client is None else 1,
    }
    found = client.requests(parked=1, limit=10_000, **wanted)
    try:
        found += client.requests(limit=1, **wanted)
    except AdminError as error:
        if error.status != HTTPStatus.NOT_IMPLEMENTED:
            raise
        if not found:
            words = "no such request waits, and answered ones are not recorded; serve with --record"
            raise AdminError(error.status, words) from None
    if not found:
        if given.topic is not None:
            check_topic(client, given.topic)
        raise AdminError(HTTPStatus.NOT_FOUND, "no such request waits or is among the latest")
    return max(found, key=lambda request: request["arrived_us"])


def _correlation(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) < 2**31):
        raise argparse.ArgumentTypeError(f"{text!r} is not a correlation id")
    return int(text)
