"""The clients of a replay: producers that send at recorded times, and loops of consumers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import cycle
from typing import Any

import trio

from broker.common.topic_partition import TopicPartition
from broker.network.transports.memory_transport import MemoryTransport
from broker.network.transports.transport import Disconnected
from broker.what_if.recording import Consumer, Producer, Sent
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.batch import batches, build_batch
from protocol.record_batch.record import Record

PRODUCE_VERSION, FETCH_VERSION = 9, 12  # they name topics
TIMEOUT_MS = 2**31 - 1
# Of a recording whose clock was frozen: a loop without time would not end.
TURN_MIN_MS = 0.05
FETCH_BYTES_MAX = 50 << 20  # the default of clients


class Link:
    """A client's end of a connection: requests, and their responses in the same order."""

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport = transport
        self._received = bytearray()
        self._correlation_id = 0

    def send(self, body: Any, version: int) -> None:
        """Send a request."""
        self._correlation_id += 1
        self._transport.send([encode_request(body, version, self._correlation_id, "what-if")])

    async def receive(self, request: Any, version: int) -> Any:
        """The response to the oldest request without one, which is of the class *request*."""
        size = int.from_bytes(await self._exactly(4))
        frame = await self._exactly(size)
        _, body = decode_response(RESPONSES[request.__spec__.key], version, memoryview(frame))
        return body

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    async def _exactly(self, count: int) -> bytes:
        buffer = bytearray(1 << 16)
        while len(self._received) < count:
            await self._transport.wait_readable()
            got = self._transport.receive_into(memoryview(buffer))
            if not got:
                raise Disconnected("the broker has closed the connection")
            self._received += buffer[:got]
        data = bytes(self._received[:count])
        del self._received[:count]
        return data


async def play_producer(
    producer: Producer, link: Link, start: float, latencies: list[float]
) -> None:
    """Send each produce at its time after *start*, and add the latencies in milliseconds."""
    sent_at: list[float] = []

    async def send_all() -> None:
        for each in producer.sent:
            await trio.sleep_until(start + each.at_ms / 1000)
            sent_at.append(trio.current_time())
            link.send(_produce(each, waits=producer.waits), PRODUCE_VERSION)

    with closing(link):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_all)
            for index, each in enumerate(producer.sent):
                await link.receive(ProduceRequest, PRODUCE_VERSION)
                latency_ms = (trio.current_time() - sent_at[index]) * 1000
                latencies.append(latency_ms + each.work_ms)


async def play_consumer(
    consumer: Consumer,
    positions: dict[TopicPartition, int],
    link: Link,
    start: float,
    latencies: list[float],
) -> None:
    """Fetch from *positions*, the last time before the end of the loop; add the latencies."""
    turns, empty_turns = cycle(consumer.turns), cycle(consumer.empty_turns)
    await trio.sleep_until(start + consumer.first_ms / 1000)
    with closing(link):
        while trio.current_time() < start + consumer.end_ms / 1000:
            begun = trio.current_time()
            link.send(_fetch(consumer, positions), FETCH_VERSION)
            response = await link.receive(FetchRequest, FETCH_VERSION)
            turn = next(turns if _advance(positions, response) else empty_turns)
            latencies.append((trio.current_time() - begun) * 1000 + turn.work_ms)
            await trio.sleep(max(TURN_MIN_MS, turn.work_ms + turn.think_ms) / 1000)


def _advance(positions: dict[TopicPartition, int], response: Any) -> bool:
    """Move the positions behind the fetched records; returns whether there are any."""
    found = False
    for topic in response.responses:
        for each in topic.partitions:
            for _, header in batches(each.records or b""):
                key = TopicPartition(topic.topic, each.partition_index)
                positions[key] = header.base_offset + header.last_offset_delta + 1
                found = True
    return found


def _produce(sent: Sent, *, waits: bool) -> ProduceRequest:
    topics = [
        TopicProduceData(
            name=topic,
            partition_data=[
                PartitionProduceData(index=key.partition, records=_batch(sent.sizes[key]))
                for key in keys
            ],
        )
        for topic, keys in _by_topic(sent.sizes)
    ]
    return ProduceRequest(acks=-1 if waits else 1, timeout_ms=TIMEOUT_MS, topic_data=topics)


def _fetch(consumer: Consumer, positions: Mapping[TopicPartition, int]) -> FetchRequest:
    topics = [
        FetchTopic(
            topic=topic,
            partitions=[
                FetchPartition(
                    partition=key.partition,
                    fetch_offset=positions[key],
                    partition_max_bytes=FETCH_BYTES_MAX,
                )
                for key in keys
            ],
        )
        for topic, keys in _by_topic(positions)
    ]
    return FetchRequest(
        max_wait_ms=consumer.max_wait_ms,
        min_bytes=consumer.min_bytes,
        max_bytes=FETCH_BYTES_MAX,
        topics=topics,
    )


def _by_topic(
    keys: Mapping[TopicPartition, int],
) -> Iterator[tuple[str, Sequence[TopicPartition]]]:
    for topic in sorted({key.topic for key in keys}):
        yield topic, sorted(key for key in keys if key.topic == topic)


_EMPTY_BYTES = len(build_batch([Record(None, b"", timestamp=0)]))


def _batch(size: int) -> bytes:
    """A batch of one record, of about *size* bytes."""
    return build_batch([Record(None, bytes(max(0, size - _EMPTY_BYTES)), timestamp=0)])
