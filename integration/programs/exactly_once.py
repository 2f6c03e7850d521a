"""Kafka Streams with exactly-once processing: one of two instances is killed while it counts."""

from __future__ import annotations

import time
from functools import partial

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from integration.kafka.jars import KAFKA_VERSION
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess
from integration.programs.java_programs import compiled, running, streams_jars
from integration.programs.program import Place, Program
from integration.streams.counts import committed_counts

PARTITIONS = 4
WORDS = [f"word-{number}" for number in range(7)]
BEFORE, DURING, AFTER = 300, 2000, 300
_KILLED_AT = DURING // 2
_PAUSE_SECONDS = 0.002
_LIMIT_SECONDS = 120


def _exactly_once(place: Place, protocol: str) -> None:
    """The committed counts of each word are 1, 2, 3, ... without a gap or a repetition."""
    command = compiled("ExactlyOnceCount", streams_jars(), place.folder)
    _create_topics(place.bootstrap)
    words = _Words(place.bootstrap)
    words.write(BEFORE)
    folders = [place.folder / name for name in ("first", "second")]
    commands = [[*command, place.bootstrap, str(each / "state"), protocol] for each in folders]
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
        written = sum(words.written.values())
        counts = committed_counts(place.bootstrap, "counts", PARTITIONS, written)
        first.stop(within=60)
    assert counts == wanted
    assert committed_counts(place.bootstrap, "counts", PARTITIONS) == wanted


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


PROGRAMS = tuple(
    Program(
        f"Kafka Streams, exactly once, {protocol} protocol",
        KAFKA_VERSION,
        "two instances count with a store; one is killed, and no count is lost or repeated",
        partial(_exactly_once, protocol=protocol),
    )
    for protocol in ("classic", "streams")
)
