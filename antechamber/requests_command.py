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

    found = ask(given.limit)
    if given.topic is not None and not found and not given.follow:
        check_topic(client, given.topic)
    if given.follow and given.json:
        if given.parked:
            _print_waits_for_ever(ask, _answered(client, given), given.limit)
        else:
            _print_for_ever(ask, given.limit)
    elif given.follow:
        _draw_for_ever(ask, given)
    elif given.json:
        _print(found)
    else:
        _draw(found, given)


def check_topic(client: AdminClient, name: str) -> None:
    """Raise `AdminError` if the cluster has no such topic: no request will ever name it."""
    if name not in (topic["name"] for topic in client.cluster()["topics"]):
        raise AdminError(HTTPStatus.NOT_FOUND, f"there is no topic {name!r}")


def _answered(client: AdminClient, given: argparse.Namespace) -> Ask:
    def ask(limit: int) -> list[Request]:
        return client.requests(
            api=given.api,
            topic=given.topic,
            client=given.client,
            followers=1 if given.followers else None,
            limit=limit,
        )

    return ask


def _print(requests: Iterable[Request]) -> None:
    for request in requests:
        sys.stdout.write(f"{json.dumps(request)}\n")
    sys.stdout.flush()


def _print_for_ever(ask: Ask, limit: int) -> None:
    """Each answered request once, in the order of the answers."""
    found = ask(limit)
    seen: set[Identity] = set()
    while True:
        _print(reversed(found))
        seen = {*map(_identity, found)} or seen
        sleep(FOLLOW_INTERVAL_S)
        found = _until_seen(ask, limit, seen)


def _print_waits_for_ever(ask: Ask, answered: Ask, limit: int) -> None:
    """Each request that waits once; one that is answered between two looks, by its wait record."""
    shown: set[Identity] = set()
    latest = _latest_answered(answered)
    while True:
        parked = ask(limit)
        _print(request for request in parked if _identity(request) not in shown)
        shown |= {*map(_identity, parked)}
        if latest is not None:
            ended = _until_seen(answered, limit, latest)
            waited = [each for each in ended if each["purgatory"] is not None]
            _print(each for each in reversed(waited) if _identity(each) not in shown)
            latest = {*map(_identity, ended)} or latest
            shown -= latest
        else:
            shown = {*map(_identity, parked)}
        sleep(FOLLOW_INTERVAL_S)


def _latest_answered(answered: Ask) -> set[Identity] | None:
    """The requests answered last; None if the broker does not keep their records."""
    try:
        return {*map(_identity, answered(REQUESTS_MAX))}
    except AdminError as error:
        if error.status != HTTPStatus.NOT_IMPLEMENTED:
            raise
        sys.stderr.write(
            f"antechamber requests: waits of less than {FOLLOW_INTERVAL_S} s may not be shown; "
            "with serve --record all are\n"
        )
        return None


def _until_seen(ask: Ask, limit: int, seen: set[Identity]) -> list[Request]:
    """What was answered since, latest first: as many as it takes to meet one that was seen."""
    while True:
        found = ask(limit)
        for index, request in enumerate(found):
            if _identity(request) in seen:
                return found[:index]
        if len(found) < limit:
            return found
        if limit == REQUESTS_MAX:
            sys.stderr.write(
                f"antechamber requests: more than {REQUESTS_MAX:,} requests were answered in "
                f"{FOLLOW_INTERVAL_S} s; the earliest of them are not shown\n"
            )
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
