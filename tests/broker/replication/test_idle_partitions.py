"""An idle partition is not read until it, or what is requested of it, has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchIsolation, FetchParams
from broker.wait_records.causes import CauseKind
from protocol.errors import ErrorCode
from tests.broker.replication.desk import ALL, Desk
from tests.broker.replication.sessions import Session, named
from tests.broker.replication.world import (
    KEY,
    LAG_MAX_MS,
    OTHER,
    append,
    consumer,
    fetched,
    follower,
    leader_state_of,
    make_follower,
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Two partitions, each with two records that all replicas have."""
    made = Desk(tmp_path)
    for key in (KEY, OTHER):
        append(made.partition(key), 2)
        for node_id in (2, 3):
            fetched(made.partition(key), node_id, 2)
    return made


def _produce(desk: Desk, key: TopicPartition = KEY) -> None:
    """A record, of which the operations that wait on the partition are notified."""
    append(desk.partition(key))
    desk.purgatories.after_append(key, desk.partition(key).log.log_end_offset, False)


@pytest.mark.parametrize("params", [consumer(), follower(2)], ids=["consumer", "follower"])
def test_partitions_without_news_become_idle(desk: Desk, params: FetchParams) -> None:
    """The client knows their result; the next fetch reads none of them."""
    session = Session(desk, params)
    assert session.read == [KEY, OTHER]

    session.fetch()

    assert (session.read, session.changed) == ([], [])


def test_a_partition_whose_records_are_sent_does_not_become_idle(desk: Desk) -> None:
    """The client will fetch from another offset."""
    session = Session(desk, follower(2))
    append(desk.partition())
    session.fetch()
    assert session.changed == [KEY]

    session.fetch()

    assert session.changed == [KEY]


def _high_watermark_moves(desk: Desk) -> None:
    append(desk.partition())
    for node_id in (2, 3):
        fetched(desk.partition(), node_id, 3)


CHANGES: dict[str, Callable[[Desk], object]] = {
    "append": lambda desk: append(desk.partition()),
    "high watermark": _high_watermark_moves,
    "start": lambda desk: desk.partition().log.maybe_increment_log_start_offset(1),
    "truncation": lambda desk: desk.partition().log.truncate_to(1),
    "roll": lambda desk: desk.partition().log.roll(),
    "compaction": lambda desk: desk.partition().log.forget_positions(),
    "another leader": lambda desk: make_follower(desk.partition()),
    "deleted": lambda desk: desk.partitions.remove(KEY),
    "new epoch": lambda desk: desk.partition().make_leader(
        replace(leader_state_of(desk.partition()).registration, leader_epoch=6, partition_epoch=1)
    ),
    "new in-sync set": lambda desk: desk.partition().make_leader(
        replace(leader_state_of(desk.partition()).registration, isr=(1, 2), partition_epoch=1)
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_partition_that_has_changed_is_read(desk: Desk, change: str) -> None:
    """The other one is not."""
    session = Session(desk, consumer())
    session.fetch()

    CHANGES[change](desk)
    session.fetch()

    assert session.read == [KEY]


def test_another_revision_of_the_metadata_makes_all_partitions_active(desk: Desk) -> None:
    """A topic may have been removed, or the follower may have another broker epoch."""
    session = Session(desk, consumer())
    session.revision += 1

    session.fetch()

    assert session.read == [KEY, OTHER]


@pytest.mark.parametrize(
    "other",
    [follower(3), follower(2, epoch=999), replace(consumer(), isolation=FetchIsolation.LOG_END)],
    ids=["replica", "epoch", "isolation"],
)
def test_other_parameters_make_all_partitions_active(desk: Desk, other: FetchParams) -> None:
    """Their results may differ."""
    session = Session(desk, follower(2))
    session.params = other

    session.fetch()

    assert session.read == [KEY, OTHER]


def test_a_partition_that_is_named_is_read(desk: Desk) -> None:
    """Its request may have changed."""
    session = Session(desk, consumer())
    session.fetch()

    session.fetch(named(KEY, 1))

    assert (session.read, session.changed) == ([KEY], [KEY])


def test_active_partitions_are_read_in_the_order_of_the_session(desk: Desk) -> None:
    """The order in which they have changed does not matter."""
    session = Session(desk, follower(2))
    for key in (OTHER, KEY):
        append(desk.partition(key))

    session.fetch()

    assert session.read == [KEY, OTHER]


# -------------------------------------------------------------------------------------- waiting


def test_a_change_of_an_idle_partition_completes_a_fetch_that_waits(desk: Desk) -> None:
    """Its response has that partition only."""
    session = Session(desk, follower(2))
    session.fetch(max_wait_ms=500)

    _produce(desk, OTHER)

    assert (session.responses, session.read, session.changed) == (2, [OTHER], [OTHER])


def test_a_fetch_with_idle_partitions_only_expires(desk: Desk) -> None:
    """No partition has news."""
    session = Session(desk, follower(2))
    assert session.fetch(max_wait_ms=500) is not None

    desk.advance(500)

    assert (session.responses, session.changed) == (2, [])


def test_the_bytes_of_idle_partitions_count(desk: Desk) -> None:
    """Two records are needed, one in each partition."""
    record = desk.partition().log.local_log.end.relative_position_in_segment // 2
    session = Session(desk, replace(follower(2), min_bytes=2 * record))
    session.fetch(max_wait_ms=500)

    _produce(desk)
    assert session.responses == 1
    _produce(desk, OTHER)

    assert (session.responses, session.changed) == (2, [KEY, OTHER])


def test_another_leader_of_an_idle_partition_completes_a_fetch_that_waits(desk: Desk) -> None:
    """The read returns the error."""
    session = Session(desk, follower(2))
    session.fetch(max_wait_ms=500)

    desk.lose(OTHER)

    assert session.results[OTHER].error is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_fetches_complete_in_the_order_of_their_arrival(desk: Desk) -> None:
    """The partition is idle for the first one, and not for the second one."""
    order: list[str] = []
    first, second = Session(desk, consumer()), Session(desk, consumer(), may_stay_idle=False)
    for name, session in (("first", first), ("second", second)):
        operation = session.fetch(max_wait_ms=500)
        assert operation is not None
        operation.on_check = lambda _, name=name: order.append(name)

    desk.purgatories.after_leaving(KEY, CauseKind.LEADERSHIP)
    make_follower(desk.partition())
    desk.purgatories.after_leaving(KEY, CauseKind.LEADERSHIP)

    assert order == ["second", "first", "second"]


def test_a_session_that_ends_does_not_affect_a_fetch_that_waits(desk: Desk) -> None:
    """It was evicted from the cache; the fetch still notices changes of its idle partitions."""
    session = Session(desk, follower(2))
    session.fetch(max_wait_ms=500)
    session.session.close()

    _produce(desk, OTHER)

    assert (session.responses, session.changed) == (2, [OTHER])


# ------------------------------------------------------------------------------------ followers


def _caught_up_ms_ago(desk: Desk, node_id: int) -> int | None:
    progress = leader_state_of(desk.partition()).progress()
    return next(each.caught_up_ms_ago for each in progress if each.node_id == node_id)


def test_each_fetch_counts_for_the_idle_partitions(desk: Desk) -> None:
    """The follower is caught up at its last fetch."""
    session = Session(desk, follower(2))
    desk.advance(LAG_MAX_MS)
    session.fetch()
    assert session.read == []

    desk.advance(7)

    assert _caught_up_ms_ago(desk, 2) == 7


def test_a_fetch_after_a_change_does_not_count_for_the_partition(desk: Desk) -> None:
    """The follower does not have the new record; it was caught up at the fetch before."""
    session = Session(desk, follower(2))
    session.fetch()
    desk.advance(5)
    append(desk.partition())
    desk.advance(5)

    session.fetch()

    assert _caught_up_ms_ago(desk, 2) == 10


def test_a_partition_whose_fetch_is_refused_does_not_count(desk: Desk) -> None:
    """Its leader has changed here; other partitions of the session still count."""
    session = Session(desk, follower(2))
    replica = leader_state_of(desk.partition()).replicas[2]
    caught_up_ms = replica.last_caught_up_time_ms
    make_follower(desk.partition())
    desk.advance(5)

    session.fetch()

    assert replica.last_caught_up_time_ms == caught_up_ms


def test_the_partitions_of_a_follower_that_is_not_in_sync_are_read(desk: Desk) -> None:
    """Each fetch may make it join the in-sync set."""
    leader_state = leader_state_of(desk.partition())
    leader_state.begin(
        replace(leader_state.registration, isr=(1, 3), partition_epoch=1), new_leader=False
    )
    session = Session(desk, follower(2))
    assert desk.requested_isrs == [(1, 3, 2)]

    session.fetch()

    assert session.read == [KEY]


def test_a_partition_is_read_while_a_change_of_its_in_sync_set_is_pending(desk: Desk) -> None:
    """A fetch repeats the request if the controller has not decided."""
    session = Session(desk, follower(2))
    desk.advance(LAG_MAX_MS + 1)
    append(desk.partition())
    leader_state_of(desk.partition()).maybe_shrink_isr()
    assert leader_state_of(desk.partition()).isr.committed == ALL
    session.fetch(named(KEY, 3))

    session.fetch()

    assert session.read == [KEY]
