"""Resets of a running broker, with real clients; most of them stay connected."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # no types there
import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer

from antechamber import Cluster
from antechamber.admin_client import AdminClient
from integration.machine.deadlines import eventually

WITHIN_S = 60
RESETS = 1_000


def test_a_kafka_python_producer_and_a_group_continue() -> None:
    """Both request the metadata again; the group joins anew and reads the new topic."""
    with Cluster(topics=["orders"]) as kafka:
        producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
        consumer = KafkaConsumer(
            "orders",
            bootstrap_servers=kafka.bootstrap,
            group_id="g",
            auto_offset_reset="earliest",
            metadata_max_age_ms=1000,
        )
        for value in (b"before", b"after"):
            assert producer.send("orders", value).get(timeout=WITHIN_S).offset == 0
            read: list[bytes] = []
            eventually(
                lambda read=read: (  # type: ignore[misc]  # the list of this round
                    read.extend(
                        each.value
                        for records in consumer.poll(timeout_ms=100).values()
                        for each in records
                    )
                    or read
                ),
                f"the record {value!r}",
                within=WITHIN_S,
            )
            assert read == [value]
            kafka.reset()
        producer.close()
        consumer.close(autocommit=False)


def test_a_confluent_producer_continues_at_offset_0() -> None:
    """Also one that is idempotent, whose producer id the new partition does not know."""
    with Cluster(topics=["orders"]) as kafka:
        producer = Producer(
            {
                "bootstrap.servers": kafka.bootstrap,
                "enable.idempotence": True,
                "topic.metadata.refresh.interval.ms": 500,
            }
        )
        offsets: list[int | None] = []

        def delivered(error: object, message: Message) -> None:
            assert error is None
            offsets.append(message.offset())

        for _ in range(2):
            producer.produce("orders", b"one", partition=0, on_delivery=delivered)
            assert producer.flush(WITHIN_S) == 0
            kafka.reset()
        assert offsets == [0, 0]


def test_a_waiting_fetch_ends_and_the_consumer_reads_the_new_topic() -> None:
    """A consumer without a group, at offset 0 before and after."""
    with Cluster(topics=["orders"]) as kafka:
        consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "unused"})
        consumer.assign([TopicPartition("orders", 0, 0)])
        consumer.poll(0.1)
        kafka.wait_parked("Fetch", topic="orders", timeout=WITHIN_S)

        assert kafka.reset()["parked_requests"] == 1

        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        producer.produce("orders", b"after", partition=0)
        assert producer.flush(WITHIN_S) == 0
        message = eventually(lambda: consumer.poll(0.1), "the record", within=WITHIN_S)
        assert message is not None
        assert message.value() == b"after"
        consumer.close()


def send_to_new_topic(kafka: Cluster, topic: str) -> None:
    """The producer is closed: it would create the topic again after a reset."""
    with closing(KafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")) as producer:
        producer.send(topic, b"one").get(timeout=WITHIN_S)


def test_three_nodes_are_clean_after_a_restart(tmp_path: Path) -> None:
    """A stopped node runs again, and nothing that was removed comes back."""
    options = {"brokers": 3, "data_dir": tmp_path}
    with Cluster(**options) as kafka:  # type: ignore[arg-type]  # the same options twice
        send_to_new_topic(kafka, "made")
        kafka.stop(3)

        removed = kafka.reset()

        assert (removed["topics"], removed["started"]) == (1, [3])
        assert kafka.cluster()["topics"] == []
    with Cluster(**options) as kafka:  # type: ignore[arg-type]  # the same options twice
        assert kafka.cluster()["topics"] == []
    assert not list(tmp_path.glob("*/made-*"))


def _state(kafka: Cluster) -> tuple[int, int]:
    """The open descriptors of the broker, and the tasks of all its timers."""
    nodes = AdminClient(kafka.admin).call("GET", "/v1/statistics")["nodes"]
    tasks = sum(timer["pending"] for node in nodes for timer in node["timers"])
    return len(os.listdir(f"/proc/{kafka.pid}/fd")), tasks


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are counted in /proc")
def test_a_thousand_resets_leak_nothing() -> None:
    """Neither descriptors nor tasks of timers, and memory stays within a few megabytes."""
    with Cluster(topics=["orders:3"]) as kafka:

        def use_and_reset(times: int) -> None:
            for number in range(times):
                if number % 50 == 0:
                    send_to_new_topic(kafka, f"made-{number}")
                kafka.reset()

        use_and_reset(200)
        before, memory = _state(kafka), psutil.Process(kafka.pid).memory_info().rss
        use_and_reset(RESETS - 200)

        def is_no_more() -> bool:
            # Files of the last reset may still be open in `before`, so it can be fewer now.
            return all(now <= then for now, then in zip(_state(kafka), before, strict=True))

        eventually(is_no_more, f"at most {before} descriptors and tasks", within=WITHIN_S)
        assert psutil.Process(kafka.pid).memory_info().rss < memory + (16 << 20)
