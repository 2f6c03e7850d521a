"""The report of a cluster, with an admin interface in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from antechamber.admin_client import AdminClient
from antechamber.report.cluster_report import cluster_report
from tests.admin_server import serving
from tests.facts import FakeClock, FakeFacts, completed_fetch, parked_produce


class Clock(FakeClock):
    """A clock that is frozen."""

    def state(self) -> dict[str, Any]:
        return {"speed": 0}


class Facts(FakeFacts):
    """A broker with an exception."""

    def statistics(self) -> dict[str, Any]:
        return {"unexpected_errors": {"requests": {"Fetch": 1}, "others": 0}}


@pytest.fixture
def facts() -> FakeFacts:
    """A broker with a request that waits and one that has ended."""
    facts = Facts()
    facts.clock = Clock()
    facts.parked, facts.completed = [parked_produce()], [completed_fetch()]
    return facts


@pytest.fixture
def client(facts: FakeFacts) -> Iterator[AdminClient]:
    """A client of the broker."""
    with serving(facts) as url:
        yield AdminClient(url)


def test_the_report_has_the_state_and_the_waits(client: AdminClient) -> None:
    """The state is first."""
    lines = cluster_report(client, 0).splitlines()

    assert lines[:3] == [
        "3 nodes: 1, 2 and 3 are running",
        "1 topic with 2 partitions",
        "The clock is frozen.",
    ]
    assert "Requests that wait now, the longest wait first:" in lines
    assert "The longest waits:" in lines


def test_requests_that_had_ended_before_are_left_out(client: AdminClient) -> None:
    """They belong to earlier tests."""
    assert "The longest waits:" not in cluster_report(client, completed_fetch()["arrived_us"] * 2)


def test_fetches_of_followers_are_left_out(facts: FakeFacts, client: AdminClient) -> None:
    """They wait all the time."""
    facts.completed = [completed_fetch("node-3") | {"follower": True}]

    assert "node-3" not in cluster_report(client, 0)


def test_unknown_topics_are_reported(facts: FakeFacts, client: AdminClient) -> None:
    """A client that waits for such a topic has no request that waits."""
    facts.completed = [completed_fetch("billing") | {"unknown_topics": ["ordres"]}]

    assert (
        "Topics that clients requested and that do not exist:\n"
        "  - ordres: requested once by client billing\n"
    ) in cluster_report(client, 0)


def test_the_exceptions_of_the_broker_are_reported(client: AdminClient) -> None:
    """They are bugs of the broker."""
    report = cluster_report(client, 0)
    assert "Exceptions that the broker did not expect:\n  - all nodes: 1 of Fetch" in report


def test_a_broker_that_does_not_respond() -> None:
    """The report says so: the test may have ended the broker."""
    with serving(FakeFacts()) as url:
        client = AdminClient(url)

    assert cluster_report(client, 0).splitlines() == [
        f"not known: no broker at {url}: connection refused"
    ]
