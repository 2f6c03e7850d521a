"""A partition is replayed in slices (mirrors ``CoordinatorLoaderImplTest``)."""

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
from broker.steps.pieces import PIECE_ITEMS
from broker.steps.queue import finish
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from tests.broker.coordinators.kept_log import KeptLog
from tests.protocol.random_messages import random_message

T0 = TopicPartition("t", 0)


class Loading:
    """A loader of groups from a log that is read two records at a time, and its outcome."""

    def __init__(self, log: KeptLog) -> None:
        log.read_max = 2
        self.states = GroupStates()
        self.loader = CoordinatorLoader(log, self.states, lambda: 0)
        self.slices = self.loader.load()
        self.failure: Exception | None = None

    def finish(self) -> GroupStates:
        """Load the rest; returns the groups."""
        try:
            finish(self.slices)
        except Exception as error:
            self.failure = error
        return self.states


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


def test_an_empty_log_has_no_pieces() -> None:
    """The partition is never in the loading state."""
    assert list(Loading(KeptLog()).slices) == []


def test_other_tasks_may_run_between_two_reads() -> None:
    """A log that is longer than one read."""
    log = KeptLog()
    log.append([commit(f"g{number}") for number in range(7)])
    loading = Loading(log)

    assert len(list(loading.slices)) == 4
    assert len(loading.states.groups) == 7


def test_other_tasks_may_run_between_the_records_of_one_read() -> None:
    """A batch is never read in part, and may have ten thousand committed offsets."""
    log = KeptLog()
    log.append([commit(f"g{number}") for number in range(10 * PIECE_ITEMS)])
    loading = Loading(log)
    log.read_max = 1_000_000

    assert len(list(loading.slices)) == 10
    assert len(loading.states.groups) == 10 * PIECE_ITEMS


def test_loading_ends_where_the_log_ended_when_it_began() -> None:
    """Records after that are not of these groups, because writes wait for the end of the load."""
    log = KeptLog()
    log.append([commit("a", offset) for offset in range(4)])
    loading = Loading(log)
    next(loading.slices)
    log.append([commit("b")] * 4)
    states = loading.finish()

    assert list(states.groups) == ["a"]


def test_the_last_record_of_a_key_is_kept() -> None:
    """A tombstone deletes the key (mirrors testLoading)."""
    log = KeptLog()
    gone = GROUP_RECORDS.serialize(
        CoordinatorRecord(OffsetCommitKey(group="b", topic="t", partition=0))
    )
    log.append([commit("a", 5), commit("b"), commit("a", 7), gone])
    states = Loading(log).finish()

    assert {each: list(states.offsets.written.committed(each)) for each in "ab"} == {
        "a": [T0],
        "b": [],
    }
    assert states.offsets.written.committed("a")[T0].offset == 7


def test_records_of_unknown_types_are_ignored() -> None:
    """Mirrors testUnknownRecordTypeAreIgnored: of another group type, or of a newer broker."""
    log = KeptLog()
    log.append([RawRecord(b"\x7f\x00whatever", b"\x00\x00"), commit("a")])
    states = Loading(log).finish()

    assert list(states.groups) == ["a"]


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_marker_ends_the_transaction_of_the_records_before_it(is_commit: bool) -> None:
    """Markers are applied in the order of the log."""
    log = KeptLog()
    log.append([commit("a", 1), commit("b", 1)])
    log.append([commit("a", 2), commit("b", 2)], TransactionalProducer(5, 0))
    log.append_marker(5, 0, EndTxnMarker(not is_commit, coordinator_epoch=0), 0)
    log.append([commit("b", 3)], TransactionalProducer(5, 0))
    states = Loading(log).finish()

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
    """Mirrors testDeserializationErrorFailsTheLoading: the error is that of offset 2."""
    log = make_log()
    bad_version = RawRecord(
        GROUP_RECORDS.serialize(CoordinatorRecord(GroupMetadataKey(group="x"))).key, b"\x00\x63"
    )
    log.append([commit("a"), commit("b"), bad_version, commit("c")])
    loading = Loading(log)
    loading.finish()

    assert loading.failure is not None
    assert loading.loader.next_offset == 2


def test_the_loader_ends_whatever_the_records_are() -> None:
    """Random, truncated or mutated records are applied, or fail the load with their offset."""
    rng = random.Random(15)
    for _ in range(500):
        whole = _any_record(rng)
        raw = rng.choice((whole, _truncated(rng, whole), _mutated(rng, whole), _random_bytes(rng)))
        log = KeptLog()
        log.append([commit("a"), whole, raw])
        loading = Loading(log)
        loading.finish()

        assert loading.loader.next_offset in ((3,) if loading.failure is None else (1, 2))


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

    finish(CoordinatorLoader(log, state, lambda: 0).load())

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
