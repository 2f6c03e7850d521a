"""Transitions in the log and in memory: replication, refusals, loading and resignation."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice

import pytest

from broker.coordinators.coordinator_record import RawRecord
from broker.transactions.requests import EndTxnResult, InitProducerIdResult
from broker.transactions.transaction_partitions import TransactionPartitions
from protocol.errors import ErrorCode
from tests.broker.transactions.test_initialization import value
from tests.broker.transactions.world import ID, TIMEOUT_MS, A, B, World, begin, states_in_log

NONE = ErrorCode.NONE
BUSY = ErrorCode.CONCURRENT_TRANSACTIONS
NOT_AVAILABLE = ErrorCode.COORDINATOR_NOT_AVAILABLE


@pytest.fixture
def world() -> World:
    return World()


# -------------------------------------------------------------------------------- replication


def test_a_response_waits_for_replication(world: World) -> None:
    """Until then the old value is described, and other requests of the id are refused."""
    begin(world)
    world.log.slow = True

    responses = world.end()

    assert responses == []
    assert world.value.state.name == "ONGOING"
    assert world.verify() == {A: NONE}
    assert world.add((0, 0), B) == [BUSY]
    assert world.init() == [(BUSY, -1, -1)]
    world.log.replicate()
    assert responses == [EndTxnResult(NONE, 0, 1)]
    assert world.value.state.name == "PREPARE_COMMIT"


def test_a_new_id_has_no_epoch_until_it_is_replicated(world: World) -> None:
    """It is described as Empty with epoch -1."""
    world.log.slow = True

    responses = world.init()

    assert (world.value.state.name, world.value.producer_epoch) == ("EMPTY", -1)
    assert responses == []


def test_a_write_waits_for_the_timeout_of_the_transaction(world: World) -> None:
    """The record stays in the log, but has no effect: the retry gets the same epoch."""
    world.log.slow = True
    responses = world.init()
    world.wait(TIMEOUT_MS - 1)
    assert responses == []
    world.wait(1)
    assert responses == [(NOT_AVAILABLE, -1, -1)]
    assert world.value.producer_epoch == -1
    world.log.replicate()

    assert world.init() == [InitProducerIdResult(NONE, 0, 0)]
    assert states_in_log(world) == ["Empty", "Empty"]


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NOT_AVAILABLE),
        (ErrorCode.NOT_ENOUGH_REPLICAS, NOT_AVAILABLE),
        (ErrorCode.REQUEST_TIMED_OUT, NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_a_refused_append_has_no_effect(
    world: World, refusal: ErrorCode, expected: ErrorCode
) -> None:
    """The next request finds the old value."""
    begin(world)
    world.log.refusal = refusal

    assert world.end() == [(expected, -1, -1)]
    assert world.add((0, 0), B) == [expected]

    world.log.refusal = None
    assert world.end() == [EndTxnResult(NONE, 0, 1)]


def test_protocol_2_cannot_be_written_without_its_feature() -> None:
    """The value has no such field in version 0."""
    world = World(version=0)
    world.init()

    assert world.add(client_version=2) == [ErrorCode.UNSUPPORTED_VERSION]
    assert world.end(commit=False) == [(ErrorCode.UNSUPPORTED_VERSION, -1, -1)]
    assert world.add(client_version=0) == [NONE]


def test_the_version_of_the_request_determines_the_protocol() -> None:
    """Also if the cluster has feature level 1."""
    world = World(version=1)
    begin(world)

    assert world.end() == [EndTxnResult(NONE, 0, 1)]


# ------------------------------------------------------------------------------------ loading


def test_an_open_transaction_continues_at_the_next_coordinator(world: World) -> None:
    """Its state is the last record."""
    begin(world)
    before = world.value

    world.reload()

    assert world.value == replace(before, last_producer_epoch=-1)
    assert world.end() == [EndTxnResult(NONE, 0, 1)]


@pytest.mark.parametrize("commit", [True, False])
def test_the_markers_of_a_prepared_transaction_are_sent_again(world: World, commit: bool) -> None:
    """To all partitions, also to those that have one, with the new coordinator epoch."""
    begin(world)
    world.add((0, 0), B)
    world.end(commit=commit)
    world.coordinator.marker_written(ID, 0, A)
    world.markers.pending.clear()

    world.reload()

    [pending] = world.markers.pending
    assert (pending.coordinator_epoch, pending.commit) == (1, commit)
    assert (pending.partitions, pending.producer_epoch) == (TransactionPartitions([A, B]), 1)
    assert world.add((0, 1)) == [BUSY]
    world.coordinator.marker_written(ID, 1, A)
    world.coordinator.marker_written(ID, 1, B)
    assert world.value.state.is_idle


def test_a_loaded_abort_of_nothing_completes_at_once(world: World) -> None:
    """It has no partitions; a crash can leave it prepared."""
    world.init()
    world.log.slow = True
    world.end(commit=False)
    world.log.slow = False

    world.reload()
    world.actions.try_complete_actions()

    assert world.value.state.name == "COMPLETE_ABORT"


def test_a_loaded_transaction_with_an_exhausted_epoch_ends_with_its_next_producer_id(
    world: World,
) -> None:
    """The next id is in the log."""
    world.put(value("ONGOING", epoch=32_766))
    world.end((7, 32_766))

    world.reload()
    world.coordinator.marker_written(ID, 1, A)

    assert (world.value.producer_id, world.value.producer_epoch) == (0, 0)


def test_a_response_that_waits_gets_not_coordinator_at_the_resignation(world: World) -> None:
    """The next coordinator may find the record."""
    begin(world)
    world.log.slow = True
    responses = world.end()

    world.reload()

    assert responses == [(ErrorCode.NOT_COORDINATOR, -1, -1)]
    assert world.value.state.name == "PREPARE_COMMIT"


def test_requests_are_refused_while_the_partition_is_loaded(world: World) -> None:
    """With COORDINATOR_LOAD_IN_PROGRESS."""
    begin(world)
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    world.log.read_max = 1
    world.run_short_slices()

    world.reload()

    assert world.init() == [(loading, -1, -1)]
    assert world.add() == [loading]
    assert world.verify() == {A: loading}
    assert world.end() == [(loading, -1, -1)]
    world.finish_slices()
    assert world.add((0, 0), B) == [NONE]


def test_a_partition_that_cannot_be_read_is_coordinated_with_what_was_read(world: World) -> None:
    """As in Kafka; the error is logged."""
    begin(world)
    world.log.records.insert(1, RawRecord(b"\0\0\0\2id", b"\0\1"))

    world.reload()

    assert world.value.state.name == "EMPTY"


PREPARED = 5


def _with_prepared_ids(world: World) -> list[str]:
    """Prepare transactions of ids of one partition, and load it; a slice continues two of them."""
    runtime = world.coordinator.runtime
    names = (f"i{number}" for number in count())
    ids = list(islice((each for each in names if runtime.partition_for(each) == 0), PREPARED))
    for each in ids:
        [granted] = world.init(transactional_id=each)
        producer = (granted.producer_id, granted.producer_epoch)
        world.add(producer, transactional_id=each)
        world.end(producer, transactional_id=each)
    world.markers.pending.clear()
    ticks = count()
    world.steps.now_ms = lambda: 0 if runtime.is_loading(ids[0]) else next(ticks)
    world.steps.slices_run = 0
    world.reload()
    return ids


def test_markers_of_many_loaded_transactions_are_sent_in_slices(world: World) -> None:
    """Then the ids are indexed in slices; the other partition, without ids, has one slice.

    The unload and the load of a partition have one each.
    """
    ids = _with_prepared_ids(world)
    assert [each.transactional_id for each in world.markers.pending] == ids[:2]

    world.finish_slices()

    assert [each.transactional_id for each in world.markers.pending] == ids
    assert world.steps.slices_run == 1 + 2 * PREPARED // 2 + 1 + 2 * 2
    world.write_markers()
    assert all(world.coordinator.metadata_of(each).value.state.is_idle for each in ids)


def test_a_loaded_id_is_busy_before_its_markers_are_sent(world: World) -> None:
    """It has all its partitions."""
    last = _with_prepared_ids(world)[-1]
    entry = world.coordinator.metadata_of(last)
    identity = (entry.value.producer_id, entry.value.producer_epoch)

    assert entry.partitions == {A}
    assert world.init(transactional_id=last) == [(BUSY, -1, -1)]
    assert world.add(identity, transactional_id=last) == [BUSY]
    for commit in (True, False):
        assert world.end(identity, commit=commit, transactional_id=last) == [(BUSY, -1, -1)]


def test_a_resignation_ends_the_slices(world: World) -> None:
    """The next coordinator sends the other markers."""
    _with_prepared_ids(world)
    world.coordinator.runtime.on_resignation(0)

    world.finish_slices()

    assert len(world.markers.pending) == 2
    assert world.coordinator.states.transactional_id(PREPARED - 1) is None
