"""``antechamber explain``: explains in English why one request took as long as it did.

It explains the latest request that matches, completed or still waiting.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Sequence
from shutil import get_terminal_size

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, run
from antechamber.explain import explanation
from antechamber.latest_request import latest_request

_DESCRIPTION = """\
Explain one request: what it requested, what it waited for, and what completed
it.

This is the latest request that matches, completed or still waiting. A broker
keeps the wait records of completed requests with antechamber serve --record.
"""
_COLUMNS_MAX = 100
_QUANTITY = re.compile(r"(\d) (µs|ms|s|m|h)\b")


def explain(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _explain)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("explain", _DESCRIPTION)
    add = command.add_argument
    add("--client", metavar="ID", help="a request of this client id")
    add("--correlation", metavar="N", type=_correlation, help="the one with this correlation id")
    add("--api", help="a request of this API, by Kafka's name: Produce, Fetch, JoinGroup, ...")
    add("--topic", help="a request that names this topic")
    add("--json", action="store_true", help="its wait record, as one JSON object")
    return command


def _explain(client: AdminClient, given: argparse.Namespace) -> None:
    record = latest_request(
        client,
        "serve with --record",
        api=given.api,
        topic=given.topic,
        client_id=given.client,
        correlation=given.correlation,
    )
    if given.json:
        sys.stdout.write(f"{json.dumps(record)}\n")
        return
    width = min(get_terminal_size().columns, _COLUMNS_MAX)
    for sentence in explanation(record):
        sys.stdout.write(f"{_filled(sentence, width)}\n")


def _filled(sentence: str, width: int) -> str:
    """The lines of a sentence; a number and its unit are on one line."""
    bound = _QUANTITY.sub("\\1\N{NO-BREAK SPACE}\\2", sentence)
    lines = textwrap.fill(bound, width, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _correlation(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) < 2**31):
        raise argparse.ArgumentTypeError(f"{text!r} is not a correlation id")
    return int(text)
