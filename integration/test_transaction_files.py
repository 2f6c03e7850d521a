"""The files of partitions with transactions: those of Kafka, and usable by each other's broker."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.coordinators.coordinator_record import RawRecord
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.checkpoints import read_partition_metadata
from broker.storage.log.open_log import open_log
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.transactions.log_records import tombstone, transaction_record, transaction_records
from broker.transactions.metadata import TransactionValue
from broker.transactions.transaction_partitions import TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from integration.kafka.real_kafka import RealKafka
from integration.machine.clock import MachineClock
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Serve
from integration.processes.server_process import files_in
from integration.storage.kafka_files import CLEAN, METADATA, TROUBLE, dump
from integration.storage.kafka_histories import (
    INDEX_INTERVAL_BYTES,
    SEGMENT_BYTES,
    append,
    play,
    stored_batches,
)
from integration.storage.transaction_logs import OPEN, write_to_kafka, write_to_log
from integration.wire.connection import Connection
from integration.wire.requests import FetchResponse, fetch, read_fetch, write_txn_markers
from integration.wire.topics import make_topic
from protocol.record_batch.batch import build_batch
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker
from protocol.record_batch.record import Record

pytestmark = pytest.mark.jvm

KEY = TopicPartition("transactions", 0)
LOG_CONFIG = LogConfig(segment_bytes=SEGMENT_BYTES, index_interval_bytes=INDEX_INTERVAL_BYTES)
READ_COMMITTED = 1


@pytest.fixture(scope="module")
def kafka() -> Iterator[RealKafka]:
    """A Kafka with small segments and a partition whose last transaction is open."""
    properties = {
        "log.segment.bytes": str(SEGMENT_BYTES),
        "log.index.interval.bytes": str(INDEX_INTERVAL_BYTES),
        "log.retention.ms": "-1",
        # A fenced broker starts a new leader epoch, which our log does not have.
        "broker.session.timeout.ms": "120000",
        "broker.heartbeat.interval.ms": "250",
        "transaction.partition.verification.enable": "false",
    }
    with RealKafka(properties=properties, quick=True, log_level="INFO") as running:
        with Connection(running.bootstrap) as connection:
            make_topic(connection, KEY.topic)
            write_to_kafka(connection, KEY.topic)
        yield running


def committed(bootstrap: str, offset: int = 0) -> FetchResponse:
    """Fetch as a ``read_committed`` consumer, while the partition has no leader again and again."""
    requested = fetch(KEY.topic, 0, offset, max_wait_ms=0, isolation_level=READ_COMMITTED)
    found: list[FetchResponse] = []

    def is_served() -> bool:
        with Connection(bootstrap) as connection:
            found.append(read_fetch(connection.request(requested)))
        return not found[-1].error

    eventually(is_served, f"a leader of {KEY}")
    return found[-1]


def first_open(log: UnifiedLog) -> int:
    """The first offset of the transaction that remains open."""
    entry = log.producer_state_manager.producers[OPEN]
    assert entry.current_txn_first_offset > 0
    return entry.current_txn_first_offset


def test_equal_transactions_give_equal_files(kafka: RealKafka, tmp_path: Path) -> None:
    """Segments, indexes, aborted transactions and snapshots are equal, with one open transaction.

    Kafka is stopped in order before the comparison.
    """
    kafka.process.stop(within=30)
    data = kafka.data_directory()
    manager = LogManager(tmp_path, MachineClock(), node_id=1, cluster_id="c", durable=False)
    topic_id = read_partition_metadata(data / str(KEY) / METADATA)
    assert topic_id is not None
    log = manager.get_or_create(KEY, topic_id, LOG_CONFIG)
    play(log, stored_batches(data / str(KEY)))
    assert log.last_stable_offset < log.high_watermark
    manager.close()

    theirs = files_in(data / str(KEY))
    assert files_in(tmp_path / str(KEY)) == theirs
    assert sum(name.endswith(".txnindex") for name in theirs) > 1
    assert sum(name.endswith(".snapshot") for name in theirs) > 1
    kafka.start(1)


@pytest.mark.parametrize("clean", [True, False])
def test_our_storage_continues_the_transaction_of_kafka(
    kafka: RealKafka, tmp_path: Path, clean: bool
) -> None:
    """From its snapshots, and with all files rebuilt from the segments as after a kill."""
    kafka.process.stop(within=30)
    folder = tmp_path / str(KEY)
    shutil.copytree(kafka.data_directory() / str(KEY), folder)
    kafka.start(1)
    served = committed(kafka.bootstrap)
    indexes = {path.name: path.read_bytes() for path in folder.glob("*.txnindex")}
    if not clean:
        for path in [*folder.glob("*.txnindex"), *folder.glob("*.snapshot")]:
            path.unlink()

    log = open_log(folder, KEY, LOG_CONFIG, MachineClock(), clean=clean)
    log.update_high_watermark(log.log_end_offset_metadata)
    assert {path.name: path.read_bytes() for path in folder.glob("*.txnindex")} == indexes
    begun = log.last_stable_offset
    assert begun == served.last_stable_offset <= first_open(log)
    upper = log.last_stable_offset_metadata
    ours = log.aborted_in(log.fetch(0, 50 << 20, upper, True), upper)
    assert [(each.producer_id, each.first_offset) for each in ours] == served.aborted
    _end_all(log)
    assert log.last_stable_offset == log.log_end_offset


def _end_all(log: UnifiedLog) -> None:
    """Abort every open transaction."""
    producers = log.producer_state_manager
    for producer_id in list(producers.transactions.ongoing.values()):
        marker = build_end_txn_marker(
            EndTxnMarker(is_abort=True, coordinator_epoch=0),
            producer_id=producer_id,
            producer_epoch=producers.producers[producer_id].epoch,
            timestamp=MachineClock().wall_ms(),
        )
        append(log, memoryview(bytearray(marker)))


def test_our_broker_serves_the_transactions_of_kafka(
    kafka: RealKafka, serve: Serve, tmp_path: Path
) -> None:
    """The bytes, the last stable offset and the aborted transactions are those of Kafka."""
    wanted = committed(kafka.bootstrap)
    kafka.process.stop(within=30)
    with serve("--data-dir", str(tmp_path), "--topic", KEY.topic):
        pass
    home = tmp_path / "node-1" / str(KEY)
    topic_id = (home / METADATA).read_bytes()
    shutil.rmtree(home)
    shutil.copytree(kafka.data_directory() / str(KEY), home)
    (home / METADATA).write_bytes(topic_id)
    (tmp_path / "node-1" / CLEAN).unlink()
    kafka.start(1)
    configs = ("--config", f"log.index.interval.bytes={INDEX_INTERVAL_BYTES}")
    with serve("--data-dir", str(tmp_path), *configs) as broker:
        assert committed(broker.bootstrap) == wanted
        at = wanted.last_stable_offset
        assert committed(broker.bootstrap, at) == committed(kafka.bootstrap, at)


def test_kafka_continues_our_transaction(kafka: RealKafka, tmp_path: Path) -> None:
    """It loads our files without repairs, and ends the transaction that is open in them."""
    kafka.process.stop(within=30)
    data = kafka.data_directory()
    topic_id = read_partition_metadata(data / str(KEY) / METADATA)
    assert topic_id is not None
    manager = LogManager(tmp_path, MachineClock(), node_id=1, cluster_id="c", durable=False)
    log = manager.get_or_create(KEY, topic_id, LOG_CONFIG)
    write_to_log(log)
    upper = log.last_stable_offset_metadata
    ours = log.aborted_in(log.fetch(0, 50 << 20, upper, True), upper)
    begun, end = log.last_stable_offset, log.log_end_offset
    ongoing = dict(log.producer_state_manager.transactions.ongoing)
    epochs = {each: log.producer_state_manager.producers[each].epoch for each in ongoing.values()}
    manager.close()
    shutil.rmtree(data / str(KEY))
    shutil.copytree(tmp_path / str(KEY), data / str(KEY))
    for path in tmp_path.glob("*-offset-checkpoint"):
        shutil.copy(path, data)
    shutil.copy(tmp_path / CLEAN, data)
    kafka.start(1)

    served = committed(kafka.bootstrap)
    assert served.last_stable_offset == begun < end
    assert served.aborted == [(each.producer_id, each.first_offset) for each in ours]
    lines = kafka.process.stdout().splitlines()
    assert [line for line in lines if str(KEY) in line and TROUBLE.search(line)] == []
    with Connection(kafka.bootstrap) as connection:
        for producer_id, epoch in epochs.items():
            connection.request(write_txn_markers(KEY.topic, 0, producer_id, epoch, commit=False))
    ended = committed(kafka.bootstrap, begun)
    assert ended.last_stable_offset == end + len(epochs)
    assert {(producer, first) for first, producer in ongoing.items()} <= set(ended.aborted)


# -------------------------------------------------------------------- the log of the coordinator


PARTITIONS = (TopicPartition("other", 3), KEY)


def _values(level: int) -> Iterator[TransactionValue]:
    """One value in each state that is written; a client of level 2 may have begun it."""
    for state in TransactionState:
        if state not in (TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE):
            is_begun = state is not TransactionState.EMPTY
            yield TransactionValue(
                producer_id=1000 + state,
                producer_epoch=state,
                prev_producer_id=1000 + state,
                timeout_ms=60_000,
                state=state,
                partitions=TransactionPartitions(PARTITIONS if is_begun else ()),
                start_ms=1 if is_begun else -1,
                last_update_ms=2,
                client_transaction_version=2 if level == 2 and is_begun else 0,
            )


def _printed(value: TransactionValue, level: int) -> dict[str, object]:
    """The fields that the tool prints; tagged fields with default values are not written."""
    tagged: dict[str, object] = {"previousProducerId": value.prev_producer_id} if level else {}
    if value.client_transaction_version:
        tagged["clientTransactionVersion"] = value.client_transaction_version
    partitions = [{"topic": key.topic, "partitionIds": [key.partition]} for key in PARTITIONS]
    return tagged | {
        "producerId": value.producer_id,
        "producerEpoch": value.producer_epoch,
        "transactionTimeoutMs": value.timeout_ms,
        "transactionStatus": value.state,
        "transactionPartitions": partitions if value.partitions else None,
        "transactionLastUpdateTimestampMs": value.last_update_ms,
        "transactionStartTimestampMs": value.start_ms,
    }


def _write_state_log(directory: Path, records: list[RawRecord]) -> None:
    key = TopicPartition(TRANSACTION_STATE_TOPIC, 0)
    log = open_log(directory, key, LogConfig(cleanup_policy=("compact",)), MachineClock())
    for each in records:
        batch = build_batch([Record(each.key, each.value, timestamp=1)])
        append(log, memoryview(bytearray(batch)))
    log.close()


@pytest.mark.parametrize("level", [0, 1, 2])
def test_kafkas_tool_decodes_the_states_of_transactions(tmp_path: Path, level: int) -> None:
    """Every state and a tombstone, in both versions of the values."""
    serde = transaction_records(lambda: level)
    records = [transaction_record("tx-1", each, level) for each in _values(level)]
    records.append(tombstone("tx-1"))
    directory = tmp_path / f"{TRANSACTION_STATE_TOPIC}-0"
    _write_state_log(directory, [serde.serialize(each) for each in records])

    found = [
        line.split(" key: ")[1].split(" payload: ")
        for line in dump(directory, "--transaction-log-decoder")
        if " key: " in line
    ]

    assert {key for key, _ in found} == {'{"type":"0","data":{"transactionalId":"tx-1"}}'}
    *payloads, deleted = [payload for _, payload in found]
    assert deleted == "<DELETE>"
    version = str(min(level, 1))
    expected = [{"version": version, "data": _printed(each, level)} for each in _values(level)]
    assert [json.loads(payload) for payload in payloads] == expected
