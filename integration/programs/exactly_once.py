"""Kafka Streams with exactly-once processing: one of two instances is killed while it counts."""

from __future__ import annotations

import struct
import time
from collections import defaultdict
from collections.abc import Mapping
from functools import partial

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from integration.kafka.jars import KAFKA_VERSION
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess
from integration.programs.java_programs import LOGGING, compiled, running
from integration.programs.program import Place, Program, maven_jars

PARTITIONS = 4
WORDS = [f"word-{number}" for number in range(7)]
BEFORE, DURING, AFTER = 300, 2000, 300
_KILLED_AT = DURING // 2
_PAUSE_SECONDS = 0.002
_LIMIT_SECONDS = 120


def _exactly_once(place: Place) -> None:
    """The committed counts of each word are 1, 2, 3, ... without a gap or a repetition."""
    jars = maven_jars(
        f"streams-{KAFKA_VERSION}", f"org.apache.kafka:kafka-streams:{KAFKA_VERSION}", LOGGING
    )
    command = compiled("ExactlyOnceCount", jars, place.folder)
    _create_topics(place.bootstrap)
    words = _Words(place.bootstrap)
    words.write(BEFORE)
    folders = [place.folder / name for name in ("first", "second")]
    commands = [[*command, place.bootstrap, str(folder / "state")] for folder in folders]
    with (
        running(commands[0], folders[0]) as first,
        running(commands[1], folders[1]) as second,
    ):
        for instance in (first, second):
            eventually(partial(_tasks, instance), "tasks", within=_LIMIT_SECONDS)
        for number in range(DURING):
            if number == _KILLED_AT:
                second.kill()
            words.write(1)
            time.sleep(_PAUSE_SECONDS)
        words.write(AFTER)
        wanted = {word: list(range(1, count + 1)) for word, count in words.written.items()}
        counts = _committed_counts(place.bootstrap, sum(words.written.values()))
        first.stop(within=60)
    assert counts == wanted
    assert _committed_counts(place.bootstrap, 0) == wanted


class _Words:
    """Writes words to the topic, and counts them."""

    def __init__(self, bootstrap: str) -> None:
        settings = {"bootstrap.servers": bootstrap, "enable.idempotence": True, "log_level": 0}
        self._producer = Producer(settings)
        self.written: dict[str, int] = dict.fromkeys(WORDS, 0)

    def write(self, count: int) -> None:
        """Write the next words, and wait for their acknowledgements."""
        for _ in range(count):
            word = WORDS[sum(self.written.values()) % len(WORDS)]
            self.written[word] += 1
            self._producer.produce("words", word, partition=self.written[word] % PARTITIONS)
        assert self._producer.flush(60) == 0


def _create_topics(bootstrap: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    topics = [NewTopic(name, num_partitions=PARTITIONS) for name in ("words", "counts")]
    for created in admin.create_topics(topics).values():
        created.result(60)


def _tasks(instance: ServerProcess) -> int:
    """The number of tasks that an instance printed last."""
    assert instance.exit_code is None, instance.stderr()[-3000:]
    lines = instance.stdout().splitlines()
    return int(lines[-1].split()[1]) if lines else 0


def _committed_counts(bootstrap: str, at_least: int) -> Mapping[str, list[int]]:
    """The committed counts of each word, in order: to the end, and at least so many records."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "check",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "log_level": 0,
        }
    )
    consumer.assign([TopicPartition("counts", index, 0) for index in range(PARTITIONS)])
    counts: dict[str, list[int]] = defaultdict(list)
    ended: set[int] = set()

    def all_read() -> bool:
        message = consumer.poll(1)
        if message is None:
            return False
        error = message.error()
        if error is None:
            ended.discard(message.partition() or 0)
            (count,) = struct.unpack(">q", message.value() or b"")
            counts[(message.key() or b"").decode()].append(count)
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - the name of a public constant
            ended.add(message.partition() or 0)
        return len(ended) == PARTITIONS and sum(map(len, counts.values())) >= at_least

    eventually(all_read, f"{at_least} committed counts", within=_LIMIT_SECONDS)
    consumer.close()
    return dict(counts)


PROGRAMS = (
    Program(
        "Kafka Streams, exactly once",
        KAFKA_VERSION,
        "two instances count with a store; one is killed, and no count is lost or repeated",
        _exactly_once,
    ),
)
