"""All logs of a broker: `broker.storage.log_manager`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.storage.append import AppendRefused
from broker.storage.background import Then
from broker.storage.checkpoints import read_partition_metadata
from broker.storage.disk import DiskFile
from broker.storage.log_manager import LogManager
from broker.storage.open_files import OpenFiles
from protocol.errors import ErrorCode
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


def test_a_partition_has_a_folder_with_its_topics_id(tmp_path: Path) -> None:
    """Kafka's names."""
    manager = manager_at(tmp_path)
    log = host(manager, OTHERS)
    assert log.directory == tmp_path / "with-dash.and_dot-12"
    assert (log.directory / "partition.metadata").read_text().startswith("version: 0\ntopic_id: ")
    assert host(manager, OTHERS) is log
    assert manager.get(OTHERS) is log
    assert list(manager) == [log]


def test_a_restart_finds_everything(tmp_path: Path) -> None:
    """Records, high watermark, log start and topic id."""
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
    """The high watermark is the checkpoint's, kept within the log."""
    manager = manager_at(tmp_path)
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    manager.checkpoint()
    log.append_as_leader(batch(2), 0)
    found = host(manager_at(tmp_path))
    assert (found.high_watermark, found.log_end_offset) == (2, 4)


def test_a_crashed_manager_lets_go_of_its_files(tmp_path: Path) -> None:
    """Another one recovers at once, with the last checkpoint, and the dead one writes no more."""
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
    """A temporary directory need not."""
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


def test_partitions_nobody_opened_keep_their_checkpoints(tmp_path: Path) -> None:
    """And a directory in disorder stays so until all its logs have been checked."""
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


def test_a_deleted_partition_is_gone_at_once(tmp_path: Path) -> None:
    """Opened or not; its name is free for another topic."""
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


def test_a_deletion_that_a_crash_cut_short_is_finished(tmp_path: Path) -> None:
    """Kafka's ``-delete`` folders."""
    (tmp_path / f"orders-0.{'0' * 32}-delete").mkdir()
    manager = manager_at(tmp_path)
    assert not list(tmp_path.glob("orders*"))
    manager.close()


def test_a_topic_made_anew_does_not_inherit_records(tmp_path: Path) -> None:
    """The same name with another id is another topic."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    again = manager_at(tmp_path)
    log = host(again, topic_id=UUID(int=8))
    assert log.log_end_offset == 0
    assert read_partition_metadata(log.directory / "partition.metadata") == UUID(int=8)
    again.close()


def test_closing_leaves_no_file_open(tmp_path: Path) -> None:
    """Not even those that are to be deleted later: nobody comes for them any more."""
    files = OpenFiles[DiskFile]()
    manager = LogManager(
        tmp_path, StillClock(), node_id=1, cluster_id="c", open_files=files, durable=False
    )
    manager.schedule_once = lambda _delay_ms, _action: None
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    log.roll()
    log.append_as_leader(batch(2), 0)
    read_all(log)
    log.truncate_fully_and_start_at(0)
    assert list(log.directory.glob("*.deleted"))
    manager.close()
    assert len(files) == 0


def test_a_partition_that_cannot_be_opened_is_an_error_of_its_own(tmp_path: Path) -> None:
    """A damaged ``partition.metadata`` says nothing of the others."""
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


def test_a_deleted_folder_stays_for_a_while(tmp_path: Path) -> None:
    """For ``file.delete.delay.ms``, under its new name."""
    manager = manager_at(tmp_path)
    waiting: list[tuple[int, Callable[[], None]]] = []
    host(manager).append_as_leader(batch(2), 0)
    manager.schedule_once = lambda delay_ms, action: waiting.append((delay_ms, action))
    manager.delete(ORDERS)
    (gone,) = tmp_path.glob("orders-0.*-delete")
    ((delay_ms, remove),) = waiting
    assert (delay_ms, gone.is_dir()) == (60_000, True)
    remove()
    assert not gone.exists()
    manager.close()


def test_who_waits_for_a_flush_is_told(tmp_path: Path) -> None:
    """At once, where nothing is to be flushed."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    told: list[str] = []
    manager.after_flush([ORDERS, OTHERS], lambda: told.append("safe"))
    assert told == ["safe"]
    manager.close()


def test_producers_are_remembered_as_long_as_configured(tmp_path: Path) -> None:
    """``producer.id.expiration.ms`` is a key of the broker's."""
    clock = StillClock()
    manager = LogManager(tmp_path, clock, node_id=1, cluster_id="c", durable=False)
    manager.producer_id_expiration_ms = 1000
    log = host(manager)
    again = [batch(1, producer_id=3, producer_epoch=0, base_sequence=0) for _ in range(3)]
    log.append_as_leader(again[0], 0)
    log.producer_state_manager.remove_expired(clock.wall_ms())
    assert log.append_as_leader(again[1], 0).duplicate
    clock.time_ms += 1000
    log.producer_state_manager.remove_expired(clock.wall_ms())
    assert not log.append_as_leader(again[2], 0).duplicate
    manager.close()


def test_a_damaged_checkpoint_is_no_reason_not_to_start(tmp_path: Path) -> None:
    """What it said is found out anew."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n7\n")
    again = manager_at(tmp_path)
    assert host(again).log_end_offset == 2
    again.close()


def test_the_longest_topic_can_be_deleted(tmp_path: Path) -> None:
    """Its folder's new name fits, too; the directory stays online."""
    manager = manager_at(tmp_path)
    key = TopicPartition("t" * 249, 0)
    host(manager, key)
    manager.schedule_once = lambda _delay_ms, _action: None
    manager.delete(key)
    assert not manager.is_offline(key)
    assert [path.name[-7:] for path in tmp_path.glob("ttt*")] == ["-delete"]
    assert host(manager, key).log_end_offset == 0
    manager.close()


def test_a_cut_below_the_recovery_point_is_written_down(tmp_path: Path) -> None:
    """What comes in the place of what was cut is not on the disk yet."""
    manager = manager_at(tmp_path)
    log = host(manager)
    for _ in range(3):
        log.append_as_leader(batch(2), 0)
    log.local_log.flush()
    manager.checkpoint()
    log.truncate_to(2)
    log.append_as_leader(batch(9), 1)
    manager.crash()
    assert host(manager_at(tmp_path)).local_log.recovery_point == 2


def test_a_flush_is_awaited_where_flush_messages_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what a roll has set off, and not what is safe already."""
    manager, told = manager_at(tmp_path), list[str]()
    log, other = host(manager), host(manager, OTHERS)
    flushed: list[Then] = []
    monkeypatch.setattr(manager._flusher, "sync", lambda _, then: flushed.append(then))
    log.update_config(replace(log.config, flush_messages=2))
    log.append_as_leader(batch(1), 0)
    assert not manager.awaits_flush(ORDERS, 0)
    log.append_as_leader(batch(1), 0)
    other.append_as_leader(batch(1), 0)
    other.roll()
    assert [manager.awaits_flush(key, 0) for key in (ORDERS, OTHERS)] == [True, False]
    manager.after_flush([ORDERS], lambda: told.append("safe"))
    assert told == []
    flushed[0](None)
    assert (told, manager.awaits_flush(ORDERS, 1)) == (["safe"], False)
    manager.close()
