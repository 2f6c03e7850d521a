"""Share fetches that wait, and what wakes them."""

from __future__ import annotations

from integration.parity.requests import batch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_member import ShareGroup

WAIT_MS = 2000
A = batch("a")


@scenario(on=SHARE)
def share_fetch_times_out(kafka: Kafka) -> Observations:
    """A fetch of an empty partition waits for max_wait_ms."""
    group = ShareGroup(kafka)
    yield group.member("a").start(max_wait_ms=WAIT_MS)


@scenario(on=SHARE)
def share_fetch_wakes_on_produce(kafka: Kafka) -> Observations:
    """The first of those that wait gets the records; the second one waits on."""
    group = ShareGroup(kafka)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(), b.fetch()
    first = a.start(max_wait_ms=WAIT_MS)
    yield "waits", first.waits()
    second = b.start(max_wait_ms=WAIT_MS)
    yield "waits", second.waits()
    group.produce(5)
    yield first
    yield second


@scenario(on=SHARE)
def share_fetch_waits_for_min_bytes(kafka: Kafka) -> Observations:
    """Less than min_bytes is delivered at the timeout."""
    group = ShareGroup(kafka)
    a = group.member("a")
    yield a.fetch()
    parked = a.start(max_wait_ms=WAIT_MS, min_bytes=5000)
    yield "waits", parked.waits()
    group.produce(5)
    yield "waits", parked.waits()
    yield parked


@scenario(on=SHARE)
def share_fetch_adds_up_partitions(kafka: Kafka) -> Observations:
    """The bytes of all partitions count."""
    group = ShareGroup(kafka, 2)
    group.produce(1, partition=0)
    a = group.member("a")
    size = len(batch("0"))
    parked = a.start(0, 1, max_wait_ms=10 * WAIT_MS, min_bytes=2 * size)
    yield "waits", parked.waits()
    group.produce(1, partition=1)
    yield parked


@scenario(on=SHARE)
def share_fetch_wakes_when_the_start_moves(kafka: Kafka) -> Observations:
    """Accepted records make room in a full window."""
    group = ShareGroup(kafka, partition_max_record_locks="100")
    group.produce(100, 10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    parked = b.start(max_wait_ms=WAIT_MS)
    yield "waits", parked.waits()
    yield a.acknowledge("0-99 accept")
    yield parked


@scenario(on=SHARE)
def share_fetch_does_not_see_locked_records(kafka: Kafka) -> Observations:
    """Records that another member has are not available."""
    group = ShareGroup(kafka)
    group.produce(5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    yield b.start(max_wait_ms=300)


@scenario(on=SHARE)
def share_fetch_wakes_on_release(kafka: Kafka) -> Observations:
    """A release, and the end of a session, make records available to a fetch that waits."""
    group = ShareGroup(kafka)
    group.produce(5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    parked = b.start(max_wait_ms=WAIT_MS)
    yield "waits", parked.waits()
    yield a.acknowledge("0-4 release")
    yield parked
    again = a.start(max_wait_ms=WAIT_MS)
    yield "waits", again.waits()
    yield b.acknowledge("0-1 accept", epoch=-1)
    yield again
