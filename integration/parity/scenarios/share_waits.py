"""Share fetches that wait, and what wakes them."""

from __future__ import annotations

from integration.parity.admin_requests import delete_topics
from integration.parity.requests import batch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_member import ShareGroup, fetched

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
    yield fetched(parked.response()), parked.wait.how_it_ended()


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
def share_fetch_waits_despite_a_release(kafka: Kafka) -> Observations:
    """Records of a release, or of a session that ends, are delivered at the timeout of a fetch."""
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
    yield b.acknowledge("3-4 accept", epoch=-1)
    yield again


@scenario(on=SHARE)
def share_fetch_wakes_on_an_acceptance(kafka: Kafka) -> Observations:
    """When the start offset moves, a fetch that waits gets what the same request released."""
    group = ShareGroup(kafka)
    group.produce(5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    parked = b.start(max_wait_ms=WAIT_MS)
    yield "waits", parked.waits()
    yield a.acknowledge("0-1 accept", "3-4 release")
    yield parked
    again = a.start(max_wait_ms=WAIT_MS)
    yield "waits", again.waits()
    yield "end", b.acknowledge("3-3 accept", epoch=-1)
    yield again


@scenario(on=SHARE)
def share_fetch_meets_its_own_releases(kafka: Kafka) -> Observations:
    """Records that a request releases are available to its own fetch when that is stored."""
    group = ShareGroup(kafka)
    group.produce(5)
    a = group.member("a")
    yield a.fetch()
    yield "all", a.start(acknowledge=["0-4 release"], max_wait_ms=WAIT_MS)
    moved = a.start(acknowledge=["0-0 accept", "1-4 release"], max_wait_ms=WAIT_MS)
    yield "the first accepted", moved
    yield "all accepted", a.start(acknowledge=["1-4 accept"], max_wait_ms=WAIT_MS)


@scenario(on=SHARE)
def share_fetch_wakes_on_a_produce_after_a_release(kafka: Kafka) -> Observations:
    """An append makes a fetch look again, which delivers the released records first."""
    group = ShareGroup(kafka)
    group.produce(5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    parked = b.start(max_wait_ms=10 * WAIT_MS, max_records=2)
    yield "waits", parked.waits()
    yield a.acknowledge("2-4 release")
    group.produce(3)
    yield parked
    yield b.fetch()


@scenario(on=SHARE)
def share_fetch_wakes_on_another_acknowledgement(kafka: Kafka) -> Observations:
    """Any acknowledgement of the partition makes a fetch look again, also a refused one."""
    for text in ("4-4 accept", "9-9 accept", "7-6 accept"):
        group = ShareGroup(kafka)
        group.produce(5)
        a, b = group.member("a"), group.member("b")
        yield a.fetch()
        parked = b.start(max_wait_ms=WAIT_MS)
        yield "waits", parked.waits()
        yield a.acknowledge("2-3 release")
        yield text, a.acknowledge(text)
        yield parked


@scenario(on=SHARE)
def share_fetches_take_turns(kafka: Kafka) -> Observations:
    """What the first fetch leaves goes to the next one that waits."""
    group = ShareGroup(kafka)
    members = [group.member(name) for name in "abc"]
    for each in members:
        yield each.fetch()
    parked = []
    for each, count in zip(members, (2, 2, 4), strict=True):
        parked.append(each.start(max_wait_ms=WAIT_MS, max_records=count, mode=1))
        yield "waits", parked[-1].waits()
    group.produce(6)
    yield from parked


@scenario(on=SHARE)
def share_fetch_waits_for_released_bytes(kafka: Kafka) -> Observations:
    """Released records count from their offset to the end of the log, locked ones included."""
    group = ShareGroup(kafka)
    group.produce(5, 5, 5)
    size = len(batch(*"01234"))
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    yield a.acknowledge("5-9 release")
    yield "enough", b.start(max_wait_ms=WAIT_MS, min_bytes=2 * size)
    yield b.acknowledge("5-9 release")
    yield "too few", b.start(max_wait_ms=WAIT_MS, min_bytes=2 * size + 1)


@scenario(on=SHARE)
def share_fetch_of_few_bytes(kafka: Kafka) -> Observations:
    """A batch is delivered whole, however few bytes are asked for."""
    group = ShareGroup(kafka)
    group.produce(10, 10, 10)
    size = len(batch(*map(str, range(10))))
    for name, max_bytes in (("a", 1), ("b", size + 1), ("c", 2 * size)):
        group.produce(10)
        yield max_bytes > size, group.member(name).fetch(max_bytes=max_bytes)
    yield group.member("d").start(max_bytes=size, min_bytes=10 * size, max_wait_ms=WAIT_MS)


@scenario(on=SHARE)
def share_fetch_waits_despite_a_deletion(kafka: Kafka) -> Observations:
    """A fetch whose topic is deleted ends at its timeout, and locks cannot be acknowledged."""
    group = ShareGroup(kafka)
    group.produce(5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(), b.fetch()
    parked = b.start(max_wait_ms=WAIT_MS)
    yield "waits", parked.waits()
    kafka.request(delete_topics(group.topic))
    kafka.settle()
    yield parked
    yield a.acknowledge("0-4 accept", message=True)


@scenario(on=SHARE)
def share_fetch_wakes_when_another_ends(kafka: Kafka) -> Observations:
    """Released records that a fetch leaves go to those that wait for one of its partitions."""
    group = ShareGroup(kafka, 2)
    group.produce(5, 5)
    group.produce(5, partition=1)
    a, b, c = group.member("a"), group.member("b"), group.member("c")
    for named, batches in (
        ((0,), {0: ["0-9 release"]}),
        ((1,), {0: ["0-4 release"], 1: ["0-4 release"]}),
    ):
        yield a.fetch(0, 1, batch_size=5)
        parked = b.start(*named, max_wait_ms=10 * WAIT_MS)
        yield "waits", parked.waits()
        yield a.acknowledge_all(batches)
        yield "waits", parked.waits()
        yield c.fetch(0, 1, max_records=5)
        yield "waits", parked.waits()
        yield fetched(parked.response())
        for member in (a, b, c):
            member.acknowledge(epoch=-1)
            member.epoch = 0
        kafka.settle()


@scenario(on=SHARE)
def share_fetch_limits_the_bytes_of_each_partition(kafka: Kafka) -> Observations:
    """A partition counts with at most its part of max_bytes, so others must have bytes too."""
    for most in (60, 5000):
        group = ShareGroup(kafka, 2)
        group.produce(500)
        parked = group.member("a").start(
            0, 1, max_wait_ms=WAIT_MS, min_bytes=min(most, 3000), max_bytes=most
        )
        yield most, fetched(parked.response()), parked.wait.how_it_ended()


@scenario(on=SHARE)
def share_member_disconnects_while_it_fetches(kafka: Kafka) -> Observations:
    """The records that are produced afterwards go to another member."""
    group = ShareGroup(kafka)
    a, b = group.member("a"), group.member("b")
    yield b.fetch(max_wait_ms=1)
    parked = a.start(0, max_wait_ms=10 * WAIT_MS)
    yield "waits", parked.waits()
    a.client.close()
    kafka.settle()
    group.produce(5)
    kafka.settle()
    yield "delivered", b.fetch(max_wait_ms=1)
