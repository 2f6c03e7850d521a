"""All logs of a broker: `broker.storage.log_manager`."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

import pytest

from broker.errors import ApiError, StartupError
from broker.storage.append import AppendRefused
from broker.storage.disk import Disk
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.log_manager import LogManager
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.broker.storage.logs import ORDERS, FailingDisk, StillClock, batch, read_all, replicate

TOPIC_ID = UUID(int=7)
OTHERS = TopicPartition("with-dash.and_dot", 12)


def manager_at(
    *paths: Path, disks: Sequence[FailingDisk | None] = (), durable: bool = False
) -> LogManager:
    """A manager of these directories, the first of them on these disks."""
    given = iter(disks)
    return LogManager(
        list(paths),
        StillClock(),
        node_id=1,
        cluster_id="c",
        make_disk=lambda files: next(given, None) or Disk(files),
        durable=durable,
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


def test_a_failed_directory_is_offline(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its partitions are told by name and refused, others go on, and one line says why."""
    failing = FailingDisk()
    manager = manager_at(tmp_path / "a", tmp_path / "b", disks=[failing, None])
    told: list[list[TopicPartition]] = []
    manager.on_directory_failed(told.append)
    ours, others = host(manager), host(manager, OTHERS)
    failing.broken = True
    for _ in range(2):
        with pytest.raises(AppendRefused) as refused:
            ours.append_as_leader(batch(2), 0)
    assert refused.value.error is ErrorCode.KAFKA_STORAGE_ERROR
    assert told == [[ORDERS]]
    assert (manager.is_offline(ORDERS), manager.is_offline(OTHERS)) == (True, False)
    (line,) = caplog.messages
    assert line.startswith(f"data directory {tmp_path / 'a'} is offline until a restart")
    assert "Input/output error" in line
    with pytest.raises(ApiError, match="offline"):
        host(manager)
    others.append_as_leader(batch(2), 0)
    new = host(manager, TopicPartition("new", 0))
    assert new.directory.parent == tmp_path / "b"
    manager.each(Log.delete_old_segments)
    manager.close()
    marks = [(path / ".kafka_cleanshutdown").exists() for path in (tmp_path / "a", tmp_path / "b")]
    assert marks == [False, True]


def test_the_last_directory_is_told_apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever listens ends the node, and says the line; but not while the logs are closed."""
    disks = [FailingDisk(), FailingDisk()]
    manager = manager_at(tmp_path / "a", tmp_path / "b", disks=disks)
    told: list[str] = []
    manager.on_last_failed = told.append
    for disk, name in zip(disks, "ab", strict=True):
        assert not told
        disk.fail("t-0", OSError(errno.EIO, f"broken {name}"))
    (line,) = told
    assert "broken b" in line
    assert "broken b" not in caplog.text

    closing = manager_at(tmp_path / "c", disks=[(disk := FailingDisk())])
    closing.on_last_failed = told.append
    disk.room = 0
    closing.close()
    assert told == [line]
    assert str(tmp_path / "c") in caplog.text


def test_closing_leaves_no_file_open(tmp_path: Path) -> None:
    """Not even those that are to be deleted later: nobody comes for them any more."""
    manager = manager_at(tmp_path)
    manager.later = lambda _delay_ms, _action: None
    log = host(manager)
    log.append_as_leader(batch(2), 0)
    log.roll()
    log.append_as_leader(batch(2), 0)
    read_all(log)
    log.truncate_fully_and_start_at(0)
    assert list(log.directory.glob("*.deleted"))
    manager.close()
    assert len(manager._open_files) == 0


@pytest.mark.parametrize("failure", ["unsyncable", "broken"])
def test_what_fails_at_the_end_leaves_no_clean_mark(tmp_path: Path, failure: str) -> None:
    """The next start must look at what is there."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk], durable=True)
    host(manager).append_as_leader(batch(2), 0)
    setattr(disk, failure, True)
    manager.close()
    assert not (tmp_path / ".kafka_cleanshutdown").exists()


def test_a_checkpoint_that_cannot_be_written_fails_the_directory(tmp_path: Path) -> None:
    """It is a write like others."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    host(manager)
    disk.room = 0
    manager.checkpoint()
    assert manager.is_offline(ORDERS)


def test_a_directory_that_is_gone_is_offline_from_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others serve; what may lie in it is not made anew elsewhere."""
    (tmp_path / "file").touch()
    manager = manager_at(tmp_path / "file", tmp_path / "b")
    assert f"data directory {tmp_path / 'file'}: " in caplog.text
    for _ in range(2):
        with pytest.raises(ApiError) as refused:
            host(manager)
        assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
        manager.started()
    assert host(manager, OTHERS).directory.parent == tmp_path / "b"
    manager.delete(ORDERS)
    assert host(manager).directory.parent == tmp_path / "b"
    manager.close()


def test_without_a_directory_there_is_no_start(tmp_path: Path) -> None:
    """One line that names one."""
    (tmp_path / "file").touch()
    with pytest.raises(StartupError, match=f"data directory {tmp_path / 'file'}: "):
        manager_at(tmp_path / "file")
    with pytest.raises(StartupError, match=f"data directory {tmp_path / 'file' / 'b'}: "):
        manager_at(tmp_path / "file", tmp_path / "file" / "b")


def test_a_partition_is_in_one_directory(tmp_path: Path) -> None:
    """Nobody can say which of two folders is right."""
    for name in "ab":
        (tmp_path / name / "orders-0").mkdir(parents=True)
    with pytest.raises(StartupError, match=f"orders-0 has a folder in {tmp_path / 'a'} and in"):
        manager_at(tmp_path / "a", tmp_path / "b")


def test_a_partition_that_cannot_be_opened_is_an_error_of_its_own(tmp_path: Path) -> None:
    """A damaged ``partition.metadata`` says nothing of the others."""
    manager_at(tmp_path).close()
    (tmp_path / "orders-0").mkdir()
    (tmp_path / "orders-0" / "partition.metadata").write_text("version: 0\ntopic_id: ?")
    manager = manager_at(tmp_path)
    with pytest.raises(ApiError, match="does not say which topic") as refused:
        host(manager)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    host(manager, OTHERS).append_as_leader(batch(2), 0)
    (tmp_path / "file-0").touch()
    with pytest.raises(ApiError, match=r"File exists|Not a directory"):
        host(manager, TopicPartition("file", 0))
    host(manager, OTHERS).append_as_leader(batch(2), 0)
    manager.close()


def test_a_disk_that_fails_at_the_opening_is_an_error_code(tmp_path: Path) -> None:
    """Not the end of the broker."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    disk.broken = True
    with pytest.raises(ApiError) as refused:
        host(manager)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    with pytest.raises(ApiError):
        host(manager, OTHERS)
    manager.close()


def test_a_deleted_folder_stays_for_a_while(tmp_path: Path) -> None:
    """For ``file.delete.delay.ms``, under its new name."""
    manager = manager_at(tmp_path)
    waiting: list[tuple[int, Callable[[], None]]] = []
    host(manager).append_as_leader(batch(2), 0)
    manager.later = lambda delay_ms, action: waiting.append((delay_ms, action))
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
    manager.each(Log.forget_producers)
    assert log.append_as_leader(again[1], 0).duplicate
    clock.time_ms += 1000
    manager.each(Log.forget_producers)
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
