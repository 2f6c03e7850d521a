"""Scenarios of the parity suite with Kafka in containers: its files, and nodes that pause and stop.

`integration/test_parity.py` compares all scenarios, with a Kafka from its jars.
"""

from __future__ import annotations

import pytest

from integration.containers.engine import missing_image
from integration.kafka.containers import IMAGE
from integration.machine.requirements import need
from integration.parity.runner import run
from integration.parity.scenarios import SCENARIOS
from integration.parity.verdict import GOOD, verdict

# They use each operation of a container: files, pause and resume, kill and start.
_NAMES = (
    "files_of_a_partition",
    "files_of_several_segments",
    "produce_waits_for_a_paused_follower",
    "produce_waits_while_the_leader_moves",
    "leader_crashes",
)


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_a_kafka_in_containers_has_the_same_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines are equal, as with a Kafka from its jars."""
    need("docker", missing_image(IMAGE))
    monkeypatch.setenv("ANTECHAMBER_KAFKA", "containers")

    outcomes = run([SCENARIOS[name] for name in _NAMES])

    assert [each.difference for each in outcomes if verdict(each) not in GOOD] == []
