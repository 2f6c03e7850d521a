"""Tests of all logs of a broker: `broker.storage.directories.log_manager`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import finish
from broker.storage.directories.checkpointed_offsets import HIGH_WATERMARKS
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.blocking_work import Then
from broker.storage.files.checkpoints import read_offset_checkpoint, read_partition_metadata
from broker.storage.files.disk import DiskFile
from broker.storage.files.flusher import Flusher
from broker.storage.files.open_files import OpenFiles
from broker.storage.producers.producer_state import DefaultProducerConfig
from broker.storage.segments.file_slice import FileSlice
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from protocol.output import SpliceLost
from tests.broker.storage.logs import (
    ORDERS,
    FailingDisk,
    StillClock,
    batch,
    host,
    manager_at,
    read_all,
    replicate,
)

OTHERS = TopicPartition("with-dash.and_dot", 12)


def test_a_partition_has_a_directory_with_its_topic_id(tmp_path: Path) -> None:
    """With Kafka's names; the ID is there before the first record."""
    manager = manager_at(tmp_path)
    log = host(manager, OTHERS)
    log.append_as_leader(batch(1), 0)
    assert log.directory == tmp_path / "with-dash.and_dot-12"
    assert (log.directory / "partition.metadata").read_text().startswith("version: 0\ntopic_id: ")
    assert host(manager, OTHERS) is log
    assert manager.get(OTHERS) is log
    assert list(manager) == [log]


def test_a_new_partition_reads_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its directory is empty: a search of ten thousand of them takes a second."""
    manager, read = manager_at(tmp_path), list[Path]()
    monkeypatch.setattr("broker.storage.files.checkpoints.read_small_file", read.append)
    host(manager)
    assert read == []


def test_a_restart_finds_everything(tmp_path: Path) -> None:
    """Records, high watermark, log start offset and topic ID."""
    manager = manager_at(tmp_path)
    log = host(manager)
    for _ in range(5):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    log.maybe_increment_log_start_offset(5)
    manager.close()
    again = manager_at(tmp_path)
    found = host(again)
    assert (found.log_start_offset, found.high_watermark, found.log_end_offset) == (5, 10, 10)
    assert found.local_log.recovery_point == 10
    assert [record.offset for record in read_all(found)] == [5, 6, 7, 8, 9]
    again.close()


def test_a_crash_loses_nothing_and_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    """The high watermark is that of the checkpoint, within the log."""
    manager = manager_at(tmp_path)
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    manager.checkpoint()
    log.append_as_leader(batch(2), 0)
    found = host(manager_at(tmp_path))
    assert (found.high_watermark, found.log_end_offset) == (2, 4)


def test_a_checkpoint_in_slices_is_written_when_the_last_log_was_read(tmp_path: Path) -> None:
    """A slice reads one log."""
    manager = manager_at(tmp_path)
    host(manager)
    host(manager, OTHERS)
    slices = manager.checkpoint_in_slices(HIGH_WATERMARKS)
    next(slices)
    next(slices)
    assert not (tmp_path / HIGH_WATERMARKS).exists()
    finish(slices)
    assert read_offset_checkpoint(tmp_path / HIGH_WATERMARKS) == {ORDERS: 0, OTHERS: 0}
    manager.close()


def test_a_partition_that_is_deleted_between_slices_is_not_in_the_checkpoint(
    tmp_path: Path,
) -> None:
    """Whether its log was read before or not."""
    manager = manager_at(tmp_path)
    host(manager)
    host(manager, OTHERS)
    slices = manager.checkpoint_in_slices(HIGH_WATERMARKS)
    next(slices)
    manager.delete(ORDERS)
    manager.delete(OTHERS)
    finish(slices)
    assert read_offset_checkpoint(tmp_path / HIGH_WATERMARKS) == {}
    manager.close()


def test_a_checkpoint_of_some_partitions_keeps_the_other_offsets(tmp_path: Path) -> None:
    """Those of the last checkpoint; a partition without a log is ignored."""
    manager = manager_at(tmp_path)
    log, other = host(manager), host(manager, OTHERS)
    for keys in (None, [OTHERS, TopicPartition("unknown", 0)]):
        for each in (log, other):
            each.append_as_leader(batch(2), 0)
            replicate(each)
        manager.checkpoint([HIGH_WATERMARKS], keys)
    expected = {ORDERS: 2, OTHERS: 4}
    assert read_offset_checkpoint(tmp_path / HIGH_WATERMARKS) == expected
    manager.close()


def test_a_crashed_manager_closes_its_files(tmp_path: Path) -> None:
    """Another one recovers the logs; the crashed one does not write again."""
    manager = manager_at(tmp_path)
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    manager.checkpoint()
    log.append_as_leader(batch(2), 0)
    manager.crash()
    assert not (tmp_path / ".kafka_cleanshutdown").exists()
    with pytest.raises(AppendRefused) as refused:
        log.append_as_leader(batch(2), 0)
    assert refused.value.error is ErrorCode.KAFKA_STORAGE_ERROR
    again = manager_at(tmp_path)
    found = host(again)
    assert (found.high_watermark, found.log_end_offset) == (2, 4)
    assert len(read_all(found)) == 4
    again.close()


def test_a_durable_close_syncs(tmp_path: Path) -> None:
    """Logs in a temporary directory need no sync."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    host(manager).append_as_leader(batch(2), 0)
    before = disk.syncs
    manager.close()
    assert disk.syncs - before == 2, "only the mark of the clean shutdown"
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk], durable=True)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    assert disk.syncs > 8


def test_the_close_of_a_log_without_records_makes_its_files(tmp_path: Path) -> None:
    """They are Kafka's; a new file is not truncated."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    log = host(manager)
    log.begin_epoch(0)
    assert list(log.directory.iterdir()) == []
    manager.close()
    assert sorted(path.name for path in log.directory.iterdir()) == [
        *(f"{0:020d}.{suffix}" for suffix in ("index", "log", "timeindex")),
        "leader-epoch-checkpoint",
        "partition.metadata",
    ]
    assert disk.truncations == 0


def test_unopened_partitions_keep_their_checkpoints(tmp_path: Path) -> None:
    """A directory is not marked clean until all its logs have been checked."""
    manager = manager_at(tmp_path)
    log = host(manager, OTHERS)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    host(manager)
    manager.checkpoint()
    crashed = manager_at(tmp_path)
    host(crashed)
    crashed.close()
    assert not (tmp_path / ".kafka_cleanshutdown").exists()
    again = manager_at(tmp_path)
    assert host(again, OTHERS).high_watermark == 2
    host(again)
    again.close()
    assert (tmp_path / ".kafka_cleanshutdown").exists()


def test_the_name_of_a_deleted_partition_is_free(tmp_path: Path) -> None:
    """Whether its log was open or not."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    manager.delete(ORDERS)
    assert not list(tmp_path.glob("orders-0*"))
    assert host(manager).log_end_offset == 0
    manager.close()
    again = manager_at(tmp_path)
    again.delete(ORDERS)
    again.delete(ORDERS)
    assert not list(tmp_path.glob("orders-0*"))
    again.close()


def test_a_response_never_has_records_of_the_next_partition_of_that_name(tmp_path: Path) -> None:
    """The records that are being sent are lost when their files are deleted."""
    manager = manager_at(tmp_path)
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    segment = log.segments.active
    records = FileSlice(segment.file, 0, segment.size)
    manager.delete(ORDERS)
    host(manager).append_as_leader(batch(5), 0)
    with pytest.raises(SpliceLost):
        records.whole()
    manager.close()


def test_a_start_finishes_deletions(tmp_path: Path) -> None:
    """Kafka's directories with ``-delete``."""
    (tmp_path / f"orders-0.{'0' * 32}-delete").mkdir()
    manager = manager_at(tmp_path)
    assert not list(tmp_path.glob("orders*"))
    manager.close()


def test_a_topic_with_another_id_has_no_old_records(tmp_path: Path) -> None:
    """The same name with another ID is another topic."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    again = manager_at(tmp_path)
    log = host(again, topic_id=UUID(int=8))
    assert log.log_end_offset == 0
    log.append_as_leader(batch(1), 0)
    assert read_partition_metadata(log.directory / "partition.metadata") == UUID(int=8)
    again.close()


def test_closing_leaves_no_file_open(tmp_path: Path) -> None:
    """Nor the files that are scheduled for deletion."""
    files = OpenFiles[DiskFile]()
    manager = LogManager(
        tmp_path, StillClock(), node_id=1, cluster_id="c", open_files=files, durable=False
    )
    manager.deletions.schedule_once = lambda _delay_ms, _action: None
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    log.roll()
    log.append_as_leader(batch(2), 0)
    read_all(log)
    log.truncate_fully_and_start_at(0)
    assert list(log.directory.glob("*.deleted"))
    manager.close()
    assert len(files) == 0


def test_a_partition_that_cannot_be_opened_does_not_affect_others(tmp_path: Path) -> None:
    """With a damaged ``partition.metadata`` the directory stays online."""
    manager_at(tmp_path).close()
    (tmp_path / "orders-0").mkdir()
    (tmp_path / "orders-0" / "partition.metadata").write_text("version: 0\ntopic_id: ?")
    manager = manager_at(tmp_path)
    with pytest.raises(ApiError, match="has no valid topic ID") as refused:
        host(manager)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    host(manager, OTHERS).append_as_leader(batch(2), 0)
    (tmp_path / "file-0").touch()
    with pytest.raises(ApiError, match=r"File exists|Not a directory"):
        host(manager, TopicPartition("file", 0))
    host(manager, OTHERS).append_as_leader(batch(2), 0)
    manager.close()


def test_a_deleted_directory_is_kept_for_the_delay(tmp_path: Path) -> None:
    """With its new name."""
    manager = manager_at(tmp_path)
    manager.delete_delay_ms = lambda: 7000
    waiting: list[tuple[int, Callable[[], None]]] = []
    host(manager).append_as_leader(batch(2), 0)
    manager.deletions.schedule_once = lambda delay_ms, action: waiting.append((delay_ms, action))
    manager.delete(ORDERS)
    (gone,) = tmp_path.glob("orders-0.*-delete")
    ((delay_ms, remove),) = waiting
    assert (delay_ms, gone.is_dir()) == (7000, True)
    remove()
    assert not gone.exists()
    manager.close()


def test_an_action_after_a_flush_is_called(tmp_path: Path) -> None:
    """Immediately if there is nothing to flush."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    called: list[str] = []
    manager.after_flush([ORDERS, OTHERS], lambda: called.append("safe"))
    assert called == ["safe"]
    manager.close()


def test_producers_expire_as_configured(tmp_path: Path) -> None:
    """By the broker's key ``producer.id.expiration.ms``."""
    clock = StillClock()
    manager = LogManager(tmp_path, clock, node_id=1, cluster_id="c", durable=False)
    manager.producer_config = DefaultProducerConfig(1000)
    log = host(manager)
    again = [batch(1, producer_id=3, producer_epoch=0, base_sequence=0) for _ in range(3)]
    log.append_as_leader(again[0], 0)
    log.producer_state_manager.remove_expired(clock.wall_ms())
    assert log.append_as_leader(again[1], 0).duplicate
    clock.time_ms += 1000
    log.producer_state_manager.remove_expired(clock.wall_ms())
    assert not log.append_as_leader(again[2], 0).duplicate
    manager.close()


def test_a_damaged_checkpoint_does_not_prevent_a_start(tmp_path: Path) -> None:
    """It is ignored."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n7\n")
    again = manager_at(tmp_path)
    assert host(again).log_end_offset == 2
    again.close()


def test_the_longest_topic_can_be_deleted(tmp_path: Path) -> None:
    """The new name of its directory is not too long; the data directory stays online."""
    manager = manager_at(tmp_path)
    key = TopicPartition("t" * 249, 0)
    host(manager, key)
    manager.deletions.schedule_once = lambda _delay_ms, _action: None
    manager.delete(key)
    assert not manager.is_offline(key)
    assert [path.name[-7:] for path in tmp_path.glob("ttt*")] == ["-delete"]
    assert host(manager, key).log_end_offset == 0
    manager.close()


def test_only_flushes_by_flush_messages_are_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of a roll, nor for records that have been flushed."""
    manager, called = manager_at(tmp_path), list[str]()
    log, other = host(manager), host(manager, OTHERS)
    flushed: list[Then] = []
    monkeypatch.setattr(Flusher, "sync", lambda _self, _, then: flushed.append(then))
    log.update_config(replace(log.config, flush_messages=2))
    log.append_as_leader(batch(1), 0)
    assert not manager.awaits_flush(ORDERS, 0)
    log.append_as_leader(batch(1), 0)
    other.append_as_leader(batch(1), 0)
    other.roll()
    assert [manager.awaits_flush(key, 0) for key in (ORDERS, OTHERS)] == [True, False]
    manager.after_flush([ORDERS], lambda: called.append("safe"))
    assert called == []
    flushed[0](None)
    assert (called, manager.awaits_flush(ORDERS, 1)) == (["safe"], False)
    manager.close()
