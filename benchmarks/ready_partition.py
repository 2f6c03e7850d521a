"""A new topic whose leader is known and whose followers fetch already."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import metadata, produce, read_metadata, read_produce

REPLICATED_WITHIN_SECONDS = 30.0
_WARM_UP_REQUESTS = 50


class ReadyPartition(NamedTuple):
    """Partition 0 of a topic: its leader, and the leader's address."""

    topic: str
    leader: int
    address: str


def ready_partition(system: System) -> ReadyPartition:
    """Create a topic; a few records are replicated before this returns."""
    topic = system.new_topic()
    with Connection(system.bootstrap) as connection:
        response = read_metadata(connection.request(metadata([topic])))
    leader = response.topics[topic][1][0]
    address = next(f"{host}:{port}" for node, host, port in response.brokers if node == leader)
    with Connection(address, timeout=REPLICATED_WITHIN_SECONDS) as connection:
        for _ in range(_WARM_UP_REQUESTS):
            assert read_produce(connection.request(produce(topic, 0, batch([b"warm"])))).error == 0
    return ReadyPartition(topic, leader, address)
