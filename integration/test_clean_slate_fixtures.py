"""The fixtures clean_kafka_cluster and kafka_prefix, with a real client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from integration.machine.deadlines import ENDS_WITHIN_S

TESTS = """
import time

import pytest
from kafka import KafkaConsumer, KafkaProducer


@pytest.fixture(scope="module")
def producers():
    opened = []
    yield opened
    for producer in opened:
        producer.close()


def names(cluster):
    return [topic["name"] for topic in cluster.cluster()["topics"]]


def produce(cluster, topic):
    with KafkaProducer(bootstrap_servers=cluster.bootstrap) as producer:
        producer.send(topic, b"one").get(timeout=30)


@pytest.mark.parametrize("number", range(3))
def test_a_clean_cluster_has_no_topic_of_another_test(clean_kafka_cluster, number):
    assert names(clean_kafka_cluster) == []
    produce(clean_kafka_cluster, "orders")
    clean_kafka_cluster.faults.add("error", api="Produce", error="INVALID_RECORD")
    clean_kafka_cluster.clock.freeze()


def test_a_clean_cluster_has_neither_faults_nor_an_adjusted_clock(clean_kafka_cluster):
    assert clean_kafka_cluster.faults.all() == []
    assert clean_kafka_cluster.clock.state()["speed"] == 1


@pytest.mark.parametrize("number", range(2))
def test_a_connection_survives(clean_kafka_cluster, producers, number):
    if not producers:
        producers.append(KafkaProducer(bootstrap_servers=clean_kafka_cluster.bootstrap))
    assert producers[0].send("payments", b"one").get(timeout=30).offset == 0


def test_a_prefix_names_topics_and_groups(kafka_cluster, kafka_prefix):
    produce(kafka_cluster, "kept")
    produce(kafka_cluster, kafka_prefix + "orders")
    with KafkaConsumer(
        kafka_prefix + "orders",
        bootstrap_servers=kafka_cluster.bootstrap,
        group_id=kafka_prefix + "billing",
        auto_offset_reset="earliest",
    ) as consumer:
        assert next(consumer).value == b"one"


def test_what_has_the_prefix_is_gone(kafka_cluster):
    assert [name for name in names(kafka_cluster) if not name.startswith("__")] == ["kept"]
"""


def test_each_test_begins_clean(against: str, tmp_path: Path) -> None:
    """A user's tests pass, which use the same names again and leave everything behind."""
    (tmp_path / "test_orders.py").write_text(TESTS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout
    assert "8 passed" in ran.stdout
