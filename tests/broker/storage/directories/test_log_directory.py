"""Tests of a data directory's own files: `broker.storage.directories.log_directory`."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.storage.directories.log_directory import LogDirectory
from broker.storage.files.disk import Disk

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"


def directory_at(path: Path, node_id: int = 1, cluster_id: str = CLUSTER) -> LogDirectory:
    return LogDirectory(path, Disk(), node_id=node_id, cluster_id=cluster_id)


def test_a_new_directory_gets_its_owner(tmp_path: Path) -> None:
    """In Kafka's ``meta.properties``."""
    directory_at(tmp_path / "new").close(clean=True)
    lines = (tmp_path / "new" / "meta.properties").read_text().splitlines()
    properties = dict(line.split("=") for line in lines)
    assert properties.pop("directory.id")
    assert properties == {"version": "1", "cluster.id": CLUSTER, "node.id": "1"}


def test_a_clean_shutdown_is_marked(tmp_path: Path) -> None:
    """With Kafka's file, which the next start removes."""
    mark = tmp_path / ".kafka_cleanshutdown"
    directory_at(tmp_path).close(clean=True)
    assert mark.read_bytes() == b'{"version":0,"brokerEpoch":-1}'
    again = directory_at(tmp_path)
    assert again.was_clean
    assert not mark.exists()
    again.close(clean=False)
    last = directory_at(tmp_path)
    assert not last.was_clean
    last.close(clean=True)


@pytest.mark.parametrize(
    ("node_id", "cluster_id", "remedy"),
    [
        (2, CLUSTER, "see meta.properties there"),
        (1, "x" * 22, "give the directories of one cluster, the one with its controller.db first"),
    ],
)
def test_another_brokers_directory_is_refused(
    tmp_path: Path, node_id: int, cluster_id: str, remedy: str
) -> None:
    """One line names the directory, the difference and the remedy."""
    directory_at(tmp_path).close(clean=True)
    with pytest.raises(StartupError, match=f"{tmp_path} belongs to .*; {remedy}$"):
        directory_at(tmp_path, node_id, cluster_id)


def test_comments_in_meta_properties_are_ignored(tmp_path: Path) -> None:
    """Java writes one with the date."""
    text = f"#\n#Sat Nov 21 05:03:00 UTC 2026\nversion=1\ncluster.id={CLUSTER}\nnode.id=1\n"
    (tmp_path / "meta.properties").write_text(text)
    directory_at(tmp_path).close(clean=True)


@pytest.mark.parametrize("version", ["2", "x"])
def test_another_version_of_meta_properties_is_refused(tmp_path: Path, version: str) -> None:
    """Its keys may mean something else. Kafka refuses it too."""
    text = f"version={version}\ncluster.id={CLUSTER}\nnode.id=1\n"
    (tmp_path / "meta.properties").write_text(text)
    line = f"meta.properties has version {version}, and only version 1 is supported; use another"
    with pytest.raises(StartupError, match=line):
        directory_at(tmp_path)


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    """A second process gets a message of one line."""
    ready_read, ready_write = os.pipe()
    done_read, done_write = os.pipe()
    child = os.fork()
    if not child:
        fd = os.open(tmp_path / ".lock", os.O_RDWR | os.O_CREAT)
        fcntl.lockf(fd, fcntl.LOCK_EX)
        os.write(ready_write, b"x")
        os.read(done_read, 1)
        os._exit(0)
    os.read(ready_read, 1)
    try:
        with pytest.raises(StartupError, match=f"{tmp_path} is in use by another process"):
            directory_at(tmp_path)
    finally:
        os.write(done_write, b"x")
        os.waitpid(child, 0)
        for fd in (ready_read, ready_write, done_read, done_write):
            os.close(fd)


def test_a_directory_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    """The log manager may have others."""
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        directory_at(tmp_path / "file" / "data")


def test_a_refused_directory_is_unlocked(tmp_path: Path) -> None:
    """Its owner may start."""
    directory_at(tmp_path).close(clean=True)
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(StartupError):
        directory_at(tmp_path, node_id=2)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_the_space_of_the_volume_is_reported_while_online(tmp_path: Path) -> None:
    """Total and usable bytes as the system reports them."""
    directory = LogDirectory(tmp_path, Disk(), node_id=1, cluster_id="c")
    total, usable = directory.space()
    assert 0 < usable <= total == shutil.disk_usage(tmp_path).total
    directory.disk.fail("a test", OSError(errno.EIO, "broken"))
    with pytest.raises(OSError, match="broken"):
        directory.space()
    directory.unlock()


@pytest.mark.parametrize("content", [b"", b"\xff\x00=", b"node.id=1\n"])
def test_a_damaged_meta_properties_is_a_startup_error(tmp_path: Path, content: bytes) -> None:
    """One line names the file and the remedy."""
    (tmp_path / "meta.properties").write_bytes(content)
    with pytest.raises(StartupError, match=r"meta\.properties is damaged, it has no .*; write"):
        directory_at(tmp_path)


def test_a_file_system_without_locks_is_an_os_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not reported as another process."""

    def refuse(_fd: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "lockf", refuse)
    with pytest.raises(OSError, match="No locks available"):
        directory_at(tmp_path)
