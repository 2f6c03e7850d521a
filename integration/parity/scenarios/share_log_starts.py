"""Share partitions whose first records are deleted while members have them."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE, SHARE_LOCK_MS
from integration.parity.share_member import ShareGroup
from integration.parity.share_requests import describe_offsets


@scenario(on=SHARE)
def share_deletes_acquired_records(kafka: Kafka) -> Observations:
    """Deleted records stay acquired until their release or expiry, and are not delivered again."""
    group = ShareGroup(kafka)
    group.produce(5, 5, 5, 5)
    a, b, other = group.member("a"), group.member("b"), kafka.topic()
    yield a.fetch(max_records=10)
    _delete(kafka, group, 10)
    yield "new", b.fetch(max_records=1)
    yield "released", a.acknowledge("0-4 release")
    yield b.fetch(max_records=1), b.fetch(max_wait_ms=1)
    kafka.pass_time(other, SHARE_LOCK_MS + 500)
    yield "expired", b.fetch(max_wait_ms=1), b.fetch()
    yield "late", a.acknowledge("5-9 accept")


@scenario(on=SHARE)
def share_deletes_released_records(kafka: Kafka) -> Observations:
    """The fetch that would deliver deleted records detects it; the next one goes on."""
    group = ShareGroup(kafka)
    group.produce(5, 5, 5, 5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=15)
    yield a.acknowledge("0-7 release", "12-14 release")
    _delete(kafka, group, 10)
    yield b.fetch(max_records=1)
    yield b.fetch(max_records=1), b.fetch(max_records=1)
    yield a.acknowledge("8-9 accept", "10-11 accept"), b.acknowledge("12-14 accept")
    yield a.fetch(max_wait_ms=1)


@scenario(on=SHARE)
def share_deletes_everything(kafka: Kafka) -> Observations:
    """When all records are deleted, the group goes on at the end of the log."""
    group = ShareGroup(kafka)
    group.produce(5, 5, 5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=1)
    _delete(kafka, group, -1)
    yield b.fetch(max_wait_ms=1), b.fetch(max_wait_ms=1)
    group.produce(2)
    yield b.fetch(), b.fetch()
    yield a.acknowledge("0-4 release")
    yield b.acknowledge("15-15 accept", "16-16 release")
    yield a.fetch(), a.fetch(max_wait_ms=1)


@scenario(on=SHARE)
def share_deletes_a_part_of_a_batch(kafka: Kafka) -> Observations:
    """The group begins in the middle of a batch whose first records are deleted."""
    group = ShareGroup(kafka)
    group.produce(10, 10)
    _delete(kafka, group, 4)
    a, b = group.member("a"), group.member("b")
    yield "detects", a.fetch(max_records=1)
    yield a.fetch(max_records=1)
    yield a.acknowledge("0-3 accept"), a.acknowledge("4-6 accept"), a.acknowledge("7-9 release")
    yield b.fetch(max_records=1)


@scenario(on=SHARE)
def share_log_start_moves_into_a_gap(kafka: Kafka) -> Observations:
    """The group goes on at the log start, where its stored state has a gap."""
    group = ShareGroup(kafka, stored=["2-3 available 1"], records=(2, 1, 1, 1))
    _delete(kafka, group, 2)
    a = group.member("a")
    yield "detects", a.fetch()
    yield "begins", a.fetch()
    group.produce(3)
    yield "new", a.fetch()


@scenario(on=SHARE)
def share_deletes_to_the_last_record_of_a_batch(kafka: Kafka) -> Observations:
    """The last record is accepted while a deleted one of an earlier batch is still acquired."""
    group = ShareGroup(kafka)
    group.produce(5, 5)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=5), a.fetch(max_records=5)
    yield a.acknowledge("0-3 accept", "5-9 release")
    _delete(kafka, group, 9)
    yield b.fetch(max_records=1), b.fetch(max_records=1)
    yield "accepted", b.acknowledge("9-9 accept"), _start_offset(kafka, group)
    yield "next", b.fetch(max_records=1, max_wait_ms=1), b.fetch(max_records=1, max_wait_ms=1)
    yield "late", a.acknowledge("4-4 accept"), _start_offset(kafka, group)
    yield b.fetch(max_records=1, max_wait_ms=1)
    group.produce(2)
    yield "new", b.fetch(max_records=1), a.fetch(max_records=1)


@scenario(on=SHARE)
def share_deletes_records_before_others(kafka: Kafka) -> Observations:
    """The start offset does not pass accepted records while a deleted one is acquired."""
    group = ShareGroup(kafka)
    group.produce(10, 10)
    a, b, other = group.member("a"), group.member("b"), kafka.topic()
    yield a.fetch(max_records=10)
    yield b.fetch()
    _delete(kafka, group, 12)
    group.produce(5)
    yield a.fetch(), b.acknowledge("10-11 accept", "12-16 accept")
    yield "acquired", _start_offset(kafka, group)
    kafka.pass_time(other, SHARE_LOCK_MS + 500)
    yield "expired", b.fetch(max_wait_ms=1)
    yield b.acknowledge("17-19 accept"), _start_offset(kafka, group)


def _start_offset(kafka: Kafka, group: ShareGroup) -> int:
    """The start offset of partition 0 in the stored state."""
    (described,) = kafka.request(describe_offsets(group.id, group.topic, 0)).groups
    return int(described.topics[0].partitions[0].start_offset)


def _delete(kafka: Kafka, group: ShareGroup, before: int) -> None:
    (topic,) = kafka.request(delete_records(group.topic, {0: before})).topics
    assert topic.partitions[0].error_code == 0, topic
