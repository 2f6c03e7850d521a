"""Waiting until a number of requests has begun since a mark."""

from __future__ import annotations

import pytest

from broker.admin.conditions.requests import Requests
from broker.admin.http import HttpError
from tests.facts import FakeFacts

PRODUCE, FETCH = 0, 1


def facts_with_requests() -> FakeFacts:
    """Client a has sent two Fetches, b one Fetch and one Produce, and node 2 five Fetches."""
    facts = FakeFacts()
    counts = facts.request_counts
    counts.tally("a")[FETCH] = 2
    counts.tally("b").update({FETCH: 1, PRODUCE: 1})
    counts.tally("node-2")[FETCH] = 5
    return facts


@pytest.mark.parametrize(
    ("api", "client", "count"),
    [
        ("Fetch", None, 3),
        ("Fetch", "a", 2),
        (None, "b", 2),
        (None, None, 4),
        ("Fetch", "node-2", 5),
    ],
)
def test_requests_are_counted_by_api_and_client(
    api: str | None, client: str | None, count: int
) -> None:
    """Requests between nodes count only if their client id is named."""
    facts = facts_with_requests()

    assert Requests(api, client, None, count).check(facts) == ({"count": count}, [])
    assert Requests(api, client, None, count + 1).check(facts)[1]


def test_requests_before_the_mark_do_not_count() -> None:
    """What is missing has the numbers, and the alternatives have all requests of the client."""
    facts = facts_with_requests()
    mark = facts.mark()
    facts.request_counts.tally("a").update({FETCH: 3, PRODUCE: 2})
    condition = Requests("Fetch", "a", mark, 3)

    assert condition.check(facts) == (
        {"count": 1},
        ["1 of 3 Fetch requests of client a since mark-1"],
    )
    assert condition.alternatives(facts) == ["2 Produce of client a", "1 Fetch of client a"]
    assert Requests(None, "c", None, 1).check(facts)[1] == ["0 of 1 requests of client c"]
    assert Requests(None, "c", None, 1).alternatives(facts) == ["no request"]


def test_an_unknown_mark_is_refused() -> None:
    """The message says how to make one."""
    with pytest.raises(HttpError, match="since: there is no mark 'mark-9' among") as caught:
        Requests("Fetch", None, "mark-9", 1).check(FakeFacts())
    assert caught.value.status == 400
