"""Consumer throughput from one partition of 1 KB records: confluent-kafka, and a raw client.

confluent-kafka has a large queue: by default librdkafka stops fetching for a second whenever 64 MB
are queued. The raw client fetches 1 MB at a time, one fetch after the other, receives all responses
into one buffer, and does not parse the records. The same client receives megabytes of a file from
the bare server of `benchmarks.bare_fetch`, and confluent-kafka those of the bare broker of
`benchmarks.bare_consume`. Each reads the topic several times: one pass of the raw
client takes 0.04 s, in which its rate varied by a factor of two.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from benchmarks.bare_consume import (
    BATCH,
    BATCHES,
    RECORD_BYTES,
    RECORDS_PER_BATCH,
    TOPIC,
    BareConsume,
)
from benchmarks.bare_fetch import BY_SENDFILE, COPIED, REQUEST_BYTES, RESPONSE_BYTES, BareFetch
from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.limits import connected
from benchmarks.systems import System
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_produce

PASSES = 3
RAW_PASSES = 20
BATCHES_PER_FETCH = 10
RAW_FETCH_BYTES = 1 << 20
SETTINGS = {"enable.auto.commit": False, "queued.max.messages.kbytes": 1_000_000}
SETTINGS |= {"queued.min.messages": 1_000_000, "fetch.queue.backoff.ms": 1}


def measure(system: System, scale: float) -> Sample:
    """Measure both clients."""
    if not system.keeps_records:
        return {}
    rate, cpu = confluent(system, scale)
    sample = {"consume 1 KB": rate, "consume 1 KB, broker CPU": cpu}
    rate, cpu = _raw(system, scale)
    sample |= {"raw fetch": rate, "raw fetch, broker CPU": cpu}
    return sample | _limits(scale) if system.name == "ours" else sample


def _limits(scale: float) -> dict[str, float]:
    """The figures of the bare servers."""
    sample = dict[str, float]()
    with BareConsume() as broker:
        client = {"bootstrap.servers": broker.bootstrap, "enable.metrics.push": False}
        count = int(BATCHES * scale) * RECORDS_PER_BATCH
        rate, cpu = _consumption(client, broker.cpu_seconds, TOPIC, count)
        sample |= {"bare broker, consume 1 KB": rate, "bare broker, CPU": cpu}
    with BareFetch() as server:
        for name, how in (("bare file", COPIED), ("bare file by sendfile", BY_SENDFILE)):
            sample[name], sample[f"{name}, CPU"] = _bare(server, how, scale)
    return sample


def confluent(system: System, scale: float) -> tuple[float, float]:
    """The MB/s from the first message of a prepared topic to the last, and the CPU s/GB."""
    count = int(BATCHES * scale) * RECORDS_PER_BATCH
    topic = _filled_topic(system, count)
    return _consumption(system.client, system.cpu_seconds, topic, count)


def _consumption(
    client: Mapping[str, Any], cpu_seconds: Callable[[], float], topic: str, count: int
) -> tuple[float, float]:
    passes = [_consume(client, cpu_seconds, topic, count) for _ in range(PASSES)]
    seconds, cpu = map(sum, zip(*passes, strict=True))
    megabytes = PASSES * count * RECORD_BYTES / 1e6
    return megabytes / seconds, cpu * 1000 / megabytes


def _consume(
    client: Mapping[str, Any], cpu_seconds: Callable[[], float], topic: str, count: int
) -> tuple[float, float]:
    """The seconds from the first message of the topic to the last, and those of the processor."""
    consumer = Consumer({**client, "group.id": topic, **SETTINGS})
    consumer.assign([TopicPartition(topic, 0, 0)])
    first = consumer.consume(1, timeout=10)
    assert first
    assert first[0].error() is None
    cpu_before, started = cpu_seconds(), time.perf_counter()
    got = 1
    while got < count:
        got += len(consumer.consume(10_000, timeout=0.1))
    seconds, cpu = time.perf_counter() - started, cpu_seconds() - cpu_before
    consumer.close()
    return seconds, cpu


def _raw(system: System, scale: float) -> tuple[float, float]:
    """The MB/s of all fetches of the topic, and the processor seconds for a GB."""
    count = int(BATCHES * scale) * RECORDS_PER_BATCH
    topic = _filled_topic(system, count)
    batch_bytes = len(BATCH)
    with connected(system.bootstrap) as connection:
        inbox = memoryview(bytearray(2 * RAW_FETCH_BYTES))
        cpu_before, started = system.cpu_seconds(), time.perf_counter()
        got = 0
        for _ in range(RAW_PASSES):
            offset = 0
            while offset < count:
                connection.sendall(fetch(topic, 0, offset, max_bytes=RAW_FETCH_BYTES))
                size = _receive_frame(connection, inbox)
                got += size
                offset += size // batch_bytes * RECORDS_PER_BATCH
        seconds, cpu = time.perf_counter() - started, system.cpu_seconds() - cpu_before
    return got / 1e6 / seconds, cpu / (got / 1e9)


def _bare(server: BareFetch, how: bytes, scale: float) -> tuple[float, float]:
    """The same of responses of the bare server."""
    count = int(BATCHES * scale) // BATCHES_PER_FETCH * RAW_PASSES
    with connected(server.bootstrap) as connection:
        inbox = memoryview(bytearray(RESPONSE_BYTES))
        cpu_before, started = server.cpu_seconds(), time.perf_counter()
        for _ in range(count):
            connection.sendall(how * REQUEST_BYTES)
            _receive(connection, inbox)
        seconds, cpu = time.perf_counter() - started, server.cpu_seconds() - cpu_before
    got = count * RESPONSE_BYTES
    return got / 1e6 / seconds, cpu / (got / 1e9)


def _receive_frame(connection: socket.socket, inbox: memoryview) -> int:
    """Receive one frame into the beginning of *inbox*; returns its size without its length."""
    _receive(connection, inbox[:4])
    size = int.from_bytes(inbox[:4], "big")
    _receive(connection, inbox[:size])
    return size


def _receive(connection: socket.socket, buffer: memoryview) -> None:
    """Fill *buffer*."""
    while buffer:
        received = connection.recv_into(buffer)
        assert received, "the server has disconnected"
        buffer = buffer[received:]


def _filled_topic(system: System, count: int) -> str:
    key = f"consuming {count}"
    if key not in system.topics:
        system.topics[key] = system.new_topic()
        frame = produce(system.topics[key], 0, BATCH)
        with Connection(system.bootstrap) as connection:
            for _ in range(count // RECORDS_PER_BATCH):
                assert read_produce(connection.request(frame)).error == 0
    return system.topics[key]


BENCHMARK = Benchmark(
    "consuming",
    (
        Metric("consume 1 KB", "MB/s", "higher"),
        Metric("consume 1 KB, broker CPU", "s/GB"),
        Metric("raw fetch", "MB/s", "higher"),
        Metric("raw fetch, broker CPU", "s/GB"),
        Metric("bare broker, consume 1 KB", "MB/s", "higher"),
        Metric("bare broker, CPU", "s/GB"),
        Metric("bare file", "MB/s", "higher"),
        Metric("bare file, CPU", "s/GB"),
        Metric("bare file by sendfile", "MB/s", "higher"),
        Metric("bare file by sendfile, CPU", "s/GB"),
    ),
    measure,
    written_mb=200,
)
