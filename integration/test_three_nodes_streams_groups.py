"""Kafka Streams with ``group.protocol=streams`` and three nodes, one of which is killed on the way.

Two instances count words exactly once while the coordinator of their group is killed; on a real
Kafka (``--against kafka``) another node, if the coordinator is also the controller.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from antechamber import Cluster
from integration.kafka.java_program import commands
from integration.kafka.properties import CONTROLLER_NODE
from integration.kafka.real_kafka import RealKafka
from integration.streams.applications import QUICK_GROUPS, Application, compiled_program

pytestmark = pytest.mark.jvm

WORDS = "a b c d e"
ROUNDS = 60
KILLED_AT = 20


@pytest.fixture
def kafka(against: str) -> Iterator[Cluster | RealKafka]:
    """Three nodes; topics have replicas on all of them, and stay writable without one."""
    config = {
        **QUICK_GROUPS,
        "min.insync.replicas": "2",
        "default.replication.factor": "3",
        "replica.lag.time.max.ms": "1000",
        "offsets.topic.num.partitions": "1",
    }
    if against == "kafka":
        with RealKafka(3, config, heap="512M", quick=True) as kafka:
            yield kafka
    else:
        with Cluster(3, config=config) as cluster:
            yield cluster


def _coordinator(bootstrap: str) -> int:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    topic = admin.list_topics("__consumer_offsets").topics["__consumer_offsets"]
    return topic.partitions[0].leader


def test_counts_are_exact_although_the_coordinator_is_killed(
    kafka: Cluster | RealKafka, tmp_path: Path
) -> None:
    """No count is lost or repeated, and the instances keep their tasks."""
    settings = {"processing.guarantee": "exactly_once_v2"}
    with commands([*compiled_program(tmp_path), kafka.bootstrap]) as run:
        application = Application(run, kafka.bootstrap, "application", tmp_path)
        application.create_topics()
        for instance in ("one", "two"):
            application.start(instance, settings=settings)
        for instance in ("one", "two"):
            application.wait_for_tasks(instance, 2)
        coordinator = _coordinator(kafka.bootstrap)
        for number in range(ROUNDS):
            if number == KILLED_AT:
                kafka.stop(coordinator if coordinator != CONTROLLER_NODE else 2)
            application.write(WORDS)

        assert application.counts() == {word: [*range(1, ROUNDS + 1)] for word in WORDS.split()}
        tasks = [application.tasks(instance).active for instance in ("one", "two")]
        application.close_all()
    assert [len(each) for each in tasks] == [2, 2]
