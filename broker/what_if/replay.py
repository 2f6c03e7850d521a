"""Plays a recording in virtual time: a cluster in memory, whose clock jumps to the next event.

The cluster has the logs, purgatories, timers and followers of ``antechamber serve``. No time passes
while it computes, so latencies consist of waits, and of the recorded time of handling.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import trio
import trio.testing

from broker.cluster import Cluster
from broker.common.adjustable_clock import AdjustableClock
from broker.common.topic_partition import TopicPartition
from broker.config import Config, Setting
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import Broker
from broker.what_if.memory_network import MemoryNetwork
from broker.what_if.recording import Consumer, Producer, Recording, Sent
from broker.what_if.replayed_clients import Link, play_consumer, play_producer
from broker.what_if.settings import Settings

_EPOCH_MS = 1_700_000_000_000.0
_FIRST_PORT = 9092
# Until the followers of all partitions wait for records.
_WARM_UP_S = 5.0
_ROOM = 1 << 30  # bytes of a connection: larger than any request
_CONFIG = {
    "log.retention.ms": "-1",
    "message.max.bytes": str(_ROOM),
    "replica.fetch.max.bytes": str(_ROOM),
    "replica.fetch.response.max.bytes": str(_ROOM),
}

Latencies = Mapping[str, Sequence[float]]


def replay(recording: Recording, settings: Settings) -> Latencies:
    """The latencies in milliseconds by API that *recording* would have had with *settings*."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    with tempfile.TemporaryDirectory(prefix="antechamber-what-if-") as directory:
        return trio.run(_play, recording, settings, Path(directory), clock=clock)


async def _play(recording: Recording, settings: Settings, directory: Path) -> Latencies:
    factor = settings.replication_factor or recording.replication_factor
    delay_ms = settings.follower_delay_ms
    if delay_ms is None:
        delay_ms = recording.follower_delay_ms
    producers = [_lingering(each, settings.linger_ms or 0) for each in recording.producers]
    consumers = [_changed(each, settings) for each in recording.consumers]
    latencies: dict[str, list[float]] = {api: [] for api in recording.latencies}
    async with _cluster(_node_ids(recording, factor), directory) as (cluster, network):
        _create_topics(cluster, recording, factor)
        if delay_ms and factor > 1:
            cluster.faults.add({"link": {}, "action": {"type": "delay", "ms": delay_ms}})
        await trio.sleep(_WARM_UP_S)
        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            for producer in producers:
                link = _link(network, producer.node)
                nursery.start_soon(play_producer, producer, link, start, latencies["Produce"])
            for consumer in consumers:
                link = _link(network, consumer.node)
                positions = _positions(consumer, recording, producers)
                fetches = latencies["Fetch"]
                nursery.start_soon(play_consumer, consumer, positions, link, start, fetches)
    return latencies


def _changed(consumer: Consumer, settings: Settings) -> Consumer:
    min_bytes, max_wait_ms = settings.min_bytes, settings.max_wait_ms
    return replace(
        consumer,
        min_bytes=consumer.min_bytes if min_bytes is None else min_bytes,
        max_wait_ms=consumer.max_wait_ms if max_wait_ms is None else max_wait_ms,
    )


def _lingering(producer: Producer, linger_ms: int) -> Producer:
    """The producer with its requests of each *linger_ms* sent as one, when that time ends."""
    if not linger_ms:
        return producer
    groups: list[list[Sent]] = []
    for each in producer.sent:
        if groups and each.at_ms <= groups[-1][0].at_ms + linger_ms:
            groups[-1].append(each)
        else:
            groups.append([each])
    return replace(producer, sent=[_merged(group, linger_ms) for group in groups])


def _merged(group: Sequence[Sent], linger_ms: int) -> Sent:
    sizes = defaultdict[TopicPartition, int](int)
    for each in group:
        for key, size in each.sizes.items():
            sizes[key] += size
    return Sent(group[0].at_ms + linger_ms, sizes, max(each.work_ms for each in group))


def _positions(
    consumer: Consumer, recording: Recording, producers: Sequence[Producer]
) -> dict[TopicPartition, int]:
    """Where the consumer begins; in the replay each batch has one record, and logs begin at 0.

    Merged batches are fewer: the position is that share of them.
    """
    positions = dict[TopicPartition, int]()
    for key, offset in consumer.starts.items():
        recorded = len(recording.offsets.get(key, ()))
        before = recording.produced_before(key, offset)
        batches = sum(key in sent.sizes for each in producers for sent in each.sent)
        positions[key] = before * batches // recorded if recorded else 0
    return positions


def _node_ids(recording: Recording, factor: int) -> list[int]:
    """The nodes that lead, and as many others as the replicas need."""
    known = sorted({*recording.leaders.values()})
    others = (node for node in range(1, max(known) + factor + 1) if node not in known)
    return [*known, *(next(others) for _ in range(factor - len(known)))]


def _create_topics(cluster: Cluster, recording: Recording, factor: int) -> None:
    nodes = [*cluster.members]
    for topic in sorted({key.topic for key in recording.leaders}):
        count = 1 + max(key.partition for key in recording.leaders if key.topic == topic)
        assignments = []
        for partition in range(count):
            leader = recording.leaders.get(TopicPartition(topic, partition), nodes[0])
            first = nodes.index(leader)
            assignments.append(tuple((nodes * 2)[first : first + factor]))
        cluster.controller.create_topic(topic, assignments=assignments)


def _link(network: MemoryNetwork, node: int) -> Link:
    transport, _ = network.join(_port(node), _ROOM)
    return Link(transport)


def _port(node: int) -> int:
    return _FIRST_PORT + node


@asynccontextmanager
async def _cluster(
    nodes: Sequence[int], directory: Path
) -> AsyncIterator[tuple[Cluster, MemoryNetwork]]:
    config = Config.from_settings([Setting(*each, "what-if") for each in _CONFIG.items()])
    controller = Controller(ControllerStore(None), config, check_topic_configs)
    network = MemoryNetwork()
    brokers = [Broker(node, "127.0.0.1", _port(node)) for node in nodes]
    clock = AdjustableClock(_EPOCH_MS)
    cluster = Cluster(brokers, config, clock, controller, directory, network)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cluster.run)
            await trio.testing.wait_all_tasks_blocked()
            yield cluster, network
            nursery.cancel_scope.cancel()
    finally:
        cluster.close()
        controller.close()
