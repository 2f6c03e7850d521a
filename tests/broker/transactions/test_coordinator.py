"""The requests of transactional producers, from the record of a transition to its response."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.transactions.requests import EndTxnResult, InitProducerIdResult
from protocol.errors import ErrorCode
from tests.broker.transactions.test_initialization import value
from tests.broker.transactions.world import ID, A, B, World, begin, states_in_log

NONE = ErrorCode.NONE
BUSY = ErrorCode.CONCURRENT_TRANSACTIONS
NOT_AVAILABLE = ErrorCode.COORDINATOR_NOT_AVAILABLE


@pytest.fixture
def world() -> World:
    return World()


# --------------------------------------------------------------------------------- transactions


def test_a_transaction_of_protocol_2_writes_three_records(world: World) -> None:
    """Ongoing, Prepare and Complete; the producer continues with the next epoch."""
    begin(world)

    assert world.end() == [EndTxnResult(NONE, 0, 1)]
    world.write_markers()

    assert states_in_log(world) == ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]
    assert world.add((0, 1)) == [NONE]
    assert world.end((0, 1), commit=False) == [EndTxnResult(NONE, 0, 2)]


def test_a_transaction_of_protocol_1_keeps_the_epoch(world: World) -> None:
    """And its markers are not checked by protocol 2."""
    begin(world, 0)

    assert world.end(client_version=0) == [EndTxnResult(NONE, 0, 0)]

    [pending] = world.markers.pending
    assert (pending.producer_epoch, pending.transaction_version, pending.commit) == (0, 0, True)


def test_markers_have_the_bumped_epoch_and_the_coordinator_epoch(world: World) -> None:
    """They are sent after the response, which needs only the decision."""
    begin(world)
    world.add((0, 0), A, B)

    world.end(commit=False)

    [pending] = world.markers.pending
    assert (pending.producer_id, pending.producer_epoch, pending.commit) == (0, 1, False)
    assert (pending.coordinator_epoch, pending.transaction_version) == (0, 2)
    assert pending.state_partition == world.coordinator.runtime.partition_for(ID)
    assert set(pending.partitions) == {A, B}


def test_the_id_is_busy_until_the_last_marker(world: World) -> None:
    """All its requests get CONCURRENT_TRANSACTIONS; each marker removes its partition."""
    begin(world)
    world.add((0, 0), B)
    world.end()

    world.coordinator.marker_written(ID, 0, A)

    assert (world.value.state.name, world.entry.partitions) == ("PREPARE_COMMIT", {B})
    assert world.add((0, 1)) == [BUSY]
    assert world.end((0, 1)) == [(BUSY, -1, -1)]
    assert world.end((0, 0), commit=False) == [(BUSY, -1, -1)]
    assert world.init() == [(BUSY, -1, -1)]
    assert world.verify((0, 1)) == {A: BUSY}
    world.coordinator.marker_written(ID, 0, B)
    assert (world.value.state.name, world.entry.partitions) == ("COMPLETE_COMMIT", set())


def test_an_abort_of_nothing_needs_no_markers(world: World) -> None:
    """It completes at once, and bumps the epoch."""
    world.init()

    assert world.end(commit=False) == [EndTxnResult(NONE, 0, 1)]

    assert world.value.state.name == "COMPLETE_ABORT"
    assert not world.markers.pending


def test_a_retried_end_has_the_same_result(world: World) -> None:
    """With the epoch before the bump, until the next transaction begins."""
    begin(world)
    first = world.end()
    world.write_markers()

    assert world.end() == first
    world.add((0, 1))
    assert world.end() == [(ErrorCode.PRODUCER_FENCED, -1, -1)]


def test_an_exhausted_epoch_ends_with_the_next_producer_id(world: World) -> None:
    """The markers have epoch 32767; a retry gets the new identity."""
    world.put(value("ONGOING", epoch=32_766))

    assert world.end((7, 32_766)) == [EndTxnResult(NONE, 0, 0)]
    [pending] = world.markers.pending
    assert (pending.producer_id, pending.producer_epoch) == (7, 32_767)
    world.write_markers()

    assert (world.value.producer_id, world.value.producer_epoch) == (0, 0)
    assert world.end((7, 32_766)) == [EndTxnResult(NONE, 0, 0)]
    assert world.init((7, 32_765)) == [(ErrorCode.PRODUCER_FENCED, -1, -1)]
    assert world.init((7, 32_766)) == [InitProducerIdResult(NONE, 0, 0)]


@pytest.mark.parametrize("version", [0, 2])
def test_an_unknown_id(world: World, version: int) -> None:
    """Only InitProducerId creates it."""
    unknown = ErrorCode.INVALID_PRODUCER_ID_MAPPING

    assert world.add() == [unknown]
    assert world.verify() == {A: unknown}
    assert world.end(client_version=version) == [(unknown, -1, -1)]
    with pytest.raises(ApiError, match="TRANSACTIONAL_ID_NOT_FOUND"):
        world.coordinator.metadata_of(ID)


def test_an_empty_id_is_invalid(world: World) -> None:
    """In every request."""
    invalid = ErrorCode.INVALID_REQUEST

    assert world.init(transactional_id="") == [(invalid, -1, -1)]
    assert world.add(transactional_id="") == [invalid]
    assert world.end(transactional_id="") == [(invalid, -1, -1)]
    with pytest.raises(ApiError, match="INVALID_REQUEST"):
        world.coordinator.metadata_of("")


# ------------------------------------------------------------------------------- InitProducerId


@pytest.mark.parametrize("timeout_ms", [0, -1, 900_001])
def test_the_timeout_is_checked_before_the_coordinator(world: World, timeout_ms: int) -> None:
    """A node that does not coordinate the id refuses it too."""
    world.coordinator.runtime.on_resignation(world.coordinator.runtime.partition_for(ID))
    invalid = ErrorCode.INVALID_TRANSACTION_TIMEOUT

    assert world.init(timeout_ms=timeout_ms) == [(invalid, -1, -1)]
    assert world.init(timeout_ms=900_000) == [(ErrorCode.NOT_COORDINATOR, -1, -1)]


def test_a_new_id_ignores_the_identity_of_the_request(world: World) -> None:
    """The identity may be that of an expired id."""
    assert world.init((1234, 5)) == [InitProducerIdResult(NONE, 0, 0)]


def test_the_open_transaction_of_an_earlier_session_is_aborted(world: World) -> None:
    """The client retries after CONCURRENT_TRANSACTIONS, and the old producer is fenced."""
    begin(world)

    assert world.init() == [(BUSY, -1, -1)]

    [pending] = world.markers.pending
    assert (pending.producer_epoch, pending.commit, pending.transaction_version) == (1, False, 2)
    assert world.init() == [(BUSY, -1, -1)]
    world.write_markers()
    assert world.init() == [InitProducerIdResult(NONE, 0, 2)]
    assert world.add((0, 0)) == [ErrorCode.PRODUCER_FENCED]


def test_a_fenced_producer_of_protocol_2_may_continue(world: World) -> None:
    """The abort has recorded its epoch as the last one, so it gets the epoch of the marker."""
    begin(world)
    world.init()
    world.write_markers()

    assert world.init((0, 0)) == [InitProducerIdResult(NONE, 0, 1)]
    assert world.init((0, 0)) == [InitProducerIdResult(NONE, 0, 1)]


def test_a_fenced_producer_may_not_continue_at_another_coordinator(world: World) -> None:
    """The last epoch is not in the log."""
    begin(world)
    world.init()
    world.write_markers()

    world.reload()

    assert world.init((0, 0)) == [(ErrorCode.PRODUCER_FENCED, -1, -1)]


def test_a_fenced_producer_of_protocol_1_may_not_continue() -> None:
    """Its epoch was replaced without a record of it."""
    world = World(version=1)
    begin(world, 0)
    world.init()
    [pending] = world.markers.pending
    assert (pending.producer_epoch, pending.transaction_version) == (1, 0)
    world.write_markers()

    assert world.init((0, 0)) == [(ErrorCode.PRODUCER_FENCED, -1, -1)]
    assert world.init() == [InitProducerIdResult(NONE, 0, 2)]


def test_a_failed_fence_of_protocol_1_is_not_repeated_with_another_epoch() -> None:
    """The epoch stays bumped in memory."""
    world = World(version=1)
    begin(world, 0)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS

    assert world.init() == [(NOT_AVAILABLE, -1, -1)]
    assert world.init() == [(NOT_AVAILABLE, -1, -1)]

    assert (world.value.state.name, world.value.producer_epoch) == ("ONGOING", 1)
    world.log.refusal = None
    assert world.init() == [(BUSY, -1, -1)]
    assert world.value.producer_epoch == 1
    assert not world.entry.has_failed_epoch_fence


def test_a_failed_fence_of_protocol_2_has_no_effect(world: World) -> None:
    """The producer can continue."""
    begin(world)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS

    assert world.init() == [(NOT_AVAILABLE, -1, -1)]

    world.log.refusal = None
    assert world.add((0, 0), B) == [NONE]


def test_without_producer_ids_the_coordinator_is_loading(world: World) -> None:
    """The node has requested a block; an id is not created."""
    world.blocks.is_silent = True
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS

    assert world.init() == [(loading, -1, -1)]
    world.put(value("ONGOING", epoch=32_766))
    assert world.end((7, 32_766)) == [(loading, -1, -1)]
    assert world.init((7, 32_766)) == [(loading, -1, -1)]
    assert world.value.state.name == "ONGOING"

    world.blocks.respond()
    assert world.end((7, 32_766)) == [EndTxnResult(NONE, 0, 0)]


# ------------------------------------------------------------------------------------ markers


def test_the_end_is_written_again_while_the_log_cannot_be_written(world: World) -> None:
    """The id stays busy."""
    begin(world)
    world.end()
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.write_markers()
    assert world.add((0, 1)) == [BUSY]

    world.log.refusal = None
    world.wait(500)

    assert world.value.state.name == "COMPLETE_COMMIT"


def test_the_end_is_not_written_again_after_a_resignation(world: World) -> None:
    """The next coordinator sends the markers again."""
    begin(world)
    world.end()
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    world.write_markers()
    world.log.refusal = None

    world.reload()
    world.wait(5000)

    assert world.value.state.name == "PREPARE_COMMIT"
    assert [each.coordinator_epoch for each in world.markers.pending] == [1]


def test_markers_of_an_earlier_coordinator_epoch_have_no_effect(world: World) -> None:
    """The node has resigned and leads the partition again."""
    begin(world)
    world.end()
    world.reload()

    world.coordinator.marker_written(ID, 0, A)
    world.coordinator.markers_stopped(ID, 0)

    assert world.value.state.name == "PREPARE_COMMIT"
    world.coordinator.marker_written(ID, 1, A)
    assert world.value.state.name == "COMPLETE_COMMIT"


def test_a_second_marker_of_a_partition_has_no_effect(world: World) -> None:
    """It was sent again after a timeout."""
    begin(world)
    world.end()
    world.write_markers()
    count = len(world.log.records)

    world.coordinator.marker_written(ID, 0, A)

    assert len(world.log.records) == count


def test_an_id_whose_marker_was_refused_stays_busy(world: World) -> None:
    """Until its partition is loaded again."""
    begin(world)
    world.add((0, 0), B)
    world.end()
    world.coordinator.markers_stopped(ID, 0)
    world.coordinator.marker_written(ID, 0, A)
    world.coordinator.marker_written(ID, 0, B)
    assert world.value.state.name == "PREPARE_COMMIT"
    assert world.add((0, 1)) == [BUSY]

    world.reload()
    world.write_markers()
    world.coordinator.marker_written(ID, 1, A)
    world.coordinator.marker_written(ID, 1, B)

    assert world.value.state.name == "COMPLETE_COMMIT"


def test_a_resignation_drops_the_markers(world: World) -> None:
    """Of its partition of the topic."""
    begin(world)
    partition = world.coordinator.runtime.partition_for(ID)

    world.coordinator.runtime.on_resignation(partition)

    assert world.markers.removed == [partition]
    world.coordinator.marker_written(ID, 0, A)
    world.coordinator.markers_stopped(ID, 0)
    with pytest.raises(ApiError, match="NOT_COORDINATOR"):
        world.coordinator.metadata_of(ID)
