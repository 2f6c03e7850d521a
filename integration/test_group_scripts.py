"""The group scripts of tests/, played to a real Kafka, give the responses that they expect.

Scripts that need features of our broker (a lagging log, a restart) and long ones are left out. All
run concurrently, each in a group of its own. One with other responses is repeated alone, at most
twice: the waits of a script are in real time, and a busy machine prolongs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from integration.groups.remote_world import RemoteWorld
from integration.groups.scripts import SCRIPTS, expected, played, plays_anywhere
from integration.kafka.real_kafka import RealKafka
from tests.broker.api.handlers.groups.bad_group_input import CASES, EXPECTED, line
from tests.broker.groups.script import Script

pytestmark = pytest.mark.jvm

_AS_IN_SCRIPTS = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "100",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",
}
# The configurations of scripts; each Kafka has all settings of one line.
_OTHER_SETTINGS = (
    {"group.initial.rebalance.delay.ms": "1500"},
    {"group.max.size": "2", "group.consumer.max.size": "2"},
)
_AT_ONCE = 8
_REPEATS_MAX = 2
_SCRIPTS = {
    path: Script.parse(path.read_text())
    for path in sorted(SCRIPTS.glob("*.txt"))
    if plays_anywhere(path, within_ms=8000)
}
_SETTINGS = {
    path: settings
    for path, script in _SCRIPTS.items()
    for settings in ({}, *_OTHER_SETTINGS)
    if script.config.items() <= settings.items() and bool(script.config) == bool(settings)
}
# A new Kafka is slow at first; the responses to this script are ignored.
_WARMS_UP = Script.parse("enter a\nheartbeat a\n----\n")


class Played(NamedTuple):
    """The responses to a script, and the Kafka that it was played to."""

    responses: Future[list[list[str]]]
    bootstrap: str


@pytest.fixture(scope="module")
def plays() -> Iterator[dict[Path, Played]]:
    """Each script, played to a Kafka with its configuration."""
    with ExitStack() as running:
        pool = running.enter_context(ThreadPoolExecutor(_AT_ONCE))
        begun = {}
        for settings in ({}, *_OTHER_SETTINGS):
            kafka = running.enter_context(
                RealKafka(properties=_AS_IN_SCRIPTS | settings, heap="256M", quick=True)
            )
            played(_WARMS_UP, kafka.bootstrap)
            for path in _SETTINGS:
                if _SETTINGS[path] == settings:
                    responses = pool.submit(played, _SCRIPTS[path], kafka.bootstrap)
                    begun[path] = Played(responses, kafka.bootstrap)
            if not settings:
                responses = pool.submit(_bad_input, kafka.bootstrap)
                begun[EXPECTED] = Played(responses, kafka.bootstrap)
        yield begun


@pytest.mark.parametrize("path", _SETTINGS, ids=lambda path: path.stem)
def test_kafka_gives_the_responses_of_the_script(plays: dict[Path, Played], path: Path) -> None:
    """The same commands give the same responses, in any order and at any time."""
    script, play = _SCRIPTS[path], plays[path]
    responses = play.responses.result()
    for _ in range(_REPEATS_MAX):
        if responses == expected(script):
            break
        responses = played(script, play.bootstrap)

    assert responses == expected(script)


def test_kafka_rejects_bad_input_as_expected(plays: dict[Path, Played]) -> None:
    """The errors and messages that our broker's tests expect are Kafka's."""
    assert plays[EXPECTED].responses.result() == [EXPECTED.read_text().splitlines()]


def _bad_input(bootstrap: str) -> list[list[str]]:
    world = RemoteWorld(bootstrap, prefix="")
    try:
        world.put_topic("t", 1)
        return [[line(case, world.request(case.body, case.version)) for case in CASES]]
    finally:
        world.close()
