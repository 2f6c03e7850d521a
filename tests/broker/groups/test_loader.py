"""Groups are read from their log, some at a time (mirrors ``CoordinatorLoaderImplTest``)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.groups.coordinator_log import LogSlice
from broker.groups.group_states import GroupStates
from broker.groups.loader import Loader
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import RECORD_TYPES, RawRecord, Record, serialize
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from purgatories.timer.system_timer import SystemTimer
from tests.broker.groups.kept_log import KeptLog
from tests.protocol.random_messages import random_message
from tests.purgatories.manual_clock import ManualClock

T0 = TopicPartition("t", 0)


class Loading:
    """A loader of a log that is read two records at a time, and what came of it."""

    def __init__(self, log: KeptLog) -> None:
        log.read_max = 2
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.loaded: list[GroupStates] = []
        self.failures: list[tuple[int, str]] = []
        self.loader = Loader(self._timer, log, lambda: 0, self.loaded.append, self._on_failed)

    def _on_failed(self, offset: int, error: Exception) -> None:
        self.failures.append((offset, str(error)))

    def go_on(self) -> None:
        """Let the node do all that it has to do."""
        self._clock.advance_to(1000, self._timer)


class BrokenLog(KeptLog):
    """Fails when its second half is read."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self._failure = failure

    def read(self, offset: int) -> LogSlice:
        if offset >= 2:
            raise self._failure
        return super().read(offset)


def commit(group_id: str, offset: int = 1) -> RawRecord:
    """A record of an offset."""
    key = OffsetCommitKey(group=group_id, topic="t", partition=0)
    return serialize(Record(key, OffsetCommitValue(offset=offset, metadata="", commit_timestamp=0)))


def test_an_empty_log_is_loaded_at_once() -> None:
    """Nobody has to wait."""
    loading = Loading(KeptLog())
    loading.loader.run()

    (states,) = loading.loaded
    assert states.groups == {}


def test_what_fits_into_one_read_is_loaded_at_once() -> None:
    """Whoever asks then is never told that groups are being loaded."""
    log = KeptLog()
    log.append([commit("a"), commit("b")])
    loading = Loading(log)
    loading.loader.run()

    (states,) = loading.loaded
    assert list(states.groups) == ["a", "b"]


def test_more_than_that_is_loaded_in_turns() -> None:
    """The node serves others between two reads."""
    log = KeptLog()
    log.append([commit(f"g{number}") for number in range(7)])
    loading = Loading(log)
    loading.loader.run()
    assert loading.loaded == []

    loading.go_on()

    (states,) = loading.loaded
    assert len(states.groups) == 7


def test_loading_ends_where_the_log_ended_when_it_began() -> None:
    """Nobody can write before it is over, so nothing that belongs to these groups is behind it."""
    log = KeptLog()
    log.append([commit("a", offset) for offset in range(4)])
    loading = Loading(log)
    loading.loader.run()
    log.append([commit("b")] * 4)
    loading.go_on()

    (states,) = loading.loaded
    assert list(states.groups) == ["a"]


def test_the_last_record_of_a_key_counts() -> None:
    """And a tombstone deletes (testLoading)."""
    log = KeptLog()
    gone = serialize(Record(OffsetCommitKey(group="b", topic="t", partition=0)))
    log.append([commit("a", 5), commit("b"), commit("a", 7), gone])
    loading = Loading(log)
    loading.loader.run()
    loading.go_on()

    (states,) = loading.loaded
    assert {each: list(states.offsets.written(each)) for each in "ab"} == {"a": [T0], "b": []}
    assert states.offsets.written("a")[T0].offset == 7


def test_records_of_types_unknown_here_are_passed_over() -> None:
    """Mirrors testUnknownRecordTypeAreIgnored: another kind of group, or a newer broker."""
    log = KeptLog()
    log.append([RawRecord(b"\x7f\x00whatever", b"\x00\x00"), commit("a")])
    loading = Loading(log)
    loading.loader.run()

    (states,) = loading.loaded
    assert list(states.groups) == ["a"]


@pytest.mark.parametrize(
    "make_log",
    [
        lambda: BrokenLog(ApiError(ErrorCode.KAFKA_STORAGE_ERROR)),
        lambda: BrokenLog(CorruptRecords("not a batch")),
        KeptLog,
    ],
    ids=["disk", "batch", "record"],
)
def test_a_log_that_cannot_be_read_is_given_up(make_log: Callable[[], KeptLog]) -> None:
    """Mirrors testDeserializationErrorFailsTheLoading: nothing of it is handed over."""
    log = make_log()
    bad_version = RawRecord(serialize(Record(GroupMetadataKey(group="x"))).key, b"\x00\x63")
    log.append([commit("a"), commit("b"), bad_version, commit("c")])
    loading = Loading(log)
    loading.loader.run()
    loading.go_on()

    assert loading.loaded == []
    assert [offset for offset, _ in loading.failures] == [2]


def test_a_loader_that_is_cancelled_reads_no_further() -> None:
    """The partition has gone elsewhere meanwhile."""
    log = KeptLog()
    log.append([commit("a")] * 5)
    loading = Loading(log)
    loading.loader.run()
    loading.loader.cancel()
    loading.go_on()

    assert (loading.loaded, loading.failures) == ([], [])


def test_whatever_a_record_is_the_loader_ends() -> None:
    """Garbage, torn and mutated records fail the load with their offset, or are read."""
    rng = random.Random(15)
    for _ in range(500):
        whole = _any_record(rng)
        raw = rng.choice((whole, _torn(rng, whole), _mutated(rng, whole), _garbage(rng)))
        log = KeptLog()
        log.append([commit("a"), whole, raw])
        loading = Loading(log)
        loading.loader.run()
        loading.go_on()

        assert len(loading.loaded) + len(loading.failures) == 1
        assert all(offset in (1, 2) for offset, _ in loading.failures)


def test_a_failure_while_groups_are_taken_over_fails_the_load() -> None:
    """The partition fails and not the node, even if what was read cannot be used."""
    loading = Loading(KeptLog())
    loading.loader = Loader(
        SystemTimer("test", now_ms=ManualClock()),
        KeptLog(),
        lambda: 0,
        lambda _: [].pop(),
        loading._on_failed,
    )
    loading.loader.run()

    assert loading.failures == [(0, "pop from empty list")]


def _any_record(rng: random.Random) -> RawRecord:
    key_class, value_class = RECORD_TYPES[rng.choice(sorted(RECORD_TYPES))]
    version = value_class.__spec__.versions[-1]
    value = None if rng.random() < 0.2 else random_message(rng, value_class, version)
    return serialize(Record(random_message(rng, key_class, 0), value))


def _torn(rng: random.Random, raw: RawRecord) -> RawRecord:
    key, value = raw.key, raw.value
    if value is None or rng.random() < 0.5:
        return RawRecord(key[: rng.randrange(len(key))], value)
    return RawRecord(key, value[: rng.randrange(len(value))])


def _mutated(rng: random.Random, raw: RawRecord) -> RawRecord:
    key, value = bytearray(raw.key), bytearray(raw.value or b"")
    for part in (key, value):
        for _ in range(rng.randrange(4)):
            if part:
                part[rng.randrange(len(part))] = rng.randrange(256)
    return RawRecord(bytes(key), bytes(value))


def _garbage(rng: random.Random) -> RawRecord:
    return RawRecord(rng.randbytes(rng.randrange(20)), rng.choice((None, rng.randbytes(30))))
