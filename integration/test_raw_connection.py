"""Behaviour that client libraries hide: pipelining, resending, early disconnects."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from integration.machine.deadlines import eventually
from integration.wire.batches import Producer, batch, values
from integration.wire.connection import Connection, Reader
from integration.wire.requests import (
    api_versions,
    fetch,
    init_producer_id,
    list_offsets,
    produce,
    read_fetch,
    read_init_producer_id,
    read_list_offsets,
    read_produce,
)
from integration.wire.topics import make_topic

OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH = 45, 47


@pytest.fixture
def connection(bootstrap: str, topic: str) -> Iterator[Connection]:
    """A connection, with the test's topic created."""
    with Connection(bootstrap) as opened:
        make_topic(opened, topic)
        yield opened


def correlation_id(frame: bytes) -> int:
    """The correlation id of a response."""
    return Reader(frame).number("i")


def test_responses_have_the_order_of_the_requests(connection: Connection) -> None:
    """A thousand requests are sent at once."""
    connection.send(b"".join(api_versions(correlation_id=i) for i in range(1000)))
    assert [correlation_id(connection.receive()) for _ in range(1000)] == list(range(1000))


def test_requests_after_a_parked_fetch_wait(connection: Connection, topic: str) -> None:
    """A later produce on the connection does not wake it, as it is not read before."""
    started = time.monotonic()
    connection.send(
        fetch(topic, 0, 0, max_wait_ms=400, correlation_id=1)
        + produce(topic, 0, batch([b"behind"]), correlation_id=2)
        + api_versions(correlation_id=3)
    )
    first = connection.receive()
    assert time.monotonic() - started >= 0.4
    assert read_fetch(first).records == b""
    assert [correlation_id(f) for f in (first, connection.receive(), connection.receive())] == [
        1,
        2,
        3,
    ]


def test_a_fetch_that_expires_is_never_early(connection: Connection, topic: str) -> None:
    """Ten waits of different lengths."""
    for max_wait_ms in range(11, 111, 10):
        started = time.monotonic()
        response = read_fetch(connection.request(fetch(topic, 0, 0, max_wait_ms=max_wait_ms)))
        waited_ms = (time.monotonic() - started) * 1000
        assert response[:3] == (0, 0, b"")
        assert waited_ms >= max_wait_ms - 1  # Kafka is up to 0.7 ms early


def test_a_produce_wakes_every_parked_fetch(
    connection: Connection, topic: str, bootstrap: str
) -> None:
    """Fifty connections wait for one partition; one produce completes all of them."""
    waiting = [Connection(bootstrap) for _ in range(50)]
    for each in waiting:
        each.send(fetch(topic, 0, 0, max_wait_ms=60_000))
    connection.request(produce(topic, 0, batch([b"wake"])))
    for each in waiting:
        assert [v for _, v in values(read_fetch(each.receive()).records)] == [b"wake"]
        each.close()


def test_clients_that_disconnect_while_parked(
    connection: Connection, topic: str, bootstrap: str
) -> None:
    """Their operations end; the partition serves other clients."""
    for _ in range(50):
        with Connection(bootstrap) as leaving:
            leaving.send(fetch(topic, 0, 0, max_wait_ms=60_000))
    assert read_produce(connection.request(produce(topic, 0, batch([b"x"])))) == (0, 0)


def test_acks_0_has_no_response(connection: Connection, topic: str) -> None:
    """The next response is that of the next request."""
    connection.send(produce(topic, 0, batch([b"silent"]), acks=0, correlation_id=1))
    assert correlation_id(connection.request(api_versions(correlation_id=2))) == 2

    def landed() -> bool:
        return read_list_offsets(connection.request(list_offsets(topic, 0, -1))) == (0, 1)

    eventually(landed, "the record is in the log")


def producer_id(connection: Connection) -> tuple[int, int]:
    """Return a producer id and its epoch, when the broker can allocate one."""

    def given() -> tuple[int, int] | None:
        error, number, epoch = read_init_producer_id(connection.request(init_producer_id()))
        return (number, epoch) if error == 0 else None

    response = eventually(given, "a producer id")
    assert response is not None
    return response


def test_a_batch_sent_twice_is_stored_once(connection: Connection, topic: str) -> None:
    """The duplicate gets the offset of the original, even after four more batches."""
    number, epoch = producer_id(connection)
    batches = [
        batch([b"%d" % i, b"%d again" % i], producer=Producer(number, epoch, 2 * i))
        for i in range(5)
    ]
    for i, each in enumerate(batches):
        assert read_produce(connection.request(produce(topic, 0, each))) == (0, 2 * i)
    for i, each in enumerate(batches):
        assert read_produce(connection.request(produce(topic, 0, each))) == (0, 2 * i)
    assert read_list_offsets(connection.request(list_offsets(topic, 0, -1))) == (0, 10)


def test_a_gap_in_the_sequence_is_rejected(connection: Connection, topic: str) -> None:
    """A batch after a missing one is not appended."""
    number, epoch = producer_id(connection)
    first = batch([b"0"], producer=Producer(number, epoch, 0))
    third = batch([b"2"], producer=Producer(number, epoch, 2))
    assert read_produce(connection.request(produce(topic, 0, first))) == (0, 0)
    assert read_produce(connection.request(produce(topic, 0, third))) == (
        OUT_OF_ORDER_SEQUENCE_NUMBER,
        -1,
    )


def test_an_old_epoch_is_fenced(connection: Connection, topic: str) -> None:
    """After a newer epoch has produced, the old one is rejected."""
    number, epoch = producer_id(connection)
    newer = batch([b"new"], producer=Producer(number, epoch + 1, 0))
    older = batch([b"old"], producer=Producer(number, epoch, 0))
    assert read_produce(connection.request(produce(topic, 0, newer))) == (0, 0)
    assert (
        read_produce(connection.request(produce(topic, 0, older))).error == INVALID_PRODUCER_EPOCH
    )
