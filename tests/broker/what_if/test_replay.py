"""Recordings in virtual time, whose latencies are known."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from broker.common.timer import TICK_MS
from broker.what_if.recording import Recording
from broker.what_if.replay import replay
from broker.what_if.settings import UNCHANGED, Settings
from tests.broker.what_if.recorded import fetch, produce, recording

WORK_MS = 1.0  # of each recorded request
LATE_MS = TICK_MS + 0.01  # a timer ends a wait up to a tick later


@pytest.fixture
def idle(tmp_path: Path) -> Recording:
    """A consumer of an idle topic that fetches again 9 ms after each response."""
    return recording(tmp_path, [fetch(at * 510, 500, 0) for at in range(10)])


@pytest.fixture
def busy(tmp_path: Path) -> Recording:
    """A batch of 200 bytes each 100 ms, which a consumer receives at once."""
    produces = [produce(100 * index, index) for index in range(31)]
    fetches = [fetch(100 * index + 2, 98, index + 1, size=200) for index in range(30)]
    return recording(tmp_path, [*produces, *fetches])


def test_unchanged_polls_of_an_idle_topic_last_as_long(idle: Recording) -> None:
    """As many, each with its maximum wait."""
    latencies = replay(idle, UNCHANGED)["Fetch"]

    assert len(latencies) == 10
    assert latencies == pytest.approx([500 + WORK_MS] * 10, abs=LATE_MS)


def test_shorter_polls_of_an_idle_topic_are_more(idle: Recording) -> None:
    """The consumer fetches again when it gets its response."""
    latencies = replay(idle, Settings(max_wait_ms=100))["Fetch"]

    assert latencies == pytest.approx([100 + WORK_MS] * len(latencies), abs=LATE_MS)
    end_ms = 9 * 510 + 501 / 2
    assert end_ms // (110 + LATE_MS) <= len(latencies) <= 1 + end_ms // 110


def test_unchanged_fetches_end_with_the_next_produce(busy: Recording) -> None:
    """The consumer's loop is in step with the producer, as it was."""
    latencies = replay(busy, UNCHANGED)

    assert latencies["Produce"] == pytest.approx([WORK_MS] * 31)
    assert median(latencies["Fetch"]) == pytest.approx(99, abs=LATE_MS)


def test_more_bytes_are_awaited_for_longer(busy: Recording) -> None:
    """600 bytes are three batches."""
    latencies = replay(busy, Settings(min_bytes=600))["Fetch"]

    assert median(latencies) == pytest.approx(299, abs=LATE_MS)


def test_a_produce_waits_for_delayed_followers(busy: Recording) -> None:
    """Its records go to the followers, and their next fetches come back."""
    latencies = replay(busy, Settings(replication_factor=3, follower_delay_ms=5))["Produce"]

    assert 10 <= median(latencies) - WORK_MS <= 10 + 2 * LATE_MS


def test_more_replicas_without_a_delay_cost_no_time(busy: Recording) -> None:
    """Time passes only in waits."""
    latencies = replay(busy, Settings(replication_factor=2))["Produce"]

    assert median(latencies) == pytest.approx(WORK_MS)


def test_lingering_produces_are_sent_together(busy: Recording) -> None:
    """Those of 250 ms are three, so the consumer gets them less often."""
    latencies = replay(busy, Settings(linger_ms=250))

    assert len(latencies["Produce"]) == 11
    assert median(latencies["Fetch"]) == pytest.approx(299, abs=LATE_MS)


def test_a_consumer_begins_at_its_recorded_offset(tmp_path: Path) -> None:
    """It receives the batches from there on at once, and then waits."""
    produces = [produce(index, 10 * index) for index in range(4)]
    backlog = fetch(50, 0, 20, size=400, purgatory=None, waited_for=None, timeout_ms=None)
    latencies = replay(recording(tmp_path, [*produces, backlog, fetch(52, 500, 40)]), UNCHANGED)

    first, second = latencies["Fetch"]
    assert first == pytest.approx(WORK_MS)
    assert second == pytest.approx(500 + WORK_MS, abs=LATE_MS)


def test_nodes_lead_what_they_led(tmp_path: Path) -> None:
    """A client's connection is to the node that it used."""
    records = [produce(0, 0, node=3), fetch(1, 500, 1, node=3)]
    latencies = replay(recording(tmp_path, records), Settings(replication_factor=2))

    assert [len(latencies[api]) for api in ("Produce", "Fetch")] == [1, 1]
