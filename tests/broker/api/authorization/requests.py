"""Requests of every API, and a node with the resources that they name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import trio
import trio.testing

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.security.principal import user
from broker.security.session import SecurityProtocol, Session
from broker.share_coordinator.state_topic import share_state_topic
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.describe_configs import DescribeConfigsRequest
from protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from protocol.messages.fetch import FetchRequest, ReplicaState
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.list_transactions import ListTransactionsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.produce import ProduceRequest
from protocol.messages.share_acknowledge import ShareAcknowledgeRequest
from protocol.messages.share_fetch import FetchPartition, FetchTopic, ShareFetchRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TopicInfo,
    Topology,
)
from tests.batches import batch
from tests.broker.api.authorization.consumers import subscribed
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import EPOCH_MS, Client, RunningNode, running_node
from tests.extremes.valid_requests import World, valid_requests
from tests.requests import PRODUCE_VERSION, produce_request

# The topic of the transactional producer; the producer's id is also that of the group.
TOPIC: Final = "a"
UNKNOWN_TOPIC_ID: Final = uuid4()
SHARE_GROUP: Final = "sharing"
STREAMS_GROUP: Final = "streaming"
REGEX_GROUP: Final = "matching"


@asynccontextmanager
async def node_with_resources(
    tmp_path: Path, secret_key: str | None = None
) -> AsyncIterator[RunningNode]:
    """A node with a topic with a record, groups with a member, and an open transaction.

    With a *secret_key* it has a delegation token of another client.
    """
    config: dict[str, Any] = {"offsets_topic_num_partitions": "1"}
    if secret_key is not None:
        config["delegation_token_secret_key"] = secret_key
    async with running_node(tmp_path, **config) as node:
        if secret_key is not None:
            owner = user("owner")
            node.controller.security.tokens.create(owner, owner, [], 0, int(EPOCH_MS))
        producer = await transactional_producer(node)
        node.controller.create_topic("__consumer_offsets")
        client = node.client()
        await client.send(produce_request(TOPIC, batch(b"x")), PRODUCE_VERSION)
        await client.send(subscribed(ID, names=[TOPIC]))
        await _subscribe_to_regexes(client)
        await _share(node, client)
        assert (await client.send(_streams_join(STREAMS_GROUP, TOPIC))).error_code == 0
        assert await producer.add((TOPIC, [0])) == [(TOPIC, 0, 0)]
        yield node


async def _subscribe_to_regexes(client: Client) -> None:
    """Create a consumer group whose regular expression is not resolved yet."""
    joined = await client.send(subscribed(REGEX_GROUP, regex=TOPIC))
    await trio.testing.wait_all_tasks_blocked()
    another = subscribed(REGEX_GROUP, regex=f"{TOPIC}+")
    response = await client.send(replace(another, member_epoch=joined.member_epoch))
    assert response.error_code == 0


async def _share(node: RunningNode, client: Client) -> None:
    """Create a share group with a member that has the partitions of the topic."""
    ensure_internal_topic(node.controller, share_state_topic(node.node.config))
    for epoch, names in ((0, [TOPIC]), (2, None)):
        heartbeat = ShareGroupHeartbeatRequest(
            group_id=SHARE_GROUP, member_id="m", member_epoch=epoch, subscribed_topic_names=names
        )
        response = await client.send(heartbeat)
        assert response.error_code == 0
        await trio.sleep(1.1)  # the assignment interval
    assert response.assignment.topic_partitions


def _streams_join(group_id: str, source_topic: str) -> StreamsGroupHeartbeatRequest:
    """A member joins, whose topology has an internal topic that is missing."""
    subtopology = Subtopology(
        subtopology_id="0",
        source_topics=[source_topic],
        state_changelog_topics=[TopicInfo(name=f"{group_id}-changelog")],
    )
    return StreamsGroupHeartbeatRequest(
        group_id=group_id,
        member_id="m",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        topology=Topology(epoch=0, subtopologies=[subtopology]),
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
    )


def client_of(node: RunningNode) -> Client:
    """An authenticated client, as requests about delegation tokens need it."""
    client = node.client()
    client.connection.session = Session(protocol=SecurityProtocol.SASL_PLAINTEXT)
    return client


def requests_of(cls: Any, version: int, world: World) -> Iterator[Any]:
    """Requests of one version of an API, which together cause all checks of the API."""
    for request in valid_requests(cls, version, world):
        for field in request.__dataclass_fields__:
            if field.startswith("include_"):
                setattr(request, field, True)
        yield request
        yield from _others(request, version, world)
        yield from _transactional(request, world)
        yield from _of_consumer_groups(request)
        yield from _of_share_sessions(request, world)
        yield from _of_streams_groups(request, world)


def _others(request: Any, version: int, world: World) -> Iterator[Any]:
    """Requests for what *request* does not contain."""
    other = deepcopy(request)
    match other:
        case DeleteTopicsRequest():
            other.topics = [DeleteTopicState(name=world.topic)] if version >= 6 else []
            other.topic_names = [world.topic] if version < 6 else []
            yield other
        case FetchRequest():
            other.replica_id = 2
            other.replica_state = ReplicaState(replica_id=2, replica_epoch=-1)
            yield other
        case DescribeDelegationTokenRequest():
            other.owners = None
            yield other
        case ShareGroupDescribeRequest():
            other.group_ids = [SHARE_GROUP]
            yield other
        case FindCoordinatorRequest() if version > 0:
            for other.key_type in (1, 2):
                yield other
        case MetadataRequest():
            other.allow_auto_topic_creation = True
            other.topics = [MetadataRequestTopic(name="missing")]
            yield other
        case DescribeConfigsRequest() | AlterConfigsRequest() | IncrementalAlterConfigsRequest():
            for other.resources[0].resource_type, name in ((4, "1"), (16, "m"), (32, "g")):
                other.resources[0].resource_name = name
                yield other


def _of_consumer_groups(request: Any) -> Iterator[Any]:
    """Requests about a group that exists."""
    if isinstance(request, JoinGroupRequest):
        subscription = write_subscription(ConsumerProtocolSubscription(topics=[]), 0)
        protocols = [JoinGroupRequestProtocol(name="range", metadata=subscription)]
        yield replace(request, group_id=REGEX_GROUP, protocol_type="consumer", protocols=protocols)


def _of_share_sessions(request: Any, world: World) -> Iterator[Any]:
    """Requests of a session that exists."""
    other = deepcopy(request)
    match other:
        case ShareFetchRequest():
            yield _share_fetch(world)
        case ShareAcknowledgeRequest():
            yield _share_fetch(world)
            other.group_id, other.member_id, other.share_session_epoch = "g", "m", 1
            yield other


def _of_streams_groups(request: Any, world: World) -> Iterator[Any]:
    """Requests about a group that exists, or is created."""
    match request:
        case StreamsGroupDescribeRequest():
            yield StreamsGroupDescribeRequest(group_ids=[STREAMS_GROUP])
        case StreamsGroupHeartbeatRequest():
            yield _streams_join("new", world.topic)


def _share_fetch(world: World) -> ShareFetchRequest:
    """A fetch that opens a session, and acknowledges nothing."""
    partitions = [FetchPartition(partition_index=0, acknowledgement_batches=[])]
    return ShareFetchRequest(
        group_id="g",
        member_id="m",
        share_session_epoch=0,
        max_wait_ms=0,
        min_bytes=0,
        max_records=1,
        batch_size=1,
        topics=[FetchTopic(topic_id=world.topic_id, partitions=partitions)],
        forgotten_topics_data=[],
    )


def _transactional(request: Any, world: World) -> Iterator[Any]:
    """Requests about a transactional id where *request* is not about one."""
    other = deepcopy(request)
    match other:
        case ListTransactionsRequest():
            yield ListTransactionsRequest(state_filters=[], producer_id_filters=[])
        case InitProducerIdRequest():
            other.transactional_id = world.unique
            yield other
        case ProduceRequest():
            other.transactional_id = world.unique
            records = batch(b"x", attributes=16, producer_id=1, producer_epoch=0, base_sequence=0)
            other.topic_data[0].partition_data[0].records = records
            yield other
