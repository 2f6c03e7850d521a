"""Requests that wait, looked at again and again, without missing one that ends between two looks.

What waits is known by asking; what has ended meanwhile only by its wait record, which the broker
keeps with ``serve --record``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from antechamber.admin_client import REQUESTS_MAX, AdminError

FOLLOW_INTERVAL_S = 0.25

Request = dict[str, Any]
Identity = tuple[object, ...]
Ask = Callable[[int], list[Request]]  # at most so many


class FollowedWaits:
    """What has been shown of the requests that wait; *answered* asks for the latest that ended."""

    def __init__(self, answered: Ask, limit: int) -> None:
        self._answered = answered
        self._limit = limit
        self._shown: set[Identity] = set()
        self._latest = _latest_answered(answered)

    def is_new(self, request: Mapping[str, Any]) -> bool:
        """Whether the request has not been shown as one that waits."""
        return identity(request) not in self._shown

    def missed(self, shown: Iterable[Mapping[str, Any]]) -> list[Request]:
        """The waits that ended since the last look and were never shown, in order of their ends.

        *shown* are the requests that wait now and are shown now. Nothing is known to be missed if
        the broker keeps no wait records.
        """
        now = {*map(identity, shown)}
        if self._latest is None:
            self._shown = now
            return []
        self._shown |= now
        ended = until_seen(self._answered, self._limit, self._latest)
        missed = [each for each in reversed(ended) if each["purgatory"] is not None]
        missed = [each for each in missed if self.is_new(each)]
        self._latest = {*map(identity, ended)} or self._latest
        self._shown -= self._latest
        return missed


def until_seen(ask: Ask, limit: int, seen: set[Identity]) -> list[Request]:
    """What was answered since, latest first: as many as it takes to meet one that was seen."""
    while True:
        found = ask(limit)
        for index, request in enumerate(found):
            if identity(request) in seen:
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


def identity(request: Mapping[str, Any]) -> Identity:
    """What tells a request from all others."""
    return tuple(request[name] for name in ("node", "connection", "correlation_id", "arrived_us"))


def _latest_answered(answered: Ask) -> set[Identity] | None:
    """The requests answered last; None if the broker does not keep their records."""
    try:
        return {*map(identity, answered(REQUESTS_MAX))}
    except AdminError as error:
        if error.status != HTTPStatus.NOT_IMPLEMENTED:
            raise
        sys.stderr.write(
            f"antechamber requests: waits of less than {FOLLOW_INTERVAL_S} s may not be shown; "
            "with serve --record all are\n"
        )
        return None
