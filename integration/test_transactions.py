"""Concurrent transactional clients and faults of nodes leave a correct history.

`ANTECHAMBER_TRANSACTIONS=60` runs for so many seconds, and `ANTECHAMBER_SEED` sets the seed that a
failure prints. A real Kafka goes through the same with `ANTECHAMBER_REQUIRE=transactions`.
"""

from __future__ import annotations

import os
from random import randrange

import pytest

from antechamber import Cluster
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.real_kafka import RealKafka
from integration.machine.requirements import is_required, need
from integration.transactions.history import Outcome
from integration.transactions.judge import anomalies
from integration.transactions.run import NODES, SETTINGS, Run, run

SECONDS = float(os.environ.get("ANTECHAMBER_TRANSACTIONS", "4"))
SEED = int(os.environ.get("ANTECHAMBER_SEED") or randrange(1 << 20))


def check(done: Run) -> None:
    """The history has committed transactions and no anomaly."""
    print(f"ANTECHAMBER_SEED={SEED}: {done.summary()}", *done.faults, sep="\n")
    outcomes = {each.outcome for each in done.history.transactions}
    assert Outcome.COMMITTED in outcomes
    assert anomalies(done.history) == []


@pytest.mark.timeout(300)
def test_histories_on_ours_have_no_anomaly() -> None:
    """All three nodes pause and stop."""
    with Cluster(NODES, config=SETTINGS) as cluster:
        check(run(cluster, (1, 2, 3), SECONDS, SEED))


@pytest.mark.timeout(600)
@pytest.mark.skipif(
    not is_required("transactions"), reason="slow: ANTECHAMBER_REQUIRE=transactions"
)
def test_histories_on_a_real_kafka_have_no_anomaly() -> None:
    """The nodes pause and stop that are not the controller."""
    need("transactions", missing_for_a_jvm())
    with RealKafka(NODES, SETTINGS) as cluster:
        check(run(cluster, (2, 3), SECONDS, SEED))
