"""``antechamber requests``: prints the waiting or the latest completed requests of a broker.

The default output is a table. With ``--follow`` it is redrawn and fits the terminal, and a line
above it reports each wait that ended before the table could show it. ``--json`` prints a line for
each request, with ``--follow`` each request once in the order of completion.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from http import HTTPStatus
from time import sleep

from antechamber.admin_client import AdminClient, AdminError
from antechamber.commands.command_line import CommandParser, limit, run
from antechamber.followed_waits import (
    FOLLOW_INTERVAL_S,
    FollowedWaits,
    Identity,
    Poll,
    Request,
    identity,
    until_seen,
)
from antechamber.latest_request import check_topic
from antechamber.usage_error import UsageError

_DESCRIPTION = """\
Show the requests of a running broker.

With --parked: the waiting requests with their conditions and timeouts, and for
a produce the log end offset of each replica. Without it: the latest completed
requests, if the broker keeps their wait records (antechamber serve --record).
With such a broker, --parked --follow shows every wait: those that end between
two frames of the table are printed above it.
"""


def requests(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _mark_or_show)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("requests", _DESCRIPTION)
    add = command.add_argument
    add("--mark", action="store_true", help="only print a mark, for antechamber wait")
    add("--parked", action="store_true", help="the waiting requests instead of completed ones")
    add("--follow", action="store_true", help="continue until Ctrl-C")
    add("--json", action="store_true", help="one JSON object a line, instead of a table")
    add("--api", help="only this API, by Kafka's name: Produce, Fetch, JoinGroup, ...")
    add("--topic", help="only requests that name this topic")
    add("--client", metavar="ID", help="only this client id")
    add("--limit", metavar="N", type=limit, default=100, help="at most N requests (%(default)s)")
    add(
        "--followers",
        action="store_true",
        help="include the fetches of followers",
    )
    return command


def _mark_or_show(client: AdminClient, given: argparse.Namespace) -> None:
    if given.mark:
        for name in ("parked", "follow", "json", "api", "topic", "client", "followers"):
            if getattr(given, name):
                raise UsageError(f"--{name}: it has no effect with --mark; give one of them")
        sys.stdout.write(f"{client.mark()}\n")
    else:
        _show(client, given)


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    def poll(limit: int) -> list[Request]:
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
            words = "completed requests are not recorded; use --parked, or serve with --record"
            raise AdminError(error.status, words) from None

    found = poll(given.limit)
    if given.topic is not None and not found and not given.follow:
        check_topic(client, given.topic)
    if given.follow and given.json:
        if given.parked:
            _print_waits_continuously(poll, _completed(client, given), given.limit)
        else:
            _print_continuously(poll, given.limit)
    elif given.follow:
        _check_terminal()
        if given.parked:
            _draw_waits_continuously(poll, _completed(client, given), given)
        else:
            _draw_continuously(poll, given)
    elif given.json:
        _print(found)
    else:
        _draw(client, found, given)


def _completed(client: AdminClient, given: argparse.Namespace) -> Poll:
    def poll(limit: int) -> list[Request]:
        return client.requests(
            api=given.api,
            topic=given.topic,
            client=given.client,
            followers=1 if given.followers else None,
            limit=limit,
        )

    return poll


def _print(requests: Iterable[Request]) -> None:
    for request in requests:
        sys.stdout.write(f"{json.dumps(request)}\n")
    sys.stdout.flush()


def _print_continuously(poll: Poll, limit: int) -> None:
    """Print each completed request once, in the order of completion."""
    found = poll(limit)
    seen: set[Identity] = set()
    while True:
        _print(reversed(found))
        seen = {*map(identity, found)} or seen
        sleep(FOLLOW_INTERVAL_S)
        found = until_seen(poll, limit, seen)


def _print_waits_continuously(poll: Poll, completed: Poll, limit: int) -> None:
    """Print each waiting request once; if it ends between two polls, its wait record."""
    waits = FollowedWaits(completed, limit)
    while True:
        parked = poll(limit)
        _print(filter(waits.is_new, parked))
        _print(waits.missed(parked))
        sleep(FOLLOW_INTERVAL_S)


def _draw(client: AdminClient, requests: list[Request], given: argparse.Namespace) -> None:
    from rich.console import Console

    from antechamber.commands.requests_table import CompletedTable, ParkedTable

    table = ParkedTable(requests, given.limit) if given.parked else CompletedTable(requests)
    Console().print(table)
    if given.parked and (opened := client.transactions()):
        count = f"{len(opened)} transaction{' is' if len(opened) == 1 else 's are'} open"
        Console().print(f"{count}: antechamber transactions", style="dim", highlight=False)


def _check_terminal() -> None:
    from rich.console import Console

    if not Console().is_terminal:
        raise UsageError("--follow: a table needs a terminal; add --json")


def _draw_continuously(poll: Poll, given: argparse.Namespace) -> None:
    """Draw the latest completed requests as a table, repeatedly."""
    from rich.console import Console
    from rich.live import Live

    from antechamber.commands.requests_table import CompletedTable, fitting

    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            now = poll(given.limit)
            table = fitting(partial(CompletedTable, now), len(now), live.console)
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)


def _draw_waits_continuously(poll: Poll, completed: Poll, given: argparse.Namespace) -> None:
    """Draw the waiting requests as a table, repeatedly, and print missed waits above it."""
    from rich.console import Console
    from rich.live import Live

    from antechamber.commands.requests_table import ParkedTable, ended_wait, fitting

    waits = FollowedWaits(completed, given.limit)
    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            now = poll(given.limit)
            table = fitting(partial(ParkedTable, now, given.limit), len(now), live.console)
            for each in waits.missed(table.drawn):
                live.console.print(ended_wait(each))
            live.update(table, refresh=True)
            sleep(FOLLOW_INTERVAL_S)
