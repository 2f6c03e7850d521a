"""Java's KafkaShareConsumer in both modes; ``--against kafka`` runs it on a real Kafka.

Records are printed as offset#delivery count, as `integration/java/ShareConsumers.java` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from antechamber import Cluster
from integration.clients.api_uses import ApiUses
from integration.clients.group_configs import set_group_configs
from integration.kafka.java_program import Command, commands, java_command
from integration.kafka.source import start_kafka

pytestmark = pytest.mark.jvm

_SOURCE = Path(__file__).parent / "java" / "ShareConsumers.java"
_LOCK_MS = 2000
# The lower limits of these keys allow short intervals of a group.
_SETTINGS = {
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "500",
    "group.share.assignment.interval.ms": "0",
}


@pytest.fixture(scope="module")
def bootstrap(against: str, api_uses: ApiUses) -> Iterator[str]:
    """A broker with short heartbeat intervals for share groups."""
    if against == "kafka":
        with start_kafka(1, _SETTINGS) as kafka:
            yield kafka.bootstrap
    else:
        with Cluster(config=_SETTINGS, records=api_uses.records()) as cluster:
            yield cluster.bootstrap


@pytest.fixture(scope="module")
def run(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """The Java program, with the consumers of all tests."""
    command = java_command(_SOURCE, "ShareConsumers", tmp_path_factory.mktemp("classes"))
    with commands([*command, bootstrap]) as run:
        yield run


class Members:
    """The share consumers of one test: of one group and one topic."""

    def __init__(self, run: Command, bootstrap: str, group: str, topic: str) -> None:
        self.topic = topic
        self._run = run
        self._bootstrap = bootstrap
        self._group = group
        self._opened: list[str] = []

    def set(self, **configs: str | int) -> None:
        """Set ``share.*`` settings of the group; write `_` for `.`."""
        given = {f"share.{name.replace('_', '.')}": value for name, value in configs.items()}
        set_group_configs(self._bootstrap, self._group, given)

    def produce(self, count: int) -> None:
        """Append one batch of records."""
        settings = {"bootstrap.servers": self._bootstrap, "linger.ms": 500}
        producer = Producer(settings)
        for number in range(count):
            producer.produce(self.topic, str(number), partition=0)
        assert producer.flush(60) == 0

    def open(self, name: str, **settings: str | int) -> None:
        """Make a consumer of the group with these settings; write `_` for `.`."""
        given = {"group.id": self._group, **{k.replace("_", "."): v for k, v in settings.items()}}
        words = " ".join(f"{key}={value}" for key, value in given.items())
        self._opened.append(name)
        assert self._run(f"open {name} {words}") == "ok"

    def join(self, name: str, mode: str = "implicit", **settings: str | int) -> None:
        """Make a consumer that is subscribed to the topic."""
        self.open(name, share_acknowledgement_mode=mode, **settings)
        assert self(f"subscribe {name} {self.topic}") == "ok"

    def __call__(self, words: str) -> str:
        """Run a command."""
        return self._run(words)

    def close(self) -> None:
        """Close the consumers, also closed ones."""
        for name in self._opened:
            self._run(f"close {name}")


@pytest.fixture
def members(run: Command, bootstrap: str, group: str, topic: str) -> Iterator[Members]:
    """Members of a group that reads from the first record."""
    members = Members(run, bootstrap, group, topic)
    members.set(auto_offset_reset="earliest", record_lock_duration_ms=_LOCK_MS)
    yield members
    members.close()


def test_the_next_poll_accepts_implicitly(members: Members) -> None:
    """The callback has the offsets; the records are not delivered again."""
    members.produce(3)
    members.join("a")

    assert members("poll a 3") == "0#1 1#1 2#1"
    assert members("callbacks a") == "[0, 1, 2]: ok"
    assert members("close a") == "ok"
    members.join("b")
    assert members("once b 3000") == "nothing"


def test_commit_sync_accepts_implicitly(members: Members) -> None:
    """The result has an entry for each partition, and nothing is pending after it."""
    members.produce(2)
    members.join("a")

    assert members("poll a 2") == "0#1 1#1"
    assert members("commitSync a") == "{0=ok}"
    assert members("callbacks a") == "[0, 1]: ok"
    assert members("commitSync a") == "nothing"


def test_a_record_is_acknowledged_in_explicit_mode_only(members: Members) -> None:
    """With implicit acknowledgement the client refuses it."""
    members.produce(1)
    members.join("a")

    assert members("poll a 1") == "0#1"
    assert members("acknowledge a 0 ACCEPT") == "IllegalStateException"


def test_accepted_released_and_rejected_records(members: Members) -> None:
    """Only released records are delivered again, with a higher count."""
    members.produce(4)
    members.join("a", "explicit")

    assert members("poll a 4") == "0#1 1#1 2#1 3#1"
    assert members("acknowledge a 0") == "ok"
    assert members("acknowledge a 1 RELEASE") == "ok"
    assert members("acknowledge a 2 REJECT") == "ok"
    assert members("acknowledge a 3 RELEASE") == "ok"
    assert members("commitSync a") == "{0=ok}"
    assert members("poll a 2") == "1#2 3#2"


def test_a_poll_requires_that_all_records_are_acknowledged(members: Members) -> None:
    """In explicit mode; the position of a record is only for one that could not be decoded."""
    members.produce(2)
    members.join("a", "explicit")

    assert members("poll a 2") == "0#1 1#1"
    assert members("acknowledge a 0") == "ok"
    assert members("once a 100") == "IllegalStateException"
    assert members("at a 0 1 ACCEPT") == "IllegalStateException"
    assert members("acknowledge a 1") == "ok"
    assert members("once a 100") == "nothing"


def test_commit_async_calls_the_callback(members: Members) -> None:
    """It is called by a later poll, with the offsets of the commit."""
    members.produce(2)
    members.join("a", "explicit")

    assert members("poll a 2") == "0#1 1#1"
    assert members("acknowledge a 0") == "ok"
    assert members("acknowledge a 1 RELEASE") == "ok"
    assert members("commitAsync a") == "ok"
    assert members("callbacks a") == "[0, 1]: ok"


def test_records_are_delivered_again_when_their_lock_expires(members: Members) -> None:
    """Another consumer gets them; the acknowledgements of the first one fail."""
    members.produce(2)
    members.join("a", "explicit")
    assert members("poll a 2") == "0#1 1#1"
    assert members("lock a") == str(_LOCK_MS)

    members.join("b", "explicit")
    assert members("poll b 2") == "0#2 1#2"
    assert members("acknowledge a 0") == "ok"
    assert members("acknowledge a 1") == "ok"
    assert members("commitSync a") == "{0=InvalidRecordStateException}"
    assert members("callbacks a") == "[0, 1]: InvalidRecordStateException"


def test_a_renewed_lock_does_not_expire(members: Members) -> None:
    """A renewed record remains with its consumer, and must be polled before it is accepted."""
    members.set(record_lock_duration_ms=2 * _LOCK_MS)
    members.produce(1)
    members.join("a", "explicit")
    members.join("b", "explicit")
    assert members("poll a 1") == "0#1"

    for _ in range(2):
        assert members(f"once b {_LOCK_MS + 500}") == "nothing"
        assert members("acknowledge a 0 RENEW") == "ok"
        assert members("commitSync a") == "{0=ok}"
        assert members("acknowledge a 0 ACCEPT") == "IllegalStateException"
        assert members("poll a 1") == "0#1"
    assert members("acknowledge a 0 ACCEPT") == "ok"
    assert members("commitSync a") == "{0=ok}"


def test_the_delivery_count_is_limited(members: Members) -> None:
    """A record that is released as often as the limit is not delivered again."""
    members.set(delivery_count_limit=2)
    members.produce(1)
    members.join("a", "explicit")

    for count in (1, 2):
        assert members("poll a 1") == f"0#{count}"
        assert members("acknowledge a 0 RELEASE") == "ok"
        assert members("commitSync a") == "{0=ok}"
    assert members("once a 1000") == "nothing"


@pytest.mark.parametrize(("mode", "again"), [("implicit", "0#2 1#2 2#2"), ("explicit", "1#2 2#2")])
def test_close_releases_what_is_not_acknowledged(members: Members, mode: str, again: str) -> None:
    """Another consumer gets the records at once; implicitly only a poll or a commit accepts."""
    members.set(record_lock_duration_ms=30_000)
    members.produce(3)
    members.join("a", mode)
    assert members("poll a 3") == "0#1 1#1 2#1"
    if mode == "explicit":
        assert members("acknowledge a 0 ACCEPT") == "ok"
    assert members("close a") == "ok"

    members.join("b")
    assert members(f"poll b {len(again.split())}") == again


def test_a_batch_is_split_with_a_record_limit(members: Members) -> None:
    """By default a poll may return the whole batch."""
    members.produce(4)
    members.join("a", max_poll_records=3, share_acquire_mode="record_limit")
    assert members("poll a 4") == "0#1 1#1 2#1 | 3#1"


def test_a_wakeup_ends_a_poll(members: Members) -> None:
    """The next poll throws; the one after it returns records."""
    members.produce(1)
    members.join("a")

    assert members("wakeup a") == "ok"
    assert members("once a 30000") == "WakeupException"
    assert members("poll a 1") == "0#1"


def test_a_consumer_must_be_subscribed(members: Members) -> None:
    """A poll without a subscription throws; an absent topic has no records."""
    members.open("a")

    assert members("once a 100") == "IllegalStateException"
    assert members(f"subscribe a {members.topic}-absent") == "ok"
    assert members("subscription a") == f"[{members.topic}-absent]"
    assert members("once a 1000") == "nothing"
    assert members("unsubscribe a") == "ok"
    assert members("subscription a") == "[]"


def test_only_new_records_are_delivered_by_default(members: Members) -> None:
    """``share.auto.offset.reset`` is ``latest``."""
    members.set(auto_offset_reset="latest")
    members.produce(2)
    members.join("a")
    assert members("once a 3000") == "nothing"

    members.produce(1)
    assert members("poll a 1") == "2#1"
