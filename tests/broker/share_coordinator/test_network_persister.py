"""The network persister: which requests its calls make, and when they are sent again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from broker.controller.metadata.image import (
    NO_LEADER,
    SHARE_GROUP_STATE_TOPIC,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.coordinators.internal_topic import partition_leader
from broker.coordinators.retry_backoff import RETRIES_MAX
from broker.share.persister import PersisterResult, PersisterStateBatch, ReadResult, StateWrite
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.network_persister import NetworkPersister
from protocol.errors import ErrorCode
from protocol.messages import read_share_group_state as read
from protocol.messages import write_share_group_state as write
from tests.broker.coordinators.scripted_broker import (
    ScriptedBrokers,
    SendingBroker,
    pass_ms,
    sending,
    settle,
)
from tests.broker.share_coordinator.state_client import state_batch

pytestmark = pytest.mark.anyio

TOPIC_ID = UUID(int=1)
KEYS = [SharePartitionKey("g", TOPIC_ID, index) for index in range(3)]
CHANGE = StateWrite(
    state_epoch=1, leader_epoch=2, start_offset=3, batches=(PersisterStateBatch(3, 5, 2, 1),)
)


class Persisting:
    """A running persister; ``results`` are those of its calls, in order."""

    def __init__(self, node: SendingBroker, brokers: ScriptedBrokers) -> None:
        self.node = node
        self.brokers = brokers
        self.image = MetadataImage("cluster")
        self.results: list[Any] = []
        self.topics_created = 0
        self.persister = NetworkPersister(
            node.sender_parts(brokers),
            lambda: self.image,
            lambda _: partition_leader(SHARE_GROUP_STATE_TOPIC, 0, self.image),
            self._create,
        )

    def _create(self) -> None:
        self.topics_created += 1

    def lead(self, leader: int) -> None:
        """Make a node the coordinator of all share partitions."""
        registration = PartitionRegistration((1, 2, 3), (1, 2, 3), leader)
        topic = TopicImage(SHARE_GROUP_STATE_TOPIC, UUID(int=9), {}, (registration,))
        self.image.put(topic)

    def request(self, node_id: int) -> Any:
        """The next request to a node; None if there is none."""
        return self.brokers.last(node_id).request()

    async def respond(self, node_id: int, *errors: ErrorCode) -> None:
        """Respond to a write with an error for each partition from 0 on."""
        partitions = [
            write.PartitionResult(
                partition=index, error_code=error, error_message="fenced" if error else None
            )
            for index, error in enumerate(errors)
        ]
        result = write.WriteStateResult(topic_id=TOPIC_ID, partitions=partitions)
        response = write.WriteShareGroupStateResponse(results=[result])
        await self.brokers.last(node_id).respond(response)


@asynccontextmanager
async def persisting(leader: int | None = 2) -> AsyncIterator[Persisting]:
    """A running persister; node *leader* coordinates all share partitions."""
    async with sending() as (node, brokers, nursery):
        made = Persisting(node, brokers)
        for broker in node.brokers.values():
            made.image.brokers[broker.node_id] = broker
        if leader is not None:
            made.lead(leader)
        nursery.start_soon(made.persister.run)
        yield made


async def test_a_call_is_a_request_to_the_coordinator() -> None:
    """Its callback gets the result of the share partition."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()

        request = made.request(2)
        assert (request.group_id, request.topics[0].topic_id) == ("g", TOPIC_ID)
        (part,) = request.topics[0].partitions
        assert (part.partition, part.state_epoch, part.leader_epoch, part.start_offset) == (
            0,
            1,
            2,
            3,
        )
        assert part.state_batches == [state_batch(3, 5, 2, 1)]
        await made.respond(2, ErrorCode.NONE)
        assert made.results == [PersisterResult()]


async def test_a_read_has_the_state() -> None:
    """Batches, epoch and start offset."""
    async with persisting() as made:
        made.persister.read(KEYS[0], 4, made.results.append)
        await settle()
        assert made.request(2).topics[0].partitions[0].leader_epoch == 4
        result = read.PartitionResult(
            partition=0, state_epoch=7, start_offset=3, state_batches=[state_batch(3, 5, 2, 1)]
        )
        topic = read.ReadStateResult(topic_id=TOPIC_ID, partitions=[result])
        await made.brokers.last(2).respond(read.ReadShareGroupStateResponse(results=[topic]))

    batches = [PersisterStateBatch(3, 5, 2, 1)]
    assert made.results == [ReadResult(state_epoch=7, start_offset=3, batches=batches)]


async def test_calls_that_are_made_meanwhile_are_sent_together() -> None:
    """Those of one kind and group, and not two about one share partition."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        for key in (KEYS[0], KEYS[1], KEYS[2]):
            made.persister.write(key, CHANGE, made.results.append)
        made.persister.read(KEYS[1], 0, made.results.append)
        requested = []
        for _ in range(2):
            parts = made.request(2).topics[0].partitions
            requested.append([each.partition for each in parts])
            await made.respond(2, *[ErrorCode.NONE] * 3)

        assert requested == [[0], [1, 2, 0]]
        assert isinstance(made.request(2), read.ReadShareGroupStateRequest)


@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ],
)
async def test_a_call_is_sent_again_after_a_second(error: ErrorCode) -> None:
    """To the node that coordinates the share partition then."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        made.request(2)
        await made.respond(2, error)
        made.lead(3)
        await pass_ms(999)
        assert not made.brokers.connections(3)

        await pass_ms(2)

        assert made.request(3) is not None
        await made.respond(3, ErrorCode.NONE)
        assert made.results == [PersisterResult()]


async def test_calls_about_a_share_partition_keep_their_order() -> None:
    """A call waits while an earlier one about its share partition is sent again."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, lambda _: made.results.append("first"))
        await settle()
        made.persister.write(KEYS[0], CHANGE, lambda _: made.results.append("second"))
        made.persister.write(KEYS[1], CHANGE, lambda _: made.results.append("other"))
        made.request(2)
        await made.respond(2, ErrorCode.NOT_COORDINATOR)
        parts = made.request(2).topics[0].partitions
        assert [each.partition for each in parts] == [1]
        await made.respond(2, ErrorCode.NONE, ErrorCode.NONE)
        await pass_ms(1001)
        for _ in range(2):
            made.request(2)
            await made.respond(2, ErrorCode.NONE)

    assert made.results == ["other", "first", "second"]


async def test_a_call_begins_after_an_earlier_one_has_failed() -> None:
    """The error of one is not that of the next."""
    async with persisting() as made:
        for _ in range(2):
            made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        for error in (ErrorCode.FENCED_STATE_EPOCH, ErrorCode.NONE):
            made.request(2)
            await made.respond(2, error)

    assert [each.error for each in made.results] == [ErrorCode.FENCED_STATE_EPOCH, ErrorCode.NONE]


@pytest.mark.parametrize("error", [ErrorCode.NONE, ErrorCode.FENCED_STATE_EPOCH])
async def test_writes_that_wait_for_a_write_are_one(error: ErrorCode) -> None:
    """Each of them gets its result."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        for first in (6, 7):
            batch = PersisterStateBatch(first, first, 2, 1)
            made.persister.write(KEYS[0], replace(CHANGE, batches=(batch,)), made.results.append)
        made.request(2)
        await made.respond(2, ErrorCode.NONE)
        (part,) = made.request(2).topics[0].partitions
        assert part.state_batches == [state_batch(6, 6, 2, 1), state_batch(7, 7, 2, 1)]
        await made.respond(2, error)

    assert [each.error for each in made.results] == [ErrorCode.NONE, error, error]


async def test_an_exception_of_a_callback_affects_no_other_call() -> None:
    """Neither a joined write nor another share partition of the same request."""
    async with persisting() as made:
        made.persister.write(KEYS[2], CHANGE, made.results.append)
        await settle()
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        made.persister.write(KEYS[1], CHANGE, _fail)
        made.persister.write(KEYS[2], CHANGE, _fail)
        made.persister.write(KEYS[2], CHANGE, made.results.append)
        made.request(2)
        await made.respond(2, ErrorCode.NONE, ErrorCode.NONE, ErrorCode.NONE)
        for key in KEYS[:2]:
            made.persister.write(key, CHANGE, made.results.append)
        for _ in range(3):
            made.request(2)
            await made.respond(2, ErrorCode.NONE, ErrorCode.NONE, ErrorCode.NONE)

    assert made.results == [PersisterResult()] * 5
    assert [str(error) for error in made.node.errors] == ["a callback"] * 2


def _fail(_result: PersisterResult) -> None:
    raise ValueError("a callback")


async def test_other_errors_are_those_of_the_call() -> None:
    """A fenced leader does not write again."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        made.request(2)
        await made.respond(2, ErrorCode.FENCED_STATE_EPOCH)

    (result,) = made.results
    assert result.error is ErrorCode.FENCED_STATE_EPOCH
    assert result.message == "Error in write state RPC. fenced"


async def test_a_call_fails_after_its_last_retry() -> None:
    """It has waited for 1, 2, 4, 8 and 16 seconds."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        for retry in range(RETRIES_MAX + 1):
            assert made.results == []
            assert made.request(2) is not None
            await made.respond(2, ErrorCode.NOT_COORDINATOR)
            await pass_ms((1000 << retry) + 2)

    assert made.results == [PersisterResult(error=ErrorCode.NOT_COORDINATOR)]


async def test_a_call_is_sent_again_after_a_disconnect() -> None:
    """Its result is unknown, and a change can be written twice."""
    async with persisting() as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        await made.brokers.last(2).close()

        await pass_ms(1001)

        assert made.request(2) is not None


async def test_a_call_waits_for_the_topic() -> None:
    """The topic is created, and the call is sent when the metadata has a coordinator."""
    async with persisting(leader=None) as made:
        made.persister.write(KEYS[0], CHANGE, made.results.append)
        await settle()
        assert made.topics_created == 1
        made.lead(NO_LEADER)
        made.persister.metadata_changed()
        await settle()
        assert not made.brokers.connections(2)

        made.lead(2)
        made.persister.metadata_changed()
        await settle()

        assert made.request(2) is not None


async def test_a_call_without_a_coordinator_fails_in_the_end() -> None:
    """After as much time as one that coordinators refuse."""
    async with persisting(leader=None) as made:
        made.persister.delete(KEYS[0], made.results.append)
        await pass_ms(60_000)
        assert made.results == []

        await pass_ms(2_000)

    assert made.results == [PersisterResult(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)]
