"""A full disk ends the broker with one line, as Kafka halts; acknowledged records are kept."""

from __future__ import annotations

import os
import re
import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from integration.processes.antechamber import Antechamber, Serve
from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch, read_produce
from integration.wire.topics import make_topic

KAFKA_STORAGE_ERROR = 56
RECORD_BYTES = 10_000
REASON = re.compile(r"File too large|No space left on device")


def value(number: int) -> bytes:
    """A record that contains its number."""
    return b"%08d" % number + bytes(RECORD_BYTES)


def fill(broker: Antechamber, topic: str, *, at_most: int) -> list[bytes]:
    """Produce until the broker ends; return the acknowledged records."""
    acknowledged: list[bytes] = []
    with Connection(broker.bootstrap) as connection, suppress(EOFError, ConnectionResetError):
        make_topic(connection, topic)
        while len(acknowledged) < at_most:
            record = value(len(acknowledged))
            response = read_produce(connection.request(produce(topic, 0, batch([record]))))
            if response.error:
                assert response.error == KAFKA_STORAGE_ERROR
                break
            assert response.base_offset == len(acknowledged)
            acknowledged.append(record)
        else:
            raise AssertionError("the disk did not fill up")
    assert broker.process.wait(60) == 1
    (line,) = broker.process.stderr().splitlines()
    assert line.startswith("antechamber serve: no data directory is left; ")
    assert REASON.search(line)
    return acknowledged


def read_all(broker: Antechamber, topic: str) -> list[bytes]:
    """Every record of partition 0."""
    found: list[bytes] = []
    with Connection(broker.bootstrap) as connection:
        while True:
            response = read_fetch(connection.request(fetch(topic, 0, len(found), max_wait_ms=0)))
            assert response.error == 0
            if not response.records:
                return found
            found += [record for _, record in values(response.records)]


def no_acknowledged_record_is_lost(
    serve: Serve, data: Path, topic: str, acknowledged: list[bytes]
) -> None:
    """Check that a broker restarted on the same directory serves the records."""
    with serve("--data-dir", str(data)) as second:
        found = read_all(second, topic)
        assert found[: len(acknowledged)] == acknowledged
        assert len(found) <= len(acknowledged) + 1  # the failed one may be on the disk
        with Connection(second.bootstrap) as connection:
            assert read_produce(connection.request(produce(topic, 0, batch([b"more"])))).error == 0


def test_a_file_size_limit(serve: Serve, tmp_path: Path, topic: str) -> None:
    """The kernel writes a part of a batch (RLIMIT_FSIZE)."""
    if not hasattr(resource, "prlimit"):
        pytest.skip("needs prlimit")
    data = tmp_path / "data"
    broker = serve("--data-dir", str(data))
    _, hard = resource.prlimit(broker.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (205_000, hard))
    acknowledged = fill(broker, topic, at_most=100)
    assert acknowledged
    no_acknowledged_record_is_lost(serve, data, topic, acknowledged)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "antechamber-test", str(tmp_path)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"may not mount here: {done.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def test_a_full_file_system(serve: Serve, small_disk: Path, topic: str) -> None:
    """Every write of the broker fails, not only those to the log."""
    data = small_disk / "data"
    broker = serve("--data-dir", str(data))
    acknowledged = fill(broker, topic, at_most=500)
    assert acknowledged
    mount = ["mount", "-o", "remount,size=64m", str(small_disk)]
    subprocess.run(mount, check=True)
    no_acknowledged_record_is_lost(serve, data, topic, acknowledged)
