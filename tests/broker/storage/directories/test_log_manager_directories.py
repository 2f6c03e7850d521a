"""Data directories and the directories in them: `broker.storage.directories.log_manager`."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from broker.common.errors import ApiError, StartupError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import finish
from broker.storage.retention import delete_old_segments
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from tests.broker.storage.logs import (
    ORDERS,
    FailingDisk,
    batch,
    host,
    manager_at,
)

OTHERS = TopicPartition("with-dash.and_dot", 12)


def test_partitions_are_spread_over_directories(tmp_path: Path) -> None:
    """Each is made in the directory with the fewest, and found there later."""
    paths = [tmp_path / "a", tmp_path / "b"]
    manager = manager_at(*paths)
    keys = [TopicPartition("t", number) for number in range(4)]
    homes = [host(manager, key).directory.parent for key in keys]
    assert homes == [*paths, *paths]
    manager.close()
    again = manager_at(*paths)
    assert [host(again, key).directory.parent for key in keys] == homes
    again.close()


def test_other_directories_are_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A warning names them."""
    (tmp_path / "lost+found").mkdir()
    manager = manager_at(tmp_path)
    assert "lost+found" in caplog.text
    assert (tmp_path / "lost+found").exists()
    manager.close()


def test_a_failed_directory_is_offline(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its partitions are reported and refused, others continue, and one message has the reason."""
    failing = FailingDisk()
    manager = manager_at(tmp_path / "a", tmp_path / "b", disks=[failing, None])
    reported: list[list[TopicPartition]] = []
    manager.on_directory_failed(reported.append)
    ours, others = host(manager), host(manager, OTHERS)
    failing.broken = True
    for _ in range(2):
        with pytest.raises(AppendRefused) as refused:
            ours.append_as_leader(batch(2), 0)
    assert refused.value.error is ErrorCode.KAFKA_STORAGE_ERROR
    assert reported == [[ORDERS]]
    assert (manager.is_offline(ORDERS), manager.is_offline(OTHERS)) == (True, False)
    (line,) = caplog.messages
    assert line.startswith(f"data directory {tmp_path / 'a'} is offline until a restart")
    assert "Input/output error" in line
    with pytest.raises(ApiError, match="offline"):
        host(manager)
    others.append_as_leader(batch(2), 0)
    new = host(manager, TopicPartition("new", 0))
    assert new.directory.parent == tmp_path / "b"
    finish(manager.each(delete_old_segments))
    manager.close()
    marks = [(path / ".kafka_cleanshutdown").exists() for path in (tmp_path / "a", tmp_path / "b")]
    assert marks == [False, True]


def test_the_failure_of_the_last_directory_has_its_own_callback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It ends the node and logs the message; it is not called while the logs are closed."""
    disks = [FailingDisk(), FailingDisk()]
    manager = manager_at(tmp_path / "a", tmp_path / "b", disks=disks)
    reported: list[str] = []
    manager.on_last_failed = reported.append
    for disk, name in zip(disks, "ab", strict=True):
        assert not reported
        disk.fail("t-0", OSError(errno.EIO, f"broken {name}"))
    (line,) = reported
    assert "broken b" in line
    assert "broken b" not in caplog.text

    closing = manager_at(tmp_path / "c", disks=[(disk := FailingDisk())])
    closing.on_last_failed = reported.append
    disk.room = 0
    closing.close()
    assert reported == [line]
    assert str(tmp_path / "c") in caplog.text


@pytest.mark.parametrize("failure", ["unsyncable", "broken"])
def test_a_failure_at_the_end_is_no_clean_shutdown(tmp_path: Path, failure: str) -> None:
    """The next start must recover the logs."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk], durable=True)
    host(manager).append_as_leader(batch(2), 0)
    setattr(disk, failure, True)
    manager.close()
    assert not (tmp_path / ".kafka_cleanshutdown").exists()


def test_a_failed_checkpoint_takes_the_directory_offline(tmp_path: Path) -> None:
    """As any other failed write."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    host(manager)
    disk.room = 0
    manager.checkpoint()
    assert manager.is_offline(ORDERS)


def test_a_missing_directory_is_offline_from_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are used; partitions that may be in it are not made elsewhere."""
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


def test_a_start_without_a_directory_is_not_clean(tmp_path: Path) -> None:
    """The missing one may have lost records; the others were closed in an orderly way."""
    manager_at(tmp_path / "a", tmp_path / "b").close()
    again = manager_at(tmp_path / "a", tmp_path / "b")
    assert again.was_clean
    again.close()

    (tmp_path / "file").touch()
    without = manager_at(tmp_path / "file", tmp_path / "b")
    assert not without.was_clean
    without.close()


def test_without_any_directory_the_start_fails(tmp_path: Path) -> None:
    """One line names a directory."""
    (tmp_path / "file").touch()
    with pytest.raises(StartupError, match=f"data directory {tmp_path / 'file'}: "):
        manager_at(tmp_path / "file")
    with pytest.raises(StartupError, match=f"data directory {tmp_path / 'file' / 'b'}: "):
        manager_at(tmp_path / "file", tmp_path / "file" / "b")


def test_a_partition_in_two_directories_is_a_startup_error(tmp_path: Path) -> None:
    """It is not known which one is right."""
    for name in "ab":
        (tmp_path / name / "orders-0").mkdir(parents=True)
    with pytest.raises(StartupError, match=f"orders-0 has directories in {tmp_path / 'a'} and"):
        manager_at(tmp_path / "a", tmp_path / "b")


def test_a_disk_that_fails_while_a_log_is_opened_is_a_storage_error(tmp_path: Path) -> None:
    """The broker does not end."""
    disk = FailingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    disk.broken = True
    with pytest.raises(ApiError) as refused:
        host(manager)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    with pytest.raises(ApiError):
        host(manager, OTHERS)
    manager.close()


def test_directories_that_are_not_opened_are_renamed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Their topics are gone since the last run; Kafka calls them stray, and keeps them."""
    manager = manager_at(tmp_path)
    host(manager).append_as_leader(batch(2), 0)
    host(manager, OTHERS).append_as_leader(batch(2), 0)
    manager.crash()
    again = manager_at(tmp_path)
    host(again)
    again.started()
    (stray,) = tmp_path.glob("*-stray")
    assert stray.name.startswith(f"{OTHERS}.")
    assert (
        f"{OTHERS} is not a partition of this node; its directory is kept as {stray}"
        in caplog.messages
    )
    assert host(again, OTHERS).log_end_offset == 0
    again.close()
    assert (tmp_path / ".kafka_cleanshutdown").exists(), "what is set aside need not be checked"
    last = manager_at(tmp_path)
    assert (stray.is_dir(), host(last).log_end_offset) == (True, 2)
    last.close()


def test_a_partition_that_could_not_be_opened_is_not_stray(tmp_path: Path) -> None:
    """It belongs to the node."""
    (tmp_path / "orders-0").mkdir()
    (tmp_path / "orders-0" / "partition.metadata").write_text("damaged")
    manager = manager_at(tmp_path)
    with pytest.raises(ApiError):
        host(manager)
    manager.started()
    assert (tmp_path / "orders-0").is_dir()
    manager.close()
