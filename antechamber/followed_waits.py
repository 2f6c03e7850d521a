"""Follows the waiting requests by polling, and reports also the waits that end between polls.

The waiting requests come from the admin interface; the completed ones from the wait records that
the broker keeps with ``serve --record``.
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
Poll = Callable[[int], list[Request]]  # the argument is the limit


class FollowedWaits:
    """Remembers the waiting requests that have been shown; *completed* polls the completed ones."""

    def __init__(self, completed: Poll, limit: int) -> None:
        self._completed = completed
        self._limit = limit
        self._shown: set[Identity] = set()
        self._latest = _latest_completed(completed)

    def is_new(self, request: Mapping[str, Any]) -> bool:
        """Whether the request has not been shown as waiting."""
        return identity(request) not in self._shown

    def missed(self, shown: Iterable[Mapping[str, Any]]) -> list[Request]:
        """Return the waits that ended since the last call and were never shown, oldest first.

        *shown* are the requests that wait now and are shown now. The result is
        empty if the broker keeps no wait records.
        """
        now = {*map(identity, shown)}
        if self._latest is None:
            self._shown = now
            return []
        self._shown |= now
        ended = until_seen(self._completed, self._limit, self._latest)
        missed = [each for each in reversed(ended) if each["purgatory"] is not None]
        missed = [each for each in missed if self.is_new(each)]
        self._latest = {*map(identity, ended)} or self._latest
        self._shown -= self._latest
        return missed


def until_seen(poll: Poll, limit: int, seen: set[Identity]) -> list[Request]:
    """Return the requests completed since, latest first, up to the first one in *seen*."""
    while True:
        found = poll(limit)
        for index, request in enumerate(found):
            if identity(request) in seen:
                return found[:index]
        if len(found) < limit:
            return found
        if limit == REQUESTS_MAX:
            sys.stderr.write(
                f"antechamber: more than {REQUESTS_MAX:,} requests completed between two "
                "polls; the earliest are left out\n"
            )
            return found
        limit = min(10 * limit, REQUESTS_MAX)


def identity(request: Mapping[str, Any]) -> Identity:
    """The fields that identify a request."""
    return tuple(request[name] for name in ("node", "connection", "correlation_id", "arrived_us"))


def _latest_completed(completed: Poll) -> set[Identity] | None:
    """Return the requests completed last; None if the broker keeps no wait records."""
    try:
        return {*map(identity, completed(REQUESTS_MAX))}
    except AdminError as error:
        if error.status != HTTPStatus.NOT_IMPLEMENTED:
            raise
        sys.stderr.write(
            f"antechamber requests: waits of less than {FOLLOW_INTERVAL_S} s may not be shown; "
            "serve --record shows all\n"
        )
        return None
