"""Programs in Python: stream processors, task queues and a monitor."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # exported at run time

from integration.programs.program import Place, Program, python_with

_SCRIPTS = Path(__file__).parent / "python"
_WITHIN_SECONDS = 120
_QUIX_VERSION = "3.28.1"
_CELERY_VERSION = "5.7.0"
_FAUST_VERSION = "0.15.3"
_FASTSTREAM_VERSION = "0.7.8"
_KAFKATOP_VERSION = "1.16"


def _printed(python: Path, script: str, *arguments: str) -> list[str]:
    """Return the words of the last line that a script prints."""
    printed = _output([python, _SCRIPTS / f"{script}.py", *arguments])
    words: list[str] = printed.splitlines()[-1].split()
    return words


def _output(command: Sequence[str | Path]) -> str:
    """Return what a program prints; it must succeed."""
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=_WITHIN_SECONDS
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _quix(place: Place) -> None:
    python = python_with(f"quixstreams-{_QUIX_VERSION}", f"quixstreams=={_QUIX_VERSION}")
    state = str(place.folder / "state")
    assert _printed(python, "quix_doubles", place.bootstrap, state) == [str(sum(range(20)))]


def _celery(place: Place) -> None:
    python = python_with(
        f"celery-{_CELERY_VERSION}", f"celery[pytest]=={_CELERY_VERSION}", "confluent-kafka==2.12.1"
    )
    result = str(place.folder / "result")
    assert _printed(python, "celery_adds", place.bootstrap, result) == ["5"]


def _faust(place: Place) -> None:
    python = python_with(f"faust-{_FAUST_VERSION}", f"faust-streaming=={_FAUST_VERSION}")
    # Faust does not detect a topic that is created after its first rebalance.
    admin = AdminClient({"bootstrap.servers": place.bootstrap})
    admin.create_topics([NewTopic("faust-words", 1)])["faust-words"].result(60)
    words = _printed(python, "faust_counts", place.bootstrap)
    assert words == ["a=3", "b=2", "c=1"]


def _faststream(place: Place) -> None:
    python = python_with(
        f"faststream-{_FASTSTREAM_VERSION}", f"faststream[confluent]=={_FASTSTREAM_VERSION}"
    )
    assert _printed(python, "faststream_echo", place.bootstrap) == [f"m{n}" for n in range(5)]


def _kafkatop(place: Place) -> None:
    python = python_with(f"kafkatop-{_KAFKATOP_VERSION}", f"kafkatop=={_KAFKATOP_VERSION}")
    admin = AdminClient({"bootstrap.servers": place.bootstrap})
    admin.create_topics([NewTopic("orders", 3)])["orders"].result(60)
    producer = Producer({"bootstrap.servers": place.bootstrap, "log_level": 0})
    for number in range(30):
        producer.produce("orders", str(number), partition=number % 3)
    assert producer.flush(60) == 0
    consumer = Consumer({"bootstrap.servers": place.bootstrap, "group.id": "late"})
    committed = [TopicPartition("orders", 0, 4), TopicPartition("orders", 1, 10)]
    consumer.commit(offsets=committed, asynchronous=False)
    consumer.close()
    command: list[str | Path] = [python, "-m", "kafkatop", "--kafka-broker", place.bootstrap]
    assert json.loads(_output([*command, "--summary-json", "--all"])) == {
        "late": {
            "state": "ConsumerGroupState.EMPTY",
            "topics": {"orders": {"partitions": 2, "lag_max": 6, "lag_min": 0}},
        }
    }
    described = json.loads(_output([*command, "--topicinfo-parts"]))["topics"]["orders"]
    assert described["partinfo"] == [
        {"id": index, "leader": 1, "replicas": [1], "nisrs": 1} for index in range(3)
    ]


PROGRAMS = (
    Program("Quix Streams", _QUIX_VERSION, "a sum with a store and its changelog topic", _quix),
    Program("Celery", _CELERY_VERSION, "a worker runs a task by kombu's Kafka transport", _celery),
    Program("Faust", _FAUST_VERSION, "an agent counts the words of a topic", _faust),
    Program("FastStream", _FASTSTREAM_VERSION, "a subscriber receives messages", _faststream),
    Program("kafkatop", _KAFKATOP_VERSION, "prints a group's lag and the replicas", _kafkatop),
)
