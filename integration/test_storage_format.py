"""Our files are Kafka's: its tool accepts them, and each system serves the other's copies."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.checkpointed_offsets import COMPACTED as COMPACTED_TO
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.checkpoints import read_offset_checkpoint, read_partition_metadata
from broker.storage.log.open_log import open_log
from broker.storage.log_config import LogConfig
from integration.kafka.real_kafka import RealKafka
from integration.machine.clock import MachineClock
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Serve
from integration.processes.server_process import files_in
from integration.storage.kafka_files import CLEAN, FILES, METADATA, TROUBLE, dump
from integration.storage.kafka_histories import (
    INDEX_INTERVAL_BYTES,
    SEGMENT_BYTES,
    compact,
    fill_segment,
    horizons,
    play,
    stored_batches,
    write_everything,
    write_keys,
)
from integration.storage.mixed_logs import COMPACTED, MIXED, write_logs
from integration.wire.connection import Connection
from integration.wire.requests import (
    ProduceResponse,
    fetch,
    list_offsets,
    produce,
    read_fetch,
    read_list_offsets,
    read_produce,
)
from integration.wire.topics import make_topic
from protocol.record_batch.batch import build_batch
from protocol.record_batch.peek import extents
from protocol.record_batch.record import Record

pytestmark = pytest.mark.jvm

SEED = 20
# The tool's lines about valid files; any other line is a complaint.
FINE = (
    *("Dumping ", "Log starting offset: ", "baseOffset: ", "| ", "offset: ", "timestamp: "),
    *("producerId: ", "version: 0 producerId: "),
)
THEIRS = TopicPartition("theirs", 0)
EARLIEST = -2
INDEXES = (".index", ".timeindex")
LOG_CONFIG = LogConfig(segment_bytes=SEGMENT_BYTES, index_interval_bytes=INDEX_INTERVAL_BYTES)
ROUNDS = 4
NOT_LEADER_OR_FOLLOWER, OUT_OF_ORDER = 6, 45


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with all kinds of logs."""
    folder = tmp_path_factory.mktemp("ours")
    write_logs(folder, {MIXED: UUID(int=1), COMPACTED: UUID(int=2)}, seed=SEED)
    return folder


@pytest.mark.parametrize("key", [MIXED, COMPACTED], ids=str)
def test_kafkas_tool_accepts_our_files(ours: Path, key: TopicPartition) -> None:
    """Batches, records, indexes, aborted transactions and producers."""
    directory = ours / str(key)
    kinds = {path.suffix for path in directory.iterdir()}
    assert set(FILES) <= kinds, "the workload has not written all kinds of files"
    printed = dump(directory, "--deep-iteration")
    assert sum(line.startswith("| ") for line in printed) > 100
    assert not any("isvalid: false" in line for line in printed)
    assert complaints(printed, gaps=key == COMPACTED) == []


def complaints(printed: list[str], *, gaps: bool) -> list[str]:
    """Return the lines that are complaints; compaction leaves *gaps*.

    The tool also reports a gap if a segment does not begin at offset 0.
    """
    found = []
    for line in printed:
        before, is_gap, _ = line.strip().partition(" is followed by ")
        fine = not line or line.startswith((*FINE, "Non-consecutive offsets in "))
        fine = fine or line.endswith(".index is empty.")  # a small segment needs no entry
        if not fine and not (is_gap and (gaps or before == "-1")):
            found.append(line)
    return found


def test_kafkas_indexes_are_sane(ours: Path) -> None:
    """The tool reports each index file as sane."""
    directory = ours / str(MIXED)
    printed = dump(directory, "--index-sanity-check")
    indexes = [path.name for path in directory.iterdir() if path.suffix in (".index", ".timeindex")]
    assert [
        name for name in indexes if not any(f"{name} passed sanity check" in s for s in printed)
    ] == []


def stored(bootstrap: str, key: TopicPartition) -> bytes:
    """Return all batches that a broker serves of a partition, unchanged."""
    with Connection(bootstrap) as connection:
        requested = list_offsets(key.topic, key.partition, EARLIEST)
        _, offset = read_list_offsets(connection.request(requested))
        found = b""
        while batches := read_fetch(
            connection.request(fetch(key.topic, key.partition, offset, max_wait_ms=0))
        ).records:
            found += batches
            offset = next_offset(batches)
        return found


def next_offset(batches: bytes) -> int:
    """The offset after the last of these batches."""
    return max(last_offset for *_, last_offset in extents(batches)) + 1


@pytest.fixture(scope="module")
def kafka() -> Iterator[RealKafka]:
    """A Kafka with small segments and dense indexes, and a log with all kinds of batches."""
    properties = {
        "log.segment.bytes": str(SEGMENT_BYTES),
        "log.index.interval.bytes": str(INDEX_INTERVAL_BYTES),
        "log.retention.ms": "-1",
        "log.cleaner.backoff.ms": "100",
        # A fenced broker starts a new leader epoch, which our side of the comparison does not
        # have: a busy machine must not fence it.
        "broker.session.timeout.ms": "120000",
        "broker.heartbeat.interval.ms": "250",
        "transaction.partition.verification.enable": "false",
    }
    with RealKafka(properties=properties, quick=True, log_level="INFO") as running:
        with Connection(running.bootstrap) as connection:
            for key in (MIXED, COMPACTED, THEIRS):
                make_topic(connection, key.topic)
            write_everything(connection, THEIRS.topic)
        yield running


def test_equal_operations_give_equal_files(kafka: RealKafka, tmp_path: Path) -> None:
    """The files are equal byte for byte after an orderly stop."""
    kafka.process.stop(within=30)
    data = kafka.data_directory()
    manager = LogManager(tmp_path, MachineClock(), node_id=1, cluster_id="c", durable=False)
    for key in (MIXED, THEIRS):
        topic_id = read_partition_metadata(data / str(key) / METADATA)
        assert topic_id is not None
        log = manager.get_or_create(key, topic_id, LOG_CONFIG)
        play(log, stored_batches(data / str(key)))
    manager.close()

    for key in (MIXED, THEIRS):
        theirs = files_in(data / str(key))
        assert files_in(tmp_path / str(key)) == theirs
    assert set(FILES) <= {Path(name).suffix for name in theirs}, "not all kinds of files are there"
    for path in tmp_path.glob("*-offset-checkpoint"):
        assert read_offset_checkpoint(path).items() <= checkpoint_of(kafka, path.name).items()
    epoch = re.compile(r"-?[0-9]+}")
    marks = [(folder / CLEAN).read_text() for folder in (tmp_path, data)]
    assert epoch.sub("", marks[0]) == epoch.sub("", marks[1])
    kafka.start(1)


def test_a_compaction_gives_equal_files(kafka: RealKafka, tmp_path: Path) -> None:
    """The kept and removed records and markers, and their delete horizons, are equal.

    A round begins when another segment is full, and ends when Kafka has checkpointed it.
    """
    key, retention_ms = TopicPartition("keys", 0), 200
    settings = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.0"}
    settings["delete.retention.ms"] = str(retention_ms)
    config = replace(LOG_CONFIG, cleanup_policy=("compact",), delete_retention_ms=retention_ms)
    theirs, known = kafka.data_directory() / str(key), set[int]()
    markers: list[int] = []
    log = open_log(tmp_path / str(key), key, config, MachineClock())
    with Connection(kafka.bootstrap) as connection:
        make_topic(connection, key.topic, configs=settings)
        write_keys(connection, key.topic)
        for _ in range(ROUNDS):
            play(log, stored_batches(theirs, log.log_end_offset))
            end = fill_segment(connection, key.topic)
            eventually(lambda: _cleaned_to(kafka, key) == end, "a compaction")  # noqa: B023 - ends before the next round
            play(log, stored_batches(theirs, log.log_end_offset))
            reported = horizons(theirs) - known
            compact(
                log, end, max(reported) - retention_ms if reported else MachineClock().wall_ms()
            )
            assert _settled(log.directory) == _settled(theirs)
            known |= reported
            markers.append(sum(header.is_control for header, _ in stored_batches(theirs)))
            time.sleep(retention_ms / 1000)
    assert len(known) > 1, "a marker may go later than a tombstone of the same time"
    assert 0 < markers[-1] < markers[0], "some may go, some may not"


def _cleaned_to(kafka: RealKafka, key: TopicPartition) -> int | None:
    return checkpoint_of(kafka, COMPACTED_TO).get(key)


def checkpoint_of(kafka: RealKafka, name: str) -> dict[TopicPartition, int]:
    """A checkpoint file of Kafka, which is empty at first."""
    path = kafka.data_directory() / name
    return read_offset_checkpoint(path) if path.stat().st_size else {}


def _settled(directory: Path) -> dict[str, bytes]:
    """The files of a partition, except active ones and those that only the broker writes."""
    active = max(directory.glob("*.log")).stem
    return {
        name: content
        for name, content in files_in(directory).items()
        if name != METADATA
        and not name.endswith(".deleted")
        and not (name.startswith(active) and name.endswith(INDEXES))
    }


def test_each_system_serves_the_logs_of_the_other(
    kafka: RealKafka, serve: Serve, tmp_path: Path
) -> None:
    """The bytes are equal; Kafka's log is that of a killed broker, ours was closed in order.

    Kafka loads our log without repairs: no index and no snapshot is rebuilt. Each system knows the
    next sequence numbers of the other's producers.
    """
    wanted = stored(kafka.bootstrap, THEIRS)
    kafka.stop(1)
    _copy_theirs(kafka.data_directory() / str(THEIRS), serve, tmp_path / "taken")
    with serve("--data-dir", str(tmp_path / "taken")) as broker:
        assert stored(broker.bootstrap, THEIRS) == wanted
        producers_go_on(
            broker.bootstrap, THEIRS, next_sequences(kafka.data_directory() / str(THEIRS))
        )

    data = kafka.data_directory()
    ids = {key: read_partition_metadata(data / str(key) / METADATA) for key in (MIXED, COMPACTED)}
    write_logs(tmp_path / "made", {key: each for key, each in ids.items() if each}, seed=SEED)
    for key in ids:
        shutil.rmtree(data / str(key))
        shutil.copytree(tmp_path / "made" / str(key), data / str(key))
    for path in (tmp_path / "made").glob("*-offset-checkpoint"):
        shutil.copy(path, data)
    shutil.copy(tmp_path / "made" / CLEAN, data)
    # One log needs a repair, to show that the check detects complaints.
    (data / str(THEIRS) / f"{0:020d}.index").unlink()
    # A killed broker may register again when its old session has expired.
    kafka.start(1, {"broker.session.timeout.ms": "1000"})
    assert complained_of(kafka.process.stdout()) == {THEIRS}
    for key in ids:
        files = sorted((tmp_path / "made" / str(key)).glob("*.log"))
        ours = b"".join(path.read_bytes() for path in files)
        sequences = next_sequences(tmp_path / "made" / str(key))
        served = stored(kafka.bootstrap, key)
        assert len(served) > 10_000
        assert ours.endswith(served)
        assert key == MIXED or served == ours
        producers_go_on(kafka.bootstrap, key, sequences)


def next_sequences(directory: Path) -> dict[int, int]:
    """The next sequence number of each idempotent producer."""
    return {
        header.producer_id: header.last_sequence + 1
        for header, _ in stored_batches(directory)
        if header.producer_id >= 0 and not header.is_transactional
    }


def producers_go_on(bootstrap: str, key: TopicPartition, sequences: dict[int, int]) -> None:
    """The next batch is appended once, however often it is sent, and a gap is rejected."""
    assert sequences
    with Connection(bootstrap) as connection:
        for producer, sequence in sequences.items():
            responses = []
            for number in (sequence, sequence, sequence + 5):
                record = Record(b"k", b"next", timestamp=MachineClock().wall_ms())
                sent = build_batch(
                    [record], producer_id=producer, producer_epoch=0, base_sequence=number
                )
                responses.append(_produced_by_the_leader(connection, key, sent))
            first, again, gap = responses
            assert (first.error, again, gap.error) == (0, first, OUT_OF_ORDER)


def _produced_by_the_leader(
    connection: Connection, key: TopicPartition, batch: bytes
) -> ProduceResponse:
    """Produce as a client does: retry while the broker is fenced."""
    requested = produce(key.topic, key.partition, batch)
    responses: list[ProduceResponse] = []

    def is_leader() -> bool:
        responses.append(read_produce(connection.request(requested)))
        return responses[-1].error != NOT_LEADER_OR_FOLLOWER

    eventually(is_leader, f"a leader of {key}")
    return responses[-1]


def complained_of(printed: str) -> set[TopicPartition]:
    """The logs that a starting Kafka had to repair or complained about."""
    lines = printed.splitlines()
    loaded = [line for line in lines if "Completed load of Log" in line]
    logs = {key for key in (MIXED, COMPACTED, THEIRS) if any(f"/{key}," in at for at in loaded)}
    assert len(logs) == 3, "the loaded logs are not in its output"
    troubled = [line for line in lines if TROUBLE.search(line)]
    return {key for key in logs if any(str(key) in line for line in troubled)}


def _copy_theirs(theirs: Path, serve: Serve, folder: Path) -> None:
    """Replace Kafka's partition by one of ours."""
    with serve("--data-dir", str(folder), "--topic", THEIRS.topic):
        pass
    home = folder / "node-1" / str(THEIRS)
    topic_id = (home / METADATA).read_bytes()
    shutil.rmtree(home)
    shutil.copytree(theirs, home)
    (home / METADATA).write_bytes(topic_id)
    (folder / "node-1" / CLEAN).unlink()
