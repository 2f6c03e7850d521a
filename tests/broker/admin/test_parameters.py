"""Parameters that several paths have."""

from __future__ import annotations

from urllib.parse import parse_qsl

from broker.admin.facts.facts import RequestQuery
from broker.admin.parameters import API_NAMES, read_requests
from broker.admin.query import Query


def query(text: str) -> Query:
    """The parameters in a query string."""
    return Query(parse_qsl(text))


def test_requests_are_selected_by_parameters() -> None:
    """Without parameters the last completed requests are selected."""
    assert read_requests(query("")) == RequestQuery()
    assert read_requests(
        query("parked=1&api=Produce&topic=t&client=c&followers=1&limit=5&correlation=7")
    ) == RequestQuery(True, "Produce", "t", "c", True, 5, 7)


def test_apis_have_kafkas_names() -> None:
    """All APIs that this broker serves."""
    assert {"Produce", "Fetch", "JoinGroup", "SyncGroup"} <= set(API_NAMES)
