"""Sends the requests that a broker completes to a collector, each once, until Ctrl-C."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Any

from antechamber.admin_client import REQUESTS_MAX, AdminClient
from antechamber.followed_waits import identity, until_seen

if TYPE_CHECKING:
    from antechamber.trace.otlp import Collector

INTERVAL_S = 1.0
_AT_FIRST = 100  # requests that a poll asks for; more if they do not reach back to the last poll


def follow(client: AdminClient, collector: Collector) -> None:
    """Send the requests that end from now on; raises what the collector and the client raise.

    A request can be linked to one of the same or of the previous poll.
    """

    def completed(limit: int) -> list[dict[str, Any]]:
        return client.requests(followers=1, limit=limit)

    before = completed(REQUESTS_MAX)
    seen = {*map(identity, before)}
    while True:
        sleep(INTERVAL_S)
        if ended := until_seen(completed, _AT_FIRST, seen):
            collector.send(ended, before)
            before, seen = ended, {*map(identity, ended)}
