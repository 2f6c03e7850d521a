"""All logs of a broker: `broker.storage.log_manager`."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from broker.errors import ApiError, StartupError
from broker.storage.append import AppendRefused
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.log_manager import LogManager
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.broker.storage.logs import ORDERS, FailingDisk, StillClock, batch, read_all, replicate

TOPIC_ID = UUID(int=7)
OTHERS = TopicPartition("with-dash.and_dot", 12)


def manager_at(*paths: Path, disk: FailingDisk | None = None, durable: bool = False) -> LogManager:
    return LogManager(
        list(paths), StillClock(), node_id=1, cluster_id="c", disk=disk, durable=durable
    )


def host(manager: LogManager, key: TopicPartition = ORDERS, topic_id: UUID = TOPIC_ID) -> Log:
    return manager.get_or_create(key, topic_id, LogConfig(segment_bytes=300))


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
    assert again.known_partitions == {ORDERS: TOPIC_ID}
    found = host(again)
    assert (found.log_start_offset, found.high_watermark, found.log_end_offset) == (5, 10, 10)
    assert found.recovery_point == 10
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
    manager = manager_at(tmp_path, disk=disk)
    host(manager).append_as_leader(batch(2), 0)
    before = disk.syncs
    manager.close()
    assert disk.syncs - before == 2, "only the mark of the clean shutdown"
    manager = manager_at(tmp_path, disk=disk, durable=True)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    assert disk.syncs - before > 8


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
    assert manager.known_partitions == {}
    manager.close()


def test_a_topic_made_anew_does_not_inherit_records(tmp_path: Path) -> None:
    """The same name with another id is another topic."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    manager.close()
    again = manager_at(tmp_path)
    log = host(again, topic_id=UUID(int=8))
    assert log.log_end_offset == 0
    assert again.known_partitions == {ORDERS: UUID(int=8)}
    again.close()


def test_partitions_are_spread_over_directories(tmp_path: Path) -> None:
    """Each goes where there are fewest, and is found there again."""
    paths = [tmp_path / "a", tmp_path / "b"]
    manager = manager_at(*paths)
    keys = [TopicPartition("t", number) for number in range(4)]
    homes = [host(manager, key).directory.parent for key in keys]
    assert homes == [*paths, *paths]
    manager.close()
    again = manager_at(*paths)
    assert [host(again, key).directory.parent for key in keys] == homes
    again.close()


def test_strange_folders_are_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They are told of, and kept."""
    (tmp_path / "lost+found").mkdir()
    manager = manager_at(tmp_path)
    assert "lost+found" in caplog.text
    assert (tmp_path / "lost+found").exists()
    manager.close()


def test_a_partition_that_cannot_be_made_can_be_made_later(tmp_path: Path) -> None:
    """A full disk is an error code, and nothing is left half done."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disk=disk)
    disk.broken = True
    with pytest.raises(ApiError) as refused:
        host(manager)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    disk.broken = False
    assert host(manager).append_as_leader(batch(2), 0).last_offset == 1
    manager.close()


def test_a_torn_checkpoint_is_a_reason_not_to_start(tmp_path: Path) -> None:
    """One line that names the file."""
    manager_at(tmp_path).close()
    (tmp_path / "replication-offset-checkpoint").write_text("0\n7\n")
    with pytest.raises(StartupError, match="replication-offset-checkpoint is not a checkpoint"):
        manager_at(tmp_path)
