"""Programs in Python: stream processors and task queues."""

from __future__ import annotations

import subprocess
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # exported at run time

from integration.programs.program import Place, Program, python_with

_SCRIPTS = Path(__file__).parent / "python"
_WITHIN_SECONDS = 120
_QUIX_VERSION = "3.28.1"
_CELERY_VERSION = "5.7.0"
_FAUST_VERSION = "0.15.3"
_FASTSTREAM_VERSION = "0.7.8"


def _printed(python: Path, script: str, *arguments: str) -> list[str]:
    """Return the words of the last line that a script prints; it must succeed."""
    command: list[str | Path] = [python, _SCRIPTS / f"{script}.py", *arguments]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=_WITHIN_SECONDS
    )
    assert done.returncode == 0, done.stderr[-3000:]
    words: list[str] = done.stdout.splitlines()[-1].split()
    return words


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


PROGRAMS = (
    Program("Quix Streams", _QUIX_VERSION, "a sum with a store and its changelog topic", _quix),
    Program("Celery", _CELERY_VERSION, "a worker runs a task by kombu's Kafka transport", _celery),
    Program("Faust", _FAUST_VERSION, "an agent counts the words of a topic", _faust),
    Program("FastStream", _FASTSTREAM_VERSION, "a subscriber receives messages", _faststream),
)
