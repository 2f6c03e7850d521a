"""A client cannot observe which partitions of its session are idle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchIsolation, FetchPartition
from protocol.record_batch.batch import batches
from tests.broker.replication.desk import Desk
from tests.broker.replication.sessions import Session, named
from tests.broker.replication.world import (
    KEY,
    OTHER,
    append,
    consumer,
    fetched,
    leader_state_of,
    make_follower,
)

Event = Callable[[Desk, TopicPartition], object]
MAX_WAIT_MS = 500


def _append(desk: Desk, key: TopicPartition) -> None:
    partition = desk.partition(key)
    if partition.is_leader:
        append(partition)
        desk.purgatories.after_append(key, partition.log.log_end_offset, False)


def _replicate(desk: Desk, key: TopicPartition) -> None:
    partition = desk.partition(key)
    if partition.is_leader:
        for node_id in (2, 3):
            fetched(partition, node_id, partition.log.log_end_offset)


def _raise_start(desk: Desk, key: TopicPartition) -> None:
    log = desk.partition(key).log
    if log.log_start_offset < log.high_watermark:
        log.maybe_increment_log_start_offset(log.log_start_offset + 1)


def _change_leader(desk: Desk, key: TopicPartition) -> None:
    partition = desk.partition(key)
    if partition.is_leader:
        desk.lose(key)
        return
    make_follower(partition)
    known = partition.registration
    assert known is not None
    epoch = known.partition_epoch + 1
    partition.make_leader(replace(known, leader=1, partition_epoch=epoch))


def _new_epoch(desk: Desk, key: TopicPartition) -> None:
    partition = desk.partition(key)
    if partition.is_leader:
        known = leader_state_of(partition).registration
        epochs = known.leader_epoch + 1, known.partition_epoch + 1
        partition.make_leader(replace(known, leader_epoch=epochs[0], partition_epoch=epochs[1]))


def _roll(desk: Desk, key: TopicPartition) -> None:
    desk.partition(key).log.roll()


def _begin_transaction(desk: Desk, key: TopicPartition) -> None:
    partition = desk.partition(key)
    if partition.is_leader:
        desk.produce_in_transaction(key, producer_id=partition.log.log_end_offset)


def _end_transaction(desk: Desk, key: TopicPartition) -> None:
    partition = desk.partition(key)
    ongoing = partition.log.producer_state_manager.transactions.ongoing
    if partition.is_leader and ongoing:
        first_offset, producer_id = next(iter(ongoing.items()))
        desk.mark(key, producer_id=producer_id, abort=first_offset % 2 == 0)


def _expire(desk: Desk, _key: TopicPartition) -> None:
    desk.advance(MAX_WAIT_MS)


EVENTS: list[Event] = [
    _append,
    _replicate,
    _raise_start,
    _change_leader,
    _new_epoch,
    _roll,
    _begin_transaction,
    _end_transaction,
    _expire,
]


class _Client:
    """Fetches all the time, each time from the end of the records that it has received."""

    def __init__(self, desk: Desk, isolation: FetchIsolation, *, may_stay_idle: bool) -> None:
        self.session = Session(desk, consumer(isolation=isolation), may_stay_idle=may_stay_idle)
        self.received: list[object] = []
        self._fetched = 0
        self._offsets = {KEY: 0, OTHER: 0}

    def fetch(self, max_wait_ms: int) -> None:
        """Use the response to the last fetch and fetch again, unless that waits."""
        session = self.session
        if session.responses > self._fetched:
            self._fetched = session.responses
            session.fetch(*self._use(), max_wait_ms=max_wait_ms)

    def _use(self) -> list[FetchPartition]:
        moved: list[FetchPartition] = []
        for key in self.session.changed:
            result = self.session.results[key]
            records, start = bytes(result.records), result.log_start_offset  # type: ignore[arg-type]  # in memory
            offsets = result.high_watermark, result.last_stable_offset, start
            self.received.append((key, result.error, offsets, records, result.aborted))
            offset = max(start, self._offsets[key])
            for _, header in batches(records):
                offset = header.last_offset + 1
            if offset != self._offsets[key]:
                self._offsets[key] = offset
                moved.append(named(key, offset))
        return moved


@given(
    st.lists(
        st.tuples(st.sampled_from(EVENTS), st.sampled_from([KEY, OTHER])), min_size=10, max_size=40
    ),
    st.sampled_from([0, MAX_WAIT_MS]),
    st.sampled_from([FetchIsolation.HIGH_WATERMARK, FetchIsolation.TXN_COMMITTED]),
)
def test_a_session_with_idle_partitions_has_the_responses_of_one_without(
    events: list[tuple[Event, TopicPartition]], max_wait_ms: int, isolation: FetchIsolation
) -> None:
    """Two consumers with the same partitions receive the same."""
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        idling, reading = (_Client(desk, isolation, may_stay_idle=each) for each in (True, False))
        for event, key in events:
            for client in (idling, reading):
                client.fetch(max_wait_ms)
            event(desk, key)
            assert idling.session.responses == reading.session.responses
        for client in (idling, reading):
            client.fetch(max_wait_ms)

        assert idling.received == reading.received
