"""Extreme values have the same outcome as on a real Kafka, with listed exceptions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from integration.extremes.known import KNOWN, reason, waits_at_kafka
from integration.extremes.outcomes import outcomes
from integration.kafka.source import start_kafka
from integration.machine.requirements import is_required
from integration.processes.antechamber import Antechamber
from protocol.messages import REQUESTS

_SLOW = [] if is_required("parity") else [pytest.mark.skip("slow: ANTECHAMBER_REQUIRE=parity")]


@pytest.mark.kafka
@pytest.mark.timeout(900)
@pytest.mark.parametrize("apis", [pytest.param(list(REQUESTS.values()), marks=_SLOW, id="all")])
def test_extreme_values_have_kafkas_outcomes(apis: list[type]) -> None:
    """Each field of each version closes the connection, waits, or has equal error codes."""
    with (
        start_kafka() as kafka,
        Antechamber("-c", "group.initial.rebalance.delay.ms=0") as ours,
        ThreadPoolExecutor() as pool,
    ):
        kafkas = pool.submit(outcomes, kafka.bootstrap, apis)
        found = outcomes(ours.bootstrap, apis)
        expected = kafkas.result()

    assert found.keys() == expected.keys()
    different = {
        name: (expected[name], outcome)
        for name, outcome in found.items()
        if outcome != expected[name] and reason(name, expected[name], outcome) is None
    }
    assert not different


def test_a_difference_is_known_by_its_case_and_both_outcomes() -> None:
    """No other outcome of the same case is accepted."""
    case = "ProduceRequest v7 0 topic_data.0.partition_data.0.records null"

    assert reason(case, "waits", "INVALID_RECORD") == KNOWN[0].reason
    assert reason(case, "waits", "closed") is None
    assert reason("ProduceRequest v7 0 acks lowest", "waits", "INVALID_RECORD") is None


def test_a_case_is_known_to_wait_at_kafka() -> None:
    """Any other case may take longer before it counts as one that waits."""
    assert waits_at_kafka("ProduceRequest v7 0 topic_data.0.partition_data.0.records null")
    assert not waits_at_kafka("FetchRequest v13 0 session_id lowest")
    assert not waits_at_kafka("CreatePartitionsRequest v0 0 topics.0.assignments null")
