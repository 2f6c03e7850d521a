"""Several `--data-dir`s: each partition is in one of them; a failed one affects only its own."""

from __future__ import annotations

import shutil
from pathlib import Path

from integration.processes.antechamber import Antechamber, Serve
from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import FetchResponse, fetch, produce, read_fetch, read_produce

KAFKA_STORAGE_ERROR = 56
TOPIC = "spread"
PARTITIONS = 4


def read(broker: Antechamber, partition: int) -> FetchResponse:
    """Return the records that a consumer gets from the beginning."""
    with Connection(broker.bootstrap) as connection:
        return read_fetch(connection.request(fetch(TOPIC, partition, 0, max_wait_ms=0)))


def test_partitions_are_spread_over_directories(serve: Serve, tmp_path: Path) -> None:
    """Each has half of them; a missing directory makes only its half unavailable."""
    a, b = tmp_path / "a", tmp_path / "b"
    arguments = ["--data-dir", str(a), "--data-dir", str(b), "--topic", f"{TOPIC}:{PARTITIONS}"]
    first = serve(*arguments)
    assert first.ready["data_dirs"] == [str(a), str(b)]
    with Connection(first.bootstrap) as connection:
        for partition in range(PARTITIONS):
            sent = produce(TOPIC, partition, batch([b"%d" % partition]))
            assert read_produce(connection.request(sent)).error == 0
    first.close()
    homes = {
        partition: [path for path in (a, b) if (path / "node-1" / f"{TOPIC}-{partition}").exists()]
        for partition in range(PARTITIONS)
    }
    assert sorted(homes.values()) == [[a], [a], [b], [b]]

    with serve(*arguments) as second:
        for partition in range(PARTITIONS):
            assert list(values(read(second, partition).records)) == [(0, b"%d" % partition)]

    shutil.rmtree(b)
    b.write_text("no directory")
    with serve(*arguments) as third:
        errors = {partition: read(third, partition).error for partition in range(PARTITIONS)}
        assert errors == {
            partition: KAFKA_STORAGE_ERROR if homes[partition] == [b] else 0
            for partition in range(PARTITIONS)
        }
        assert "its partitions are offline" in third.process.stderr()


def test_a_topic_that_exists_with_other_numbers(serve: Serve, tmp_path: Path) -> None:
    """The start warns of the numbers and of missing nodes, and does not change the topic."""
    serve("--data-dir", str(tmp_path), "--brokers", "3", "--topic", "a:2:3").close()

    with serve("--data-dir", str(tmp_path), "--topic", "a:5:1") as broker:
        printed = broker.process.stderr()
        [topic] = broker.admin.cluster()["topics"]

    assert "--topic a:5:1: the topic exists with 2 partitions and replication factor 3" in printed
    assert "--brokers 1: 1 topic has replicas on nodes that do not exist: 2, 3" in printed
    assert len(topic["partitions"]) == 2
