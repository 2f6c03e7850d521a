"""Concurrent transactional clients and faults of nodes leave a correct history.

`ANTECHAMBER_TRANSACTIONS=60` runs for so many seconds, from a random seed; `ANTECHAMBER_SEED` sets
the seed that a failure prints. With `ANTECHAMBER_REQUIRE=transactions`, a real Kafka is tested too.
"""

from __future__ import annotations

import os

import pytest

from antechamber import Cluster
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.real_kafka import RealKafka
from integration.machine.requirements import is_required, need
from integration.machine.seeds import seed_of_run
from integration.transactions.history import Outcome
from integration.transactions.judge import anomalies
from integration.transactions.run import NODES, SETTINGS, Run, run

SECONDS = float(os.environ.get("ANTECHAMBER_TRANSACTIONS", "4"))
SEED = seed_of_run("ANTECHAMBER_TRANSACTIONS")


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
