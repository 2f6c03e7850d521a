"""Waiting until requests are parked."""

from __future__ import annotations

from broker.admin.conditions.parked import Parked
from broker.admin.facts.facts import RequestQuery
from tests.facts import FakeFacts, parked_fetch, parked_produce


def parked(**query: object) -> Parked:
    """The condition that one request is parked, unless *query* changes that."""
    return Parked(RequestQuery(**{"parked": True, "limit": 1, **query}))  # type: ignore[arg-type]  # as given


def test_parked_requests_are_counted() -> None:
    """The response has those that match, up to the count."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch(), parked_produce()]

    finding, lines = parked(api="Produce", topic="orders", limit=2).check(facts)

    assert finding == {"requests": [facts.parked[0], facts.parked[2]]}
    assert lines == []


def test_too_few_parked_requests_are_reported_with_all_others() -> None:
    """The numbers, and the API, topic and client of the condition."""
    facts = FakeFacts()
    facts.parked = [parked_fetch(), parked_produce("audit", None)]
    condition = parked(api="Produce", topic="orders", client="c", limit=2)

    assert condition.check(facts)[1] == ["0 of 2 parked Produce on orders from client c"]
    assert condition.alternatives(facts) == [
        "Fetch on orders-0, orders-1 from client consumer-1",
        "Produce on audit-0 from client None",
    ]
    assert parked().alternatives(FakeFacts()) == ["no parked request"]
