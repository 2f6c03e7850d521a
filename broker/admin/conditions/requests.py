"""Waiting until a number of requests has begun since a mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from http import HTTPStatus

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts
from broker.admin.facts.marks import MARKS_MAX
from broker.admin.facts.node_clients import is_node
from broker.admin.http import HttpError
from broker.admin.parameters import API_NAMES
from broker.admin.query import Query
from broker.api.request_counts import Counted
from protocol.api_names import api_name
from protocol.lazy_dataclass import dataclass
from protocol.printable import printable


@dataclass(frozen=True, slots=True)
class Requests:
    """At least ``count`` requests of an API and of a client have begun since the mark ``since``.

    Those of nodes to each other do not count, unless ``client`` names one of them.
    """

    api: str | None
    client: str | None
    since: str | None
    count: int

    def check(self, facts: Facts) -> Finding:
        """Add up the requests that match."""
        counts = self._counts(facts)
        found = sum(count for each, count in counts.items() if self._is_selected(each))
        missing = f"{found} of {self.count} {self.api or ''} requests".replace("  ", " ")
        client = "" if self.client is None else f" of client {self.client}"
        since = "" if self.since is None else f" since {self.since}"
        return {"count": found}, [] if found >= self.count else [f"{missing}{client}{since}"]

    def alternatives(self, facts: Facts) -> list[str]:
        """The requests of that client, or of all clients."""
        found = Counter[tuple[str, str | None]]()
        for each, count in self._counts(facts).items():
            if self._is_client(each.client_id):
                found[api_name(each.api_key), each.client_id] += count
        return [_counted(api, client, count) for (api, client), count in found.most_common()] or [
            "no request"
        ]

    def _counts(self, facts: Facts) -> Mapping[Counted, int]:
        counts = facts.requests_since(self.since)
        if counts is None:
            raise HttpError(
                HTTPStatus.BAD_REQUEST,
                f"since: there is no mark {self.since!r} among the latest {MARKS_MAX}; "
                "make one by POST /v1/marks",
            )
        return counts

    def _is_selected(self, each: Counted) -> bool:
        return self.api in (None, api_name(each.api_key)) and self._is_client(each.client_id)

    def _is_client(self, client_id: str | None) -> bool:
        if self.client is None:
            return not is_node(client_id)
        return client_id is not None and self.client in (client_id, printable(client_id))


def read_requests_begun(query: Query) -> Requests:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "api", "client", "since", "count", "timeout_ms")
    return Requests(
        query.choice("api", API_NAMES),
        query.text("client"),
        query.text("since"),
        query.whole("count", 1, LIMIT_MAX) or 1,
    )


def _counted(api: str, client: str | None, count: int) -> str:
    whose = "" if client is None else f" of client {client}"
    return f"{count} {api}{whose}"
