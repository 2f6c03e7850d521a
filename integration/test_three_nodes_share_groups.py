"""confluent-kafka's ShareConsumer with three nodes, one of which is killed on the way.

Two consumers accept numbered records explicitly. In the end each record was accepted, and none of
them twice: an acceptance that the broker has confirmed is stored. What happens under all orders of
such faults is checked by ``tests/simulation/share_groups``.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from confluent_kafka import KafkaException, Producer, ShareConsumer

from antechamber import Cluster
from integration.clients.group_configs import set_group_configs
from integration.machine.deadlines import eventually

GROUP, TOPIC = "workers", "work"
RECORDS = 400
STATE_TOPIC = "__share_group_state"
# Longer than a client needs to connect again and to fetch.
QUIET_SECONDS = 5


@pytest.fixture
def kafka() -> Iterator[Cluster]:
    """A topic that is writable without one node, and a group that begins with its first record."""
    config: dict[str, str | int] = {
        "min.insync.replicas": 2,
        "replica.lag.time.max.ms": 1000,
        "share.coordinator.state.topic.num.partitions": 1,
        "group.share.min.heartbeat.interval.ms": 500,
        "group.share.heartbeat.interval.ms": 500,
        "group.share.record.lock.duration.ms": 15_000,
    }
    with Cluster(3, topics=[f"{TOPIC}:1:3"], config=config) as kafka:
        set_group_configs(kafka.bootstrap, GROUP, {"share.auto.offset.reset": "earliest"})
        yield kafka


class Workers:
    """Share consumers, each in a thread.

    ``accepted`` counts the confirmed acceptances of each record; ``unconfirmed`` are records of
    which an acceptance had no response or an error, so that it may be stored or not.
    """

    def __init__(self, bootstrap: str) -> None:
        self.accepted: Counter[int] = Counter()
        self.unconfirmed: set[int] = set()
        self._settings = {
            "bootstrap.servers": bootstrap,
            "group.id": GROUP,
            "share.acknowledgement.mode": "explicit",
        }
        self._ended = Event()

    def run(self) -> None:
        """Accept records until `stop`."""
        consumer = ShareConsumer(self._settings)
        consumer.subscribe([TOPIC])
        while not self._ended.is_set():
            numbers = []
            for message in consumer.poll(0.2):
                if message.error() is None:
                    numbers.append(int(message.value() or b""))
                    consumer.acknowledge(message)
            if numbers and self._commit(consumer):
                self.accepted.update(numbers)
            else:
                self.unconfirmed.update(numbers)
        consumer.close()

    def _commit(self, consumer: ShareConsumer) -> bool:
        """Whether the broker has confirmed the acceptances of the only partition."""
        try:
            return all(error is None for error in consumer.commit_sync(30).values())
        except KafkaException:
            return False

    def have_all(self) -> bool:
        """Whether each record has been delivered and accepted."""
        return self.accepted.keys() | self.unconfirmed == set(range(RECORDS))

    def stop(self) -> None:
        """End the threads."""
        self._ended.set()


def _leader(kafka: Cluster, topic: str) -> int:
    [found] = [each for each in kafka.cluster()["topics"] if each["name"] == topic]
    return int(found["partitions"][0]["leader"])


def _produce(producer: Producer, numbers: range) -> None:
    for number in numbers:
        producer.produce(TOPIC, str(number).encode())
        producer.poll(0)
        time.sleep(0.002)


@pytest.mark.parametrize("of_topic", [TOPIC, STATE_TOPIC])
def test_accepted_records_are_not_delivered_again(kafka: Cluster, of_topic: str) -> None:
    """The leader of the topic is killed, or the share coordinator."""
    workers = Workers(kafka.bootstrap)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "enable.idempotence": True})
    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(workers.run) for _ in range(2)]
        try:
            _produce(producer, range(RECORDS // 2))
            eventually(lambda: len(workers.accepted) > RECORDS // 4, "some are accepted")
            victim = _leader(kafka, of_topic)
            kafka.stop(victim)
            _produce(producer, range(RECORDS // 2, RECORDS))
            assert producer.flush(60) == 0
            eventually(workers.have_all, "all are accepted")
            kafka.start(victim)
            kafka.wait_in_sync(timeout=60)
            time.sleep(QUIET_SECONDS)
        finally:
            workers.stop()
        for each in running:
            each.result()

    assert max(workers.accepted.values()) == 1
    assert len(workers.accepted) > RECORDS // 2
