"""``antechamber requests``: what waits in a running broker, or what it has answered last.

For people a table, with ``--follow`` one that moves and fits the terminal, with a line above it for
each wait that ended before the table could show it; for programs ``--json``,
a line a request, and with ``--follow`` each request once, in the order in which they were answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from http import HTTPStatus
from time import sleep

from antechamber.admin_client import REQUESTS_MAX, AdminClient, AdminError
from antechamber.command_line import CommandParser, UsageError, run
from antechamber.followed_waits import (
    FOLLOW_INTERVAL_S,
    Ask,
    FollowedWaits,
    Identity,
    Request,
    identity,
    until_seen,
)

_DESCRIPTION = """\
Show the requests of a running broker.

With --parked those that wait now: for what, since when and until when; for a
produce also which offset each partition needs, how far each replica is, and
who is behind. Without it the latest that were answered, if the broker keeps
their wait records: antechamber serve --record. With such a broker --parked
--follow shows every wait: those that end between two frames of the table are
lines above it.
"""


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
        _check_terminal()
        if given.parked:
            _draw_waits_for_ever(ask, _answered(client, given), given)
        else:
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
        seen = {*map(identity, found)} or seen
        sleep(FOLLOW_INTERVAL_S)
        found = until_seen(ask, limit, seen)


def _print_waits_for_ever(ask: Ask, answered: Ask, limit: int) -> None:
    """Each request that waits once; one that is answered between two looks, by its wait record."""
    waits = FollowedWaits(answered, limit)
    while True:
        parked = ask(limit)
        _print(filter(waits.is_new, parked))
        _print(waits.missed(parked))
        sleep(FOLLOW_INTERVAL_S)


def _draw(requests: list[Request], given: argparse.Namespace) -> None:
    from rich.console import Console

    from antechamber.requests_table import AnsweredTable, ParkedTable

    table = ParkedTable(requests, given.limit) if given.parked else AnsweredTable(requests)
    Console().print(table)


def _check_terminal() -> None:
    from rich.console import Console

    if not Console().is_terminal:
        raise UsageError("--follow: a table that moves needs a terminal; add --json")


def _draw_for_ever(ask: Ask, given: argparse.Namespace) -> None:
    """The latest that were answered, in a table that is drawn anew."""
    from rich.console import Console
    from rich.live import Live

    from antechamber.requests_table import AnsweredTable, fitting

    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            now = ask(given.limit)
            table = fitting(partial(AnsweredTable, now), len(now), live.console)
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)


def _draw_waits_for_ever(ask: Ask, answered: Ask, given: argparse.Namespace) -> None:
    """What waits, in a table that is drawn anew; waits that it never showed, in lines above it."""
    from rich.console import Console
    from rich.live import Live

    from antechamber.requests_table import ParkedTable, ended_wait, fitting

    waits = FollowedWaits(answered, given.limit)
    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            now = ask(given.limit)
            table = fitting(partial(ParkedTable, now, given.limit), len(now), live.console)
            for each in waits.missed(table.drawn):
                live.console.print(ended_wait(each), soft_wrap=True)
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7 and 0 < int(text) <= REQUESTS_MAX):
        words = f"{text!r} is not a whole number from 1 to {REQUESTS_MAX}"
        raise argparse.ArgumentTypeError(words)
    return int(text)
