"""Share partitions: acquisition locks that are renewed, expire, or outlive their member."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE, SHARE_LOCK_MS
from integration.parity.share_member import NO_LIMITS, ShareGroup
from integration.parity.share_requests import share_heartbeat

EXPIRED_MS = SHARE_LOCK_MS + 500
LONG_MS = 10 * SHARE_LOCK_MS


@scenario(on=SHARE)
def share_locks_are_renewed_twice(kafka: Kafka) -> Observations:
    """Each renewal begins the full duration anew, and raises no delivery count."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b, other = group.member("a"), group.member("b"), kafka.topic()
    yield a.fetch()
    for _ in range(2):
        kafka.pass_time(other, SHARE_LOCK_MS * 2 // 3)
        yield "renewed", a.acknowledge("0-9 renew", renew=True)
        yield "locked", b.fetch(max_wait_ms=1)
    parked = b.start(max_wait_ms=LONG_MS)
    yield "expired", parked.response()
    yield "waited", parked.wait.reached(SHARE_LOCK_MS // 2, 2 * SHARE_LOCK_MS)
    yield "late", a.acknowledge("0-9 renew", renew=True)


@scenario(on=SHARE)
def share_locks_are_renewed_in_part(kafka: Kafka) -> Observations:
    """The records that were not renewed are released at the end of the first lock."""
    group = ShareGroup(kafka)
    group.produce(10, 10)
    a, b, other = group.member("a"), group.member("b"), kafka.topic()
    yield a.fetch()
    kafka.pass_time(other, SHARE_LOCK_MS * 2 // 3)
    yield a.fetch(renew=True, acknowledge=["4-7 renew", "12-12 renew"], **NO_LIMITS)
    kafka.pass_time(other, SHARE_LOCK_MS * 2 // 3)
    yield "not renewed", b.fetch()
    yield "renewed", a.acknowledge("4-7 accept", "12-12 reject")
    yield "not owned", a.acknowledge("0-3 accept")


@scenario(on=SHARE)
def share_locks_expire_for_a_waiting_fetch(kafka: Kafka) -> Observations:
    """The expiry wakes a fetch that waits, which gets all records of the member."""
    group = ShareGroup(kafka)
    group.produce(5, 5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=1), a.fetch(max_records=1)
    yield a.acknowledge("2-3 accept")
    parked = b.start(max_wait_ms=LONG_MS)
    yield "waits", parked.waits()
    yield parked.response().acquisition_lock_timeout_ms, parked.wait.reached(1000, LONG_MS)
    yield b.acknowledge("0-1 accept", "4-9 accept"), b.acknowledge("2-3 accept")


@scenario(on=SHARE)
def share_locks_of_another_duration(kafka: Kafka) -> Observations:
    """A new duration applies to locks that begin later, and to renewals."""
    group = ShareGroup(kafka)
    group.produce(1, 1, 1)
    a, b, other = group.member("a"), group.member("b"), kafka.topic()
    yield a.fetch(max_records=1), a.fetch(max_records=1)
    group.set(record_lock_duration_ms="60000")
    yield "new", a.fetch(max_records=1)
    yield "renewed", a.acknowledge("1-1 renew", renew=True)
    kafka.pass_time(other, EXPIRED_MS)
    yield b.fetch(max_wait_ms=1)
    yield a.acknowledge("1-2 accept")


@scenario(on=SHARE)
def share_locks_outlive_the_membership(kafka: Kafka) -> Observations:
    """A member that leaves the group keeps its records, and may acknowledge and fetch."""
    group = ShareGroup(kafka)
    group.produce(5, 5)
    a, b = group.member("a"), group.member("b")

    def joined() -> int:
        response = kafka.request(share_heartbeat(group.id, "a", 0, topics=[group.topic]))
        return 0 if response.error_code else int(response.member_epoch)

    yield "joined", eventually(joined, "the membership") > 0
    yield a.fetch(max_records=1)
    yield "left", kafka.request(share_heartbeat(group.id, "a", -1))
    yield "locked", b.fetch(max_records=1), b.fetch(max_wait_ms=1)
    yield a.acknowledge("0-2 accept", "3-4 release")
    yield a.fetch()


@scenario(on=SHARE)
def share_locks_expire_in_parts(kafka: Kafka) -> Observations:
    """Records of one batch that different members have expire at different times."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b, c = (group.member(name) for name in "abc")
    other = kafka.topic()
    yield a.fetch(max_records=4, mode=1)
    kafka.pass_time(other, SHARE_LOCK_MS * 2 // 3)
    yield b.fetch(max_records=4, mode=1)
    yield c.fetch(mode=1)
    yield c.acknowledge("8-8 release", "9-9 accept")
    kafka.pass_time(other, SHARE_LOCK_MS * 2 // 3)
    yield "the first", c.fetch(mode=1)
    yield a.acknowledge("0-3 accept"), b.acknowledge("4-5 accept")
    kafka.pass_time(other, SHARE_LOCK_MS * 2 // 3)
    yield "the second", a.fetch(mode=1)
