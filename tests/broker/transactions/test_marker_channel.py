"""Markers of transactions: which requests they make, and what their results cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import NO_LEADER
from broker.transactions import marker_channel
from broker.transactions.marker_channel import RETRY_BACKOFF_MS
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersResponse,
)
from tests.broker.coordinators.scripted_broker import pass_ms, settle
from tests.broker.transactions.running_channel import channel, pending, result

pytestmark = pytest.mark.anyio

A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)

RETRIED = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.KAFKA_STORAGE_ERROR,
)
DONE = (
    ErrorCode.NONE,
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
    ErrorCode.UNSUPPORTED_VERSION,
)
FENCED = (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED)
UNEXPECTED = (
    ErrorCode.CORRUPT_MESSAGE,
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.RECORD_LIST_TOO_LARGE,
    ErrorCode.INVALID_REQUIRED_ACKS,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)


# ---------------------------------------------------------------------------------- sending


async def test_a_marker_has_the_values_of_its_transaction() -> None:
    """Its partitions are sorted."""
    async with channel(a=(2, 2), b=(2,)) as made:
        await made.add(B0, A1, A0)

        assert made.request(2) == [
            WritableTxnMarker(
                producer_id=7,
                producer_epoch=3,
                transaction_result=True,
                topics=[
                    WritableTxnMarkerTopic(name="a", partition_indexes=[0, 1]),
                    WritableTxnMarkerTopic(name="b", partition_indexes=[0]),
                ],
                coordinator_epoch=5,
                transaction_version=2,
            )
        ]


async def test_each_leader_gets_a_request() -> None:
    """The own node as well, over a connection."""
    async with channel(a=(1, 2)) as made:
        await made.add(A0, A1)

        assert made.requested(1) == [A0]
        assert made.requested(2) == [A1]


async def test_markers_that_are_queued_together_are_sent_together() -> None:
    """While one request is in flight, the next ones to its destination are collected."""
    async with channel(a=(2, 2), b=(2,)) as made:
        await made.add(A0, tid="first", producer_id=1)
        await made.add(A1, tid="second", producer_id=2)
        await made.add(B0, tid="third", producer_id=3)
        assert made.requested(2) == [A0]
        assert made.requested(2) is None

        await made.respond(2, {A0: ErrorCode.NONE}, producer_id=1)

        assert made.requested(2) == [A1, B0]


async def test_a_request_has_a_limited_number_of_markers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are sent after its response, also those of the same transaction."""
    monkeypatch.setattr(marker_channel, "MARKERS_PER_REQUEST_MAX", 2)
    async with channel(a=(2,), b=(2, 2, 2)) as made:
        await made.add(A0, tid="busy")
        made.requested(2)
        await made.add(A0, tid="t")
        await made.add(*(TopicPartition("b", index) for index in range(3)), tid="u", producer_id=8)
        await made.respond(2, {A0: ErrorCode.NONE})

        assert made.requested(2) == [A0, B0]
        results = [result(7, {A0: ErrorCode.NONE}), result(8, {B0: ErrorCode.NONE})]
        await made.brokers.last(2).respond(WriteTxnMarkersResponse(markers=results))
        assert made.requested(2) == [TopicPartition("b", 1), TopicPartition("b", 2)]


async def test_a_slow_destination_delays_no_other() -> None:
    """Each has its own connection."""
    async with channel(a=(2, 3)) as made:
        await made.add(A0, A1)
        made.request(3)

        await made.respond(3, {A1: ErrorCode.NONE})

        assert made.coordinator.partitions() == [A1]


# ---------------------------------------------------------------------------------- leaders


async def test_a_partition_that_does_not_exist_needs_no_marker() -> None:
    """Its topic, or the partition, has been deleted."""
    async with channel(a=(2,)) as made:
        await made.add(A0, A1, B0)

        assert made.coordinator.partitions() == [A1, B0]
        assert made.requested(2) == [A0]


@pytest.mark.parametrize("leader", [NO_LEADER, 4])
async def test_markers_wait_for_a_live_leader(leader: int) -> None:
    """They are queued again when the metadata changes."""
    async with channel(a=(leader,)) as made:
        await made.add(A0)
        made.channel.metadata_changed()
        await settle()
        assert made.channel.unknown_destination_queue_size == 1

        made.lead("a", 3)
        made.channel.metadata_changed()
        await settle()

        assert made.requested(3) == [A0]
        assert made.channel.unknown_destination_queue_size == 0


async def test_the_deletion_of_a_topic_without_leader_ends_the_wait() -> None:
    """The transaction can complete."""
    async with channel(a=(NO_LEADER,)) as made:
        await made.add(A0)

        made.image.remove(made.image.topics["a"])
        made.channel.metadata_changed()

        assert made.coordinator.partitions() == [A0]


# ---------------------------------------------------------------------------------- results


@pytest.mark.parametrize("error", DONE)
async def test_a_result_that_is_final_is_reported(error: ErrorCode) -> None:
    """With the coordinator epoch; the marker is not sent again."""
    async with channel(a=(2,)) as made:
        await made.add(A0)
        made.request(2)

        await made.respond(2, {A0: error})

        assert made.coordinator.written == [("t", 5, A0)]
        await pass_ms(100)
        assert made.request(2) is None


@pytest.mark.parametrize("error", RETRIED)
async def test_a_retriable_result_sends_the_marker_again_at_once(error: ErrorCode) -> None:
    """Only that partition's, to the leader that it has now."""
    async with channel(a=(2, 2)) as made:
        await made.add(A0, A1)
        made.request(2)
        made.lead("a", 2, 3)

        await made.respond(2, {A0: ErrorCode.NONE, A1: error})

        assert made.coordinator.partitions() == [A0]
        assert made.requested(2) is None
        assert made.requested(3) == [A1]


async def test_later_repetitions_wait_for_the_back_off() -> None:
    """A partition that refuses its marker again and again does not occupy the node."""
    async with channel(a=(2,)) as made:
        await made.add(A0)
        made.request(2)
        await made.respond(2, {A0: ErrorCode.NOT_ENOUGH_REPLICAS})
        assert made.requested(2) == [A0]
        await made.respond(2, {A0: ErrorCode.NOT_ENOUGH_REPLICAS})
        await pass_ms(RETRY_BACKOFF_MS - 1)
        assert made.requested(2) is None

        await pass_ms(3)

        assert made.requested(2) == [A0]


@pytest.mark.parametrize("error", [*FENCED, *UNEXPECTED])
async def test_any_other_result_stops_the_markers_of_the_transaction(error: ErrorCode) -> None:
    """What is queued for other nodes is dropped; what was written is reported before."""
    async with channel(a=(2, 3), b=(2,), c=(3,)) as made:
        await made.add(TopicPartition("c", 0), tid="other", producer_id=1)
        await made.add(A0, A1, B0)
        made.request(2)

        await made.respond(2, {A0: ErrorCode.NONE, B0: error})

        assert made.coordinator.written == [("t", 5, A0)]
        assert made.coordinator.stopped == [("t", 5)]
        made.request(3)
        await made.respond(3, {TopicPartition("c", 0): ErrorCode.NONE}, producer_id=1)
        assert made.requested(3) is None


async def test_a_stop_prevents_the_repetition_of_other_partitions() -> None:
    """Also of one that was refused in the same response."""
    async with channel(a=(2, 2)) as made:
        await made.add(A0, A1)
        made.request(2)

        await made.respond(
            2, {A0: ErrorCode.NOT_LEADER_OR_FOLLOWER, A1: ErrorCode.INVALID_PRODUCER_EPOCH}
        )

        assert made.requested(2) is None


async def test_a_partition_without_result_stops_the_markers() -> None:
    """A response has a result for each partition."""
    async with channel(a=(2,)) as made:
        await made.add(A0)
        made.request(2)

        await made.respond(2, {})

        assert made.coordinator.stopped == [("t", 5)]


async def test_results_are_those_of_the_producer() -> None:
    """A response is keyed by producer id, and has several entries for one."""
    async with channel(a=(2, 2), b=(2,)) as made:
        await made.add(B0, tid="blocking", producer_id=9)
        await made.add(A0, A1, tid="first", producer_id=1)
        await made.add(B0, tid="second", producer_id=2)
        made.request(2)
        await made.respond(2, {B0: ErrorCode.NONE}, producer_id=9)
        made.request(2)
        response = WriteTxnMarkersResponse(
            markers=[
                result(2, {B0: ErrorCode.TRANSACTION_COORDINATOR_FENCED}),
                result(1, {A0: ErrorCode.NONE}),
                result(1, {A1: ErrorCode.NONE}),
            ]
        )

        await made.brokers.last(2).respond(response)

        assert made.coordinator.written[1:] == [("first", 5, A0), ("first", 5, A1)]
        assert made.coordinator.stopped == [("second", 5)]


async def test_a_disconnect_sends_the_markers_again() -> None:
    """To the leaders that the partitions have then; to the same one after the back-off."""
    async with channel(a=(2, 2)) as made:
        await made.add(A0, A1)
        made.request(2)
        made.lead("a", 2, 3)

        await made.brokers.last(2).close()

        assert made.requested(3) == [A1]
        await pass_ms(52)
        assert made.requested(2) == [A0]


async def test_a_request_that_times_out_is_sent_again() -> None:
    """The leader may append a second marker."""
    async with channel(a=(2,)) as made:
        made.node.config.request_timeout_ms = 6000
        await made.add(A0)
        made.request(2)

        await pass_ms(6100)

        assert len(made.brokers.connections(2)) == 2
        assert made.requested(2) == [A0]


# ---------------------------------------------------------------------------------- removal


async def test_a_removed_partition_has_no_markers() -> None:
    """Neither queued ones, nor those without leader, nor repetitions of those in flight."""
    async with channel(a=(2, 2), b=(NO_LEADER,)) as made:
        await made.add(A0, tid="first", producer_id=1)
        await made.add(A1, B0, tid="second", producer_id=2)
        made.request(2)

        made.channel.remove_partition(4)

        await made.respond(2, {A0: ErrorCode.NOT_LEADER_OR_FOLLOWER}, producer_id=1)
        assert made.requested(2) is None
        assert made.channel.unknown_destination_queue_size == 0
        assert made.coordinator.written == []


async def test_a_removal_affects_no_other_partition_of_the_state_topic() -> None:
    """Each transactional id is in one of them."""
    async with channel(a=(2, 2)) as made:
        await made.add(A0, tid="first", producer_id=1)
        await made.add(A1, tid="second", producer_id=2)
        made.request(2)

        made.channel.remove_partition(3)

        await made.respond(2, {A0: ErrorCode.NONE}, producer_id=1)
        assert made.coordinator.partitions() == [A0]
        assert made.requested(2) == [A1]


async def test_a_late_response_does_not_affect_the_markers_of_a_new_coordinator_epoch() -> None:
    """The node coordinates the partition again, and sends all markers again."""
    async with channel(a=(2,)) as made:
        await made.add(A0)
        made.request(2)
        made.channel.remove_partition(4)
        made.channel.add_markers(replace(pending(A0), coordinator_epoch=6))

        await made.respond(2, {A0: ErrorCode.TRANSACTION_COORDINATOR_FENCED})

        assert made.coordinator.stopped == []
        [marker] = made.request(2) or []
        assert marker.coordinator_epoch == 6


async def test_a_delayed_repetition_of_a_removed_partition_is_dropped() -> None:
    """The timer does not send it."""
    async with channel(a=(2,)) as made:
        await made.add(A0)
        for _ in range(2):
            made.request(2)
            await made.respond(2, {A0: ErrorCode.NOT_ENOUGH_REPLICAS})

        made.channel.remove_partition(4)

        await pass_ms(RETRY_BACKOFF_MS + 2)
        assert made.requested(2) is None


@pytest.mark.parametrize("error", [ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR])
async def test_an_exception_of_the_coordinator_affects_no_other_transaction(
    error: ErrorCode,
) -> None:
    """Its markers were in the same request; the exception is reported."""
    async with channel(a=(2, 2), b=(2,)) as made:
        made.coordinator.raising.add("first")
        await made.add(B0, tid="busy")
        made.request(2)
        await made.add(A0, tid="first", producer_id=1)
        await made.add(A1, tid="second", producer_id=2)
        await made.respond(2, {B0: ErrorCode.NONE})
        assert made.requested(2) == [A0, A1]

        results = [result(1, {A0: error}), result(2, {A1: ErrorCode.NONE})]
        await made.brokers.last(2).respond(WriteTxnMarkersResponse(markers=results))

        assert made.coordinator.written[-1] == ("second", 5, A1)
        assert [str(each) for each in made.node.errors] == ["first"]


async def test_an_exception_about_a_deleted_partition_affects_no_waiting_marker() -> None:
    """The others get their leader with the same change of the metadata."""
    async with channel(a=(NO_LEADER, NO_LEADER)) as made:
        made.coordinator.raising.add("first")
        await made.add(A1, tid="first", producer_id=1)
        await made.add(A0, tid="second", producer_id=2)
        made.lead("a", 2)

        made.channel.metadata_changed()
        await settle()

        assert made.requested(2) == [A0]
        assert [str(each) for each in made.node.errors] == ["first"]
