"""``antechamber requests``: what waits in a running broker, or what it has answered last.

For people a table, with ``--follow`` one that moves and fits the terminal; for programs ``--json``,
a line a request, and with ``--follow`` each request once, in the order in which they were answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from http import HTTPStatus
from time import sleep
from typing import TYPE_CHECKING, Any

from antechamber.admin_client import REQUESTS_MAX, AdminClient, AdminError
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

Request = dict[str, Any]
Identity = tuple[object, ...]
Ask = Callable[[int], list[Request]]  # at most so many


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
    def ask(limit: int) -> list[Request]:
        try:
            return client.requests(
                parked=1 if given.parked else None,
                api=given.api,
                topic=given.topic,
                client=given.client,
                followers=1 if given.followers else None,
                limit=limit,
            )
        except AdminError as error:
            if error.status != HTTPStatus.NOT_IMPLEMENTED:
                raise
            words = "answered requests are not recorded; ask with --parked, or serve with --record"
            raise AdminError(error.status, words) from None

    if given.follow:
        (_print_for_ever if given.json else _draw_for_ever)(ask, given)
    elif given.json:
        _print(ask(given.limit))
    else:
        _draw(ask(given.limit), given)


def _print(requests: Iterable[Request]) -> None:
    for request in requests:
        sys.stdout.write(f"{json.dumps(request)}\n")
    sys.stdout.flush()


def _print_for_ever(ask: Ask, given: argparse.Namespace) -> None:
    seen: set[Identity] = set()
    found = ask(given.limit)
    while True:
        if given.parked:
            _print(request for request in found if _identity(request) not in seen)
        else:
            _print(reversed(found))
        seen = {*map(_identity, found)} or seen
        sleep(FOLLOW_INTERVAL_S)
        found = ask(given.limit) if given.parked else _until_seen(ask, given.limit, seen)


def _until_seen(ask: Ask, limit: int, seen: set[Identity]) -> list[Request]:
    """What was answered since, latest first: as many as it takes to meet one that was seen."""
    while True:
        found = ask(limit)
        for index, request in enumerate(found):
            if _identity(request) in seen:
                return found[:index]
        if len(found) < limit or limit == REQUESTS_MAX:
            return found
        limit = min(10 * limit, REQUESTS_MAX)


def _identity(request: Request) -> Identity:
    return tuple(request[name] for name in ("node", "connection", "correlation_id", "arrived_us"))


def _draw(requests: list[Request], given: argparse.Namespace) -> None:
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
            now = ask(given.limit)
            table = fitting(partial(_table, now, given), len(now), console)
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)


def _table(requests: list[Request], given: argparse.Namespace, shown: int | None) -> RenderableType:
    from antechamber.requests_table import AnsweredTable, ParkedTable

    if given.parked:
        return ParkedTable(requests, given.limit, shown)
    return AnsweredTable(requests, shown)


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7 and 0 < int(text) <= REQUESTS_MAX):
        words = f"{text!r} is not a whole number from 1 to {REQUESTS_MAX}"
        raise argparse.ArgumentTypeError(words)
    return int(text)
