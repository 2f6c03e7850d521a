"""Which requests a query selects."""

from __future__ import annotations

from typing import Any

import pytest

from broker.admin.facts.facts import RequestQuery


def matches(query: RequestQuery, **request: Any) -> bool:
    """Whether *query* selects a produce to the topic t, or a variation of it."""
    facts: dict[str, Any] = {
        "api": "Produce",
        "client_id": "c\n",
        "correlation_id": 7,
        "follower": False,
        "topics": ["t"],
    }
    return query.matches(**(facts | request))


def test_an_empty_query_selects_all_but_followers() -> None:
    """The fetches by which nodes replicate are selected on request."""
    assert matches(RequestQuery())
    assert not matches(RequestQuery(), follower=True)
    assert matches(RequestQuery(followers=True), follower=True)


@pytest.mark.parametrize(
    ("selecting", "other"),
    [
        (RequestQuery(api="Produce"), RequestQuery(api="Fetch")),
        (RequestQuery(topic="t"), RequestQuery(topic="u")),
        (RequestQuery(client="c\n"), RequestQuery(client="c")),
        (RequestQuery(correlation=7), RequestQuery(correlation=8)),
    ],
)
def test_each_part_of_a_query_must_match(selecting: RequestQuery, other: RequestQuery) -> None:
    """API, topic, client id and correlation id."""
    assert matches(selecting)
    assert not matches(other)


def test_a_client_id_matches_in_its_printable_form() -> None:
    """Clients of the admin interface see it in that form."""
    assert matches(RequestQuery(client="c\\n"))
    assert not matches(RequestQuery(client="c"), client_id=None)
