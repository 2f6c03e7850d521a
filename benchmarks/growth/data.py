"""Curves of partitions, of groups with offsets, of records in a batch, and of the size of a log."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.groups import commit_error, new_group, offset_commit
from benchmarks.growth.curve import BESIDE, Curve, beside
from benchmarks.ready_partition import ready_partition
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import (
    create_topic,
    fetch,
    metadata,
    produce,
    read_create_topic,
    read_fetch,
    read_metadata,
    read_produce,
)

PARTITIONS_OF_A_TOPIC = 500
IDLE_SECONDS = 5.0  # high watermarks are written once in this time
REQUESTS = 200
RECORD_BYTES = 100
LARGE_BATCH = [bytes(1000)] * 100

Points = Iterator[tuple[int, Mapping[str, float]]]


def partitions(system: System, sizes: Sequence[int]) -> Points:
    """Topics of 500 partitions; Metadata of all topics, and the same requests again."""
    existing = 0
    with Connection(system.bootstrap, timeout=120) as connection:
        for size in sizes:
            used, added = system.cpu_seconds(), size - existing
            while existing < size:
                count = min(PARTITIONS_OF_A_TOPIC, size - existing)
                request = create_topic(f"growth-{existing}", partitions=count)
                error, message = read_create_topic(connection.request(request))
                assert error == 0, message
                existing += count
            created = (system.cpu_seconds() - used) * 1e6 / added
            used = system.cpu_seconds()
            response = connection.request(metadata(None))
            described = (system.cpu_seconds() - used) * 1e6 / size
            topics = read_metadata(response).topics
            assert sum(len(leaders) for _, leaders in topics.values()) >= size
            used = system.cpu_seconds()
            for _ in range(REQUESTS):
                connection.request(metadata(None))
            repeated = (system.cpu_seconds() - used) * 1e6 / size / REQUESTS
            used = system.cpu_seconds()
            time.sleep(IDLE_SECONDS)
            idle = (system.cpu_seconds() - used) * 1e6 / size / IDLE_SECONDS
            yield (
                size,
                {
                    "to create one, broker CPU": created,
                    "its share of a first Metadata response, broker CPU": described,
                    "its share of a repeated response, broker CPU": repeated,
                    "its share of an idle second, broker CPU": idle,
                    **beside(system),
                },
            )


def groups(system: System, sizes: Sequence[int]) -> Points:
    """Groups with one committed offset."""
    existing = 0
    topic = system.new_topic()
    new_group(system)
    with Connection(system.bootstrap) as connection:
        for size in sizes:
            added, used = size - existing, system.cpu_seconds()
            for _ in range(added):
                frame = offset_commit(f"growth-{uuid.uuid4().hex}", topic)
                assert not commit_error(connection.request(frame))
            existing = size
            created = (system.cpu_seconds() - used) * 1e6 / added
            yield size, {"a first commit, broker CPU": created, **beside(system)}


def records(system: System, sizes: Sequence[int]) -> Points:
    """One batch of this many records of 100 bytes in a produce request."""
    for size in sizes:
        topic, _, leader = ready_partition(system)
        frame = produce(topic, 0, batch([bytes(RECORD_BYTES)] * size))
        with Connection(leader) as connection:
            used = system.cpu_seconds()
            for _ in range(REQUESTS):
                assert read_produce(connection.request(frame)).error == 0
        request = (system.cpu_seconds() - used) * 1e6 / REQUESTS
        yield size, {"a record, broker CPU": request / size, "a request, broker CPU": request}


def log_size(system: System, sizes: Sequence[int]) -> Points:
    """Fetches of one batch at random offsets of a log of this many megabytes, and appends to it."""
    topic, _, leader = ready_partition(system)
    frame = produce(topic, 0, batch(LARGE_BATCH))
    small = produce(topic, 0, batch([bytes(RECORD_BYTES)]))
    draw = random.Random(1)
    written = 0
    with Connection(leader) as connection:
        for size in sizes:
            while written < size * 1_000_000:
                assert read_produce(connection.request(frame)).error == 0
                written += len(frame)
            used = system.cpu_seconds()
            for _ in range(REQUESTS):
                end = read_produce(connection.request(small)).base_offset
            appended = (system.cpu_seconds() - used) * 1e6 / REQUESTS
            offsets = [draw.randrange(end) for _ in range(REQUESTS)]
            used = system.cpu_seconds()
            for offset in offsets:
                request = fetch(topic, 0, offset, max_bytes=1)
                assert read_fetch(connection.request(request)).records
            fetched = (system.cpu_seconds() - used) * 1e6 / REQUESTS
            yield size, {"an append, broker CPU": appended, "a fetch, broker CPU": fetched}


PARTITIONS = Curve(
    "growth_partitions",
    "partitions",
    (1250, 2500, 5000, 10_000, 20_000),
    (
        "to create one, broker CPU",
        "its share of a first Metadata response, broker CPU",
        "its share of a repeated response, broker CPU",
        "its share of an idle second, broker CPU",
        *BESIDE,
    ),
    partitions,
)
GROUPS = Curve(
    "growth_groups",
    "groups",
    (1250, 2500, 5000, 10_000),
    ("a first commit, broker CPU", *BESIDE),
    groups,
)
RECORDS = Curve(
    "growth_records",
    "records in a batch",
    (1, 4, 16, 64, 256, 1024, 4096),
    ("a record, broker CPU", "a request, broker CPU"),
    records,
)
LOG_SIZE = Curve(
    "growth_log",
    "MB in the log",
    (64, 128, 256, 512, 1024),
    ("an append, broker CPU", "a fetch, broker CPU"),
    log_size,
)
