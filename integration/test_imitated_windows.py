"""The broker works without the calls and freedoms that only POSIX systems have.

It runs in `integration/processes/imitated_windows.py`. Windows itself is tested by the workflow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

from antechamber import Cluster, StartError, broker_process
from integration.machine.deadlines import eventually
from integration.processes import imitated_windows

START = Path(imitated_windows.__file__)


@pytest.fixture
def windows(against: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Cluster]:
    """`Cluster`, whose process imitates Windows."""
    if against != "antechamber":
        pytest.skip("tests our own process")
    if not sys.platform.startswith("linux"):
        pytest.skip("needs /proc, to know which files are open")

    def command(arguments: Sequence[str]) -> list[str]:
        return [sys.executable, str(START), "broker", *arguments]

    monkeypatch.setattr(broker_process, "command", command)
    return Cluster


def test_records_survive_a_restart(windows: Callable[..., Cluster], tmp_path: Path) -> None:
    """Of three nodes with segments that are rolled, in directories that are locked meanwhile."""
    with windows(3, data_dir=tmp_path / "data", topics=["orders:1:3", "gone:2:3"]) as kafka:
        produce(kafka, "orders", [b"%d" % number for number in range(30)])
        with pytest.raises(StartError, match="is in use by another process"):
            windows(3, data_dir=tmp_path / "data")
        with KafkaAdminClient(bootstrap_servers=kafka.bootstrap) as admin:
            admin.delete_topics(["gone"])
    with windows(3, data_dir=tmp_path / "data") as kafka:
        assert [topic["name"] for topic in kafka.cluster()["topics"]] == ["orders"]
        assert [value[-2:] for value in consume(kafka, "orders")][-1] == b"29"


def test_old_segments_are_deleted_and_compacted(
    windows: Callable[..., Cluster], tmp_path: Path
) -> None:
    """Their files are renamed while fetches have them open."""
    config = {
        "log.segment.bytes": 1 << 20,
        "log.retention.bytes": 1 << 20,
        "log.retention.check.interval.ms": 100,
        "log.segment.delete.delay.ms": 100,
        "log.cleaner.backoff.ms": 100,
        "log.cleaner.min.cleanable.ratio": 0,
    }
    with windows(config=config, topics=["deleted"], data_dir=tmp_path) as kafka:
        create(kafka, "compacted", {"cleanup.policy": "compact"})
        for topic in ("deleted", "compacted"):
            produce(kafka, topic, [b"%d" % number for number in range(30)])
        eventually(lambda: first_offset(kafka, "deleted") > 0, "retention", within=30)
        eventually(lambda: len(consume(kafka, "compacted")) < 20, "compaction", within=30)
        assert consume(kafka, "compacted")[-1].endswith(b"29")
        eventually(lambda: not [*tmp_path.rglob("*.deleted")], "the removal of files", within=30)
        assert not list(tmp_path.rglob("*.swap"))


def produce(kafka: Cluster, topic: str, ends: Sequence[bytes]) -> None:
    """Produce records of 200 kB with these ends and one key."""
    with KafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all") as producer:
        for end in ends:
            producer.send(topic, key=b"key", value=os.urandom(200_000) + end).get(timeout=30)


def consume(kafka: Cluster, topic: str) -> list[bytes]:
    """The values of all records of the topic."""
    partition = TopicPartition(topic, 0)
    with KafkaConsumer(bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest") as consumer:
        consumer.assign([partition])
        end = consumer.end_offsets([partition])[partition]
        found: list[bytes] = []
        while consumer.position(partition) < end:
            found += [each.value for each in consumer.poll(1000).get(partition, ())]
        return found


def first_offset(kafka: Cluster, topic: str) -> int:
    """The first offset of the topic's log."""
    partition = TopicPartition(topic, 0)
    with KafkaConsumer(bootstrap_servers=kafka.bootstrap) as consumer:
        return int(consumer.beginning_offsets([partition])[partition])


def create(kafka: Cluster, topic: str, configs: dict[str, str]) -> None:
    """Create a topic of one partition."""
    with KafkaAdminClient(bootstrap_servers=kafka.bootstrap) as admin:
        admin.create_topics([NewTopic(topic, 1, 1, topic_configs=configs)])
