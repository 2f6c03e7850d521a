"""`Handle.explain`: the sentences of ``antechamber explain``."""

from __future__ import annotations

import pytest

from antechamber import AdminError, RunningCluster
from antechamber.explain import explanation
from tests.admin_server import serving
from tests.facts import FakeFacts, completed_fetch, parked_fetch, parked_produce


@pytest.fixture
def facts() -> FakeFacts:
    """A produce and a fetch that wait, and a later fetch that was completed."""
    facts = FakeFacts()
    facts.parked = [parked_produce(), parked_fetch()]
    facts.completed = [completed_fetch()]
    return facts


def test_the_latest_request_is_explained(facts: FakeFacts) -> None:
    """Each sentence is a line."""
    with serving(facts) as url:
        explained = RunningCluster(url).explain()

    assert explained.splitlines() == explanation(completed_fetch())


def test_a_request_is_selected(facts: FakeFacts) -> None:
    """By API, topic, client id and correlation id."""
    with serving(facts) as url:
        kafka = RunningCluster(url)
        assert kafka.explain("Produce", "orders").startswith("Produce 12 of client producer-1")
        assert kafka.explain(client="consumer-1").startswith("Fetch 3 of client consumer-1")
        assert kafka.explain(correlation=12).startswith("Fetch 12 of client reader")


def test_without_recording_only_waiting_requests_are_found(facts: FakeFacts) -> None:
    """Otherwise the error names the parameter that records completed requests."""
    facts.completed = None
    with serving(facts) as url:
        kafka = RunningCluster(url)
        assert kafka.explain("Fetch").startswith("Fetch 3 of client consumer-1")
        with pytest.raises(AdminError, match="not recorded; start the cluster with record=True"):
            kafka.explain("Heartbeat")


def test_no_request_matches(facts: FakeFacts) -> None:
    """An unknown topic is named."""
    with serving(facts) as url:
        kafka = RunningCluster(url)
        with pytest.raises(AdminError, match="no such request waits"):
            kafka.explain(client="absent")
        with pytest.raises(AdminError, match="there is no topic 'nope'"):
            kafka.explain(topic="nope")
