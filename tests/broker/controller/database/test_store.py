"""The persistent state of the controller."""

from __future__ import annotations

import sqlite3
from math import inf
from pathlib import Path
from uuid import uuid4

import pytest

from broker.common.errors import DiskFailed, StartupError
from broker.controller.database.store import VERSION, ControllerStore
from broker.controller.metadata.image import PartitionRegistration, TopicImage


def _topic(name: str) -> TopicImage:
    registration = PartitionRegistration((1, 2), (1,), 1, leader_epoch=3, partition_epoch=4)
    return TopicImage(name, uuid4(), {"segment.bytes": "1048576"}, (registration,))


def test_topics_survive_a_restart(tmp_path: Path) -> None:
    """Another store over the same file reads every field."""
    topic = _topic("orders")
    store = ControllerStore(tmp_path / "controller.db")
    store.put_topics([topic])
    store.close()

    again = ControllerStore(tmp_path / "controller.db")

    assert again.topics() == [topic]
    again.close()


def test_a_topic_is_replaced_and_removed() -> None:
    """Writing a topic again replaces it."""
    store = ControllerStore(None)
    store.put_topics([_topic("orders")])
    changed = _topic("orders")

    store.put_topics([changed])

    assert store.topics() == [changed]
    store.remove_topic("orders")
    assert store.topics() == []
    store.close()


def test_a_fact_is_the_last_written_value() -> None:
    """None if it was never written."""
    store = ControllerStore(None)

    assert store.fact("cluster_id") is None
    store.put_fact("cluster_id", "a")
    store.put_fact("cluster_id", "b")
    assert store.fact("cluster_id") == "b"
    store.close()


def test_settings_of_nodes_survive_a_restart(tmp_path: Path) -> None:
    """By node, and under the empty name for all nodes."""
    store = ControllerStore(tmp_path / "controller.db")
    store.put_broker_configs("", {"log.retention.ms": "1"})
    store.put_broker_configs("1", {"log.retention.ms": "2"})
    store.put_broker_configs("1", {})
    store.close()

    again = ControllerStore(tmp_path / "controller.db")

    assert again.broker_configs() == {"": {"log.retention.ms": "1"}, "1": {}}
    again.close()


def test_settings_of_groups_survive_a_restart(tmp_path: Path) -> None:
    """Removed ones do not."""
    store = ControllerStore(tmp_path / "controller.db")
    store.put_group_configs("g", {"consumer.session.timeout.ms": "50000"})
    store.put_group_configs("h", {"consumer.session.timeout.ms": "50000"})
    store.put_group_configs("h", {})
    store.close()

    again = ControllerStore(tmp_path / "controller.db")

    assert again.group_configs() == {"g": {"consumer.session.timeout.ms": "50000"}}
    again.close()


def test_quotas_of_clients_survive_a_restart(tmp_path: Path) -> None:
    """Including those of defaults, and infinite ones."""
    default, user = (("client-id", None), ("user", "u")), (("user", "u"),)
    store = ControllerStore(tmp_path / "controller.db")
    store.put_client_quotas(default, {"producer_byte_rate": 1.0})
    store.put_client_quotas(default, {"request_percentage": inf})
    store.put_client_quotas(user, {"producer_byte_rate": 1.0})
    store.put_client_quotas(user, {})
    store.close()

    again = ControllerStore(tmp_path / "controller.db")

    assert again.client_quotas() == {default: {"request_percentage": inf}}
    again.close()


def test_a_full_disk_is_reported_in_one_line(tmp_path: Path) -> None:
    """The broker then ends, as Kafka without its metadata log; committed changes are kept."""
    store = ControllerStore(tmp_path / "controller.db")
    store.put_fact("cluster", "c")
    store._database.execute("PRAGMA max_page_count = 1")  # noqa: SLF001 - limits this connection only

    with pytest.raises(DiskFailed, match=r"controller\.db: database or disk is full; repair"):
        store.put_fact("long", "x" * 100_000)

    assert (store.fact("cluster"), store.fact("long")) == ("c", None)
    store.close()


@pytest.mark.parametrize("damage", ["other bytes", "a page", "a folder"])
def test_a_damaged_file_is_reported_in_one_line(tmp_path: Path, damage: str) -> None:
    """The line names the file; the broker does not start without its topics."""
    path = tmp_path / "controller.db"
    if damage == "a folder":
        path.mkdir()
    else:
        store = ControllerStore(path)
        store.put_topics([_topic(f"orders-{number}") for number in range(100)])
        store.close()
        content = path.read_bytes()
        page = 4096
        path.write_bytes(
            b"no database" * 100 if damage == "other bytes" else content[:page] + bytes(page)
        )
    with pytest.raises(StartupError, match=f"cannot use {path}: "):
        ControllerStore(path)


def _set_version(path: Path, version: int) -> None:
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {version}")
    database.close()


def _version(path: Path) -> int:
    database = sqlite3.connect(path)
    [(version,)] = database.execute("PRAGMA user_version")
    database.close()
    assert isinstance(version, int)
    return version


def test_a_file_without_a_version_is_read(tmp_path: Path) -> None:
    """It has version 0, as all files of before there was one, and gets the present version."""
    path = tmp_path / "controller.db"
    store = ControllerStore(path)
    store.put_topics([_topic("orders")])
    store.close()
    _set_version(path, 0)

    again = ControllerStore(path)
    names = [topic.name for topic in again.topics()]
    again.close()

    assert names == ["orders"]
    assert _version(path) == VERSION


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """The error is one line with the file and the remedy, and the file is not changed."""
    path = tmp_path / "controller.db"
    ControllerStore(path).close()
    _set_version(path, VERSION + 1)
    content = path.read_bytes()

    with pytest.raises(StartupError) as refused:
        ControllerStore(path)

    assert str(refused.value) == (
        f"cannot use {path}: it has version {VERSION + 1}, and this antechamber knows only "
        f"versions up to {VERSION}: start the newer one that wrote it, or use another data "
        "directory"
    )
    assert path.read_bytes() == content
