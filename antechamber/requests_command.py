"""``antechamber requests``: what waits in a running broker, or what it has answered last.

For people a table, with ``--follow`` one that moves and fits the terminal; for programs ``--json``,
a line a request, and with ``--follow`` each request once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from time import sleep
from typing import TYPE_CHECKING, Any

from antechamber.admin_client import AdminClient, AdminError
from antechamber.command_line import CommandParser, UsageError, run

if TYPE_CHECKING:
    from rich.console import RenderableType

FOLLOW_INTERVAL_S = 0.25
_DESCRIPTION = """\
Show the requests of a running broker.

With --parked those that wait now: for what, since when and until when; for a
produce also which offset each partition needs, how far each replica is, and
who is behind. Without it the latest that were answered, if the broker keeps
their wait records: antechamber serve --record.
"""
_LIMIT_MAX = 10_000

Ask = Callable[[], list[dict[str, Any]]]


def requests(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _show)


def parser() -> CommandParser:
    """What may be given to the command."""
    command = CommandParser("requests", _DESCRIPTION)
    add = command.add_argument
    add("--parked", action="store_true", help="what waits now, not what has been answered")
    add("--follow", action="store_true", help="go on until Ctrl-C")
    add("--json", action="store_true", help="one JSON object a line, instead of a table")
    add("--api", help="only this API, by Kafka's name: Produce, Fetch, JoinGroup, ...")
    add("--topic", help="only requests that name this topic")
    add("--client", metavar="ID", help="only this client id")
    add("--limit", metavar="N", type=_limit, default=100, help="at most so many (%(default)s)")
    add(
        "--followers",
        action="store_true",
        help="also the fetches by which nodes replicate from each other",
    )
    return command


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    def ask() -> list[dict[str, Any]]:
        try:
            return client.requests(
                parked=1 if given.parked else None,
                api=given.api,
                topic=given.topic,
                client=given.client,
                followers=1 if given.followers else None,
                limit=given.limit,
            )
        except AdminError as error:
            if error.status != HTTPStatus.NOT_IMPLEMENTED:
                raise
            words = "answered requests are not recorded; ask with --parked, or serve with --record"
            raise AdminError(error.status, words) from None

    if given.json:
        _print_lines(ask, follow=given.follow)
    elif given.follow:
        _draw_for_ever(ask, given)
    else:
        _draw(ask(), given)


def _print_lines(ask: Ask, *, follow: bool) -> None:
    seen: set[tuple[object, ...]] = set()
    while True:
        now = {_identity(request): request for request in ask()}
        for identity, request in now.items():
            if identity not in seen:
                sys.stdout.write(f"{json.dumps(request)}\n")
        sys.stdout.flush()
        if not follow:
            return
        seen = set(now)
        sleep(FOLLOW_INTERVAL_S)


def _identity(request: dict[str, Any]) -> tuple[object, ...]:
    return tuple(request[name] for name in ("node", "connection", "correlation_id", "arrived_us"))


def _draw(requests: list[dict[str, Any]], given: argparse.Namespace) -> None:
    from rich.console import Console

    Console().print(_table(requests, given, None))


def _draw_for_ever(ask: Ask, given: argparse.Namespace) -> None:
    from rich.console import Console
    from rich.live import Live

    from antechamber.requests_table import fitting

    console = Console()
    if not console.is_terminal:
        raise UsageError("--follow: a table that moves needs a terminal; add --json")
    with Live(console=console, auto_refresh=False) as live:
        while True:
            now = ask()
            table = fitting(partial(_table, now, given), len(now), console)
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)


def _table(
    requests: list[dict[str, Any]], given: argparse.Namespace, shown: int | None
) -> RenderableType:
    from antechamber.requests_table import AnsweredTable, ParkedTable

    if given.parked:
        return ParkedTable(requests, given.limit, shown)
    return AnsweredTable(requests, shown)


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7 and 0 < int(text) <= _LIMIT_MAX):
        words = f"{text!r} is not a whole number from 1 to {_LIMIT_MAX}"
        raise argparse.ArgumentTypeError(words)
    return int(text)
