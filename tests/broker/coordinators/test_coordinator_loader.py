"""A partition is replayed in steps (mirrors ``CoordinatorLoaderImplTest``)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_loader import CoordinatorLoader
from broker.coordinators.coordinator_log import LogSlice, TransactionalProducer
from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.group_states import GroupStates
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import GROUP_RECORDS
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from purgatories.timer.system_timer import SystemTimer
from tests.broker.coordinators.kept_log import KeptLog
from tests.protocol.random_messages import random_message
from tests.purgatories.manual_clock import ManualClock

T0 = TopicPartition("t", 0)


class Loading:
    """A loader of groups from a log that is read two records at a time, and its calls."""

    def __init__(self, log: KeptLog) -> None:
        log.read_max = 2
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.loaded: list[GroupStates] = []
        self.failures: list[tuple[int, str]] = []
        self.loader = CoordinatorLoader(
            self._timer, log, GroupStates(), lambda: 0, self.loaded.append, self.on_failed
        )

    def on_failed(self, offset: int, error: Exception) -> None:
        self.failures.append((offset, str(error)))

    def finish(self) -> None:
        """Let time pass until the loader ends."""
        self._clock.advance_to(1000, self._timer)


class BrokenLog(KeptLog):
    """Raises *failure* when it is read from offset 2 on."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self._failure = failure

    def read(self, offset: int) -> LogSlice:
        if offset >= 2:
            raise self._failure
        return super().read(offset)


def commit(group_id: str, offset: int = 1) -> RawRecord:
    """The record of a committed offset."""
    key = OffsetCommitKey(group=group_id, topic="t", partition=0)
    return GROUP_RECORDS.serialize(
        CoordinatorRecord(key, OffsetCommitValue(offset=offset, metadata="", commit_timestamp=0))
    )


def test_an_empty_log_is_loaded_at_once() -> None:
    """The partition is never in the loading state."""
    loading = Loading(KeptLog())
    loading.loader.run()

    (states,) = loading.loaded
    assert states.groups == {}


def test_what_fits_into_one_read_is_loaded_at_once() -> None:
    """No request is refused with COORDINATOR_LOAD_IN_PROGRESS."""
    log = KeptLog()
    log.append([commit("a"), commit("b")])
    loading = Loading(log)
    loading.loader.run()

    (states,) = loading.loaded
    assert list(states.groups) == ["a", "b"]


def test_a_longer_log_is_loaded_in_steps() -> None:
    """The node handles other requests between two reads."""
    log = KeptLog()
    log.append([commit(f"g{number}") for number in range(7)])
    loading = Loading(log)
    loading.loader.run()
    assert loading.loaded == []

    loading.finish()

    (states,) = loading.loaded
    assert len(states.groups) == 7


def test_loading_ends_where_the_log_ended_when_it_began() -> None:
    """Records after that are not of these groups, because writes wait for the end of the load."""
    log = KeptLog()
    log.append([commit("a", offset) for offset in range(4)])
    loading = Loading(log)
    loading.loader.run()
    log.append([commit("b")] * 4)
    loading.finish()

    (states,) = loading.loaded
    assert list(states.groups) == ["a"]


def test_the_last_record_of_a_key_is_kept() -> None:
    """A tombstone deletes the key (mirrors testLoading)."""
    log = KeptLog()
    gone = GROUP_RECORDS.serialize(
        CoordinatorRecord(OffsetCommitKey(group="b", topic="t", partition=0))
    )
    log.append([commit("a", 5), commit("b"), commit("a", 7), gone])
    loading = Loading(log)
    loading.loader.run()
    loading.finish()

    (states,) = loading.loaded
    assert {each: list(states.offsets.written.committed(each)) for each in "ab"} == {
        "a": [T0],
        "b": [],
    }
    assert states.offsets.written.committed("a")[T0].offset == 7


def test_records_of_unknown_types_are_ignored() -> None:
    """Mirrors testUnknownRecordTypeAreIgnored: of another group type, or of a newer broker."""
    log = KeptLog()
    log.append([RawRecord(b"\x7f\x00whatever", b"\x00\x00"), commit("a")])
    loading = Loading(log)
    loading.loader.run()

    (states,) = loading.loaded
    assert list(states.groups) == ["a"]


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_marker_ends_the_transaction_of_the_records_before_it(is_commit: bool) -> None:
    """Markers are applied in the order of the log."""
    log = KeptLog()
    log.append([commit("a", 1), commit("b", 1)])
    log.append([commit("a", 2), commit("b", 2)], TransactionalProducer(5, 0))
    log.append_marker(5, 0, EndTxnMarker(not is_commit, coordinator_epoch=0), 0)
    log.append([commit("b", 3)], TransactionalProducer(5, 0))
    loading = Loading(log)
    loading.loader.run()
    loading.finish()

    (states,) = loading.loaded
    written = states.offsets.written
    offsets = {each: written.committed(each)[T0].offset for each in "ab"}
    assert offsets == dict.fromkeys("ab", 2 if is_commit else 1)
    assert (written.pending("a"), written.pending("b")) == (frozenset(), {T0})


@pytest.mark.parametrize(
    "make_log",
    [
        lambda: BrokenLog(ApiError(ErrorCode.KAFKA_STORAGE_ERROR)),
        lambda: BrokenLog(CorruptRecords("not a batch")),
        KeptLog,
    ],
    ids=["disk", "batch", "record"],
)
def test_a_log_that_cannot_be_read_fails_the_load(make_log: Callable[[], KeptLog]) -> None:
    """Mirrors testDeserializationErrorFailsTheLoading: ``on_loaded`` is not called."""
    log = make_log()
    bad_version = RawRecord(
        GROUP_RECORDS.serialize(CoordinatorRecord(GroupMetadataKey(group="x"))).key, b"\x00\x63"
    )
    log.append([commit("a"), commit("b"), bad_version, commit("c")])
    loading = Loading(log)
    loading.loader.run()
    loading.finish()

    assert loading.loaded == []
    assert [offset for offset, _ in loading.failures] == [2]


def test_a_cancelled_loader_reads_no_further() -> None:
    """The node no longer leads the partition."""
    log = KeptLog()
    log.append([commit("a")] * 5)
    loading = Loading(log)
    loading.loader.run()
    loading.loader.cancel()
    loading.finish()

    assert (loading.loaded, loading.failures) == ([], [])


def test_the_loader_ends_whatever_the_records_are() -> None:
    """Random, truncated or mutated records are applied, or fail the load with their offset."""
    rng = random.Random(15)
    for _ in range(500):
        whole = _any_record(rng)
        raw = rng.choice((whole, _truncated(rng, whole), _mutated(rng, whole), _random_bytes(rng)))
        log = KeptLog()
        log.append([commit("a"), whole, raw])
        loading = Loading(log)
        loading.loader.run()
        loading.finish()

        assert len(loading.loaded) + len(loading.failures) == 1
        assert all(offset in (1, 2) for offset, _ in loading.failures)


def test_an_exception_from_on_loaded_fails_the_load() -> None:
    """The partition has no coordinator then; the node continues."""
    loading = Loading(KeptLog())
    loading.loader = CoordinatorLoader(
        SystemTimer("test", now_ms=ManualClock()),
        KeptLog(),
        GroupStates(),
        lambda: 0,
        lambda _: [].pop(),
        loading.on_failed,
    )
    loading.loader.run()

    assert loading.failures == [(0, "pop from empty list")]


def _any_record(rng: random.Random) -> RawRecord:
    key_class, value_class = GROUP_RECORDS.types[rng.choice(sorted(GROUP_RECORDS.types))]
    version = value_class.__spec__.versions[-1]
    value = None if rng.random() < 0.2 else random_message(rng, value_class, version)
    return GROUP_RECORDS.serialize(CoordinatorRecord(random_message(rng, key_class, 0), value))


def _truncated(rng: random.Random, raw: RawRecord) -> RawRecord:
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


def _random_bytes(rng: random.Random) -> RawRecord:
    return RawRecord(rng.randbytes(rng.randrange(20)), rng.choice((None, rng.randbytes(30))))


@pytest.mark.parametrize("high_watermark", [0, 1, 2, 3])
def test_the_state_is_told_where_the_unreplicated_records_begin(high_watermark: int) -> None:
    """Once, before the first of them, and not if all are replicated."""
    log = KeptLog()
    log.append([RawRecord(b"", None)] * 3)
    log.high_watermark = high_watermark
    state = _Playback()
    timer = SystemTimer("test", now_ms=lambda: 0.0)

    CoordinatorLoader(timer, log, state, lambda: 0, lambda _: None, _raise).run()

    expected: list[int | None] = [0, 1, 2]
    if high_watermark < 3:
        expected.insert(high_watermark, None)
    assert state.seen == expected


class _Playback:
    """The offsets of the loaded records, and None where the unreplicated ones begin."""

    def __init__(self) -> None:
        self.seen: list[int | None] = []

    def load(self, raw: RawRecord, _now_wall_ms: int) -> None:
        """See `CoordinatorPlayback`."""
        self.seen.append(raw.offset)

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """See `CoordinatorPlayback`."""

    def begin_unreplicated(self) -> None:
        """See `CoordinatorPlayback`."""
        self.seen.append(None)


def _raise(_offset: int, error: Exception) -> None:
    raise error
