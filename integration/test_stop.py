"""Stops are fast, whatever waits, and restarts have all acknowledged records."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from integration.machine.deadlines import eventually
from integration.processes.antechamber import Serve, start_serve
from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import (
    fetch,
    list_offsets,
    metadata,
    produce,
    read_fetch,
    read_list_offsets,
    read_metadata,
    read_produce,
)
from integration.wire.topics import make_topic
from tests.hang_up import default_hang_up


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    with default_hang_up():
        yield


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_under_load(serve: Serve, topic: str, number: signal.Signals) -> None:
    """With parked fetches, a partial frame, idle and real clients, it exits with 0 within 5 s."""
    broker = serve("-c", "group.min.session.timeout.ms=500")
    with ExitStack() as clients:
        raw = [clients.enter_context(Connection(broker.bootstrap)) for _ in range(20)]
        make_topic(raw[0], topic)
        for parked in raw[:10]:
            parked.send(fetch(topic, 0, 0, max_wait_ms=600_000))
        raw[10].send(fetch(topic, 0, 0)[:20])
        broker.admin.wait("parked", 60, api="Fetch", topic=topic, count=10)
        producer, consumer = _real_clients(broker.bootstrap, topic)
        clients.callback(consumer.close)
        broker.process.signal(number)
        assert broker.process.wait(60) == 0
        for each in raw[:10]:
            assert _ended(each)
        producer.purge()
    assert broker.process.stderr() == ""


def _real_clients(bootstrap: str, topic: str) -> tuple[Any, Any]:
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"one")
    assert producer.flush(60) == 0
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": topic,
        "auto.offset.reset": "earliest",
        "session.timeout.ms": 500,  # its close searches a coordinator for so long
        "heartbeat.interval.ms": 100,
    }
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    eventually(lambda: consumer.poll(0.1), "a message in the group")
    return producer, consumer


def _ended(connection: Connection) -> bool:
    """Whether the broker sent at most one response and closed the connection."""
    try:
        connection.receive()
        connection.receive()
    except (EOFError, ConnectionResetError):
        return True
    return False


def test_an_idle_broker_stops(serve: Serve) -> None:
    """The exit code is 0."""
    broker = serve()
    broker.process.signal(signal.SIGTERM)
    assert broker.process.wait(60) == 0


def test_a_second_signal_while_stopping_is_harmless(serve: Serve) -> None:
    """Two Ctrl-C give the same exit code."""
    broker = serve()
    broker.process.signal(signal.SIGINT)
    broker.process.signal(signal.SIGINT)
    assert broker.process.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_keeps_topics_and_records(
    serve: Serve, tmp_path: Path, topic: str, number: signal.Signals
) -> None:
    """On the same data directory, after an orderly stop and after a kill."""
    data = str(tmp_path / "data")
    sent = [b"%d" % i for i in range(100)]
    first = serve("--data-dir", data)
    with Connection(first.bootstrap) as connection:
        make_topic(connection, topic, partitions=3)
        for value in sent:
            assert read_produce(connection.request(produce(topic, 1, batch([value])))).error == 0
        identity = read_metadata(connection.request(metadata([topic]))).topics
        first.process.signal(number)
        first.process.wait(60)
    second = serve("--data-dir", data)
    with Connection(second.bootstrap) as connection:
        assert read_metadata(connection.request(metadata([topic]))).topics == identity
        records = read_fetch(connection.request(fetch(topic, 1, 0))).records
        assert list(values(records)) == list(enumerate(sent))
        assert read_list_offsets(connection.request(list_offsets(topic, 1, -1))) == (0, 100)
        assert read_produce(connection.request(produce(topic, 1, batch([b"next"])))) == (0, 100)


def test_a_temporary_data_directory_is_removed(serve: Serve, topic: str) -> None:
    """The broker removes it when it stops."""
    broker = serve()
    data = Path(broker.ready["data_dir"])
    with Connection(broker.bootstrap) as connection:
        make_topic(connection, topic)
    assert data.is_dir()
    assert broker.process.stop() == 0
    assert not data.exists()


def test_the_ready_line_and_the_ready_file(serve: Serve, topic: str) -> None:
    """Both have the same addresses; the requested topic exists, with leaders."""
    broker = serve("--topic", f"{topic}:3")
    line = broker.ready_line()
    assert f"bootstrap={broker.bootstrap}" in line
    assert f"admin={broker.ready['admin']}" in line
    assert broker.ready["pid"] == broker.pid
    (node,) = broker.ready["nodes"]
    assert f"{node['host']}:{node['port']}" == broker.bootstrap
    with Connection(broker.bootstrap) as connection:
        topics = read_metadata(connection.request(metadata([topic], create=False))).topics
    assert topics == {topic: (0, dict.fromkeys(range(3), node["id"]))}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_ready_file_exists_while_the_broker_runs(
    tmp_path: Path, number: signal.Signals
) -> None:
    """An orderly stop removes it; the next start replaces that of a killed broker."""
    path = tmp_path / "ready.json"
    first = start_serve(tmp_path)
    eventually(path.exists, "the ready file")
    first.signal(signal.SIGKILL)
    first.wait(60)
    stale = path.read_text()
    second = start_serve(tmp_path)
    eventually(lambda: _content(path) not in ("", stale), "another ready file")
    second.signal(number)
    assert second.wait(60) == 0
    assert not path.exists()


def _content(path: Path) -> str:
    """The content of a file; empty if it does not exist."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
