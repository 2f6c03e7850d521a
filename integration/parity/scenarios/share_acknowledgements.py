"""Share partitions: acknowledgements, those that are refused, and locks."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import GROUP, SET, alter_configs, delete_records
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE, SHARE_LOCK_MS
from integration.parity.share_member import ShareGroup, ShareMember
from protocol.errors import ErrorCode


def _group_of_two(kafka: Kafka, **configs: Any) -> tuple[ShareGroup, ShareMember, ShareMember]:
    """Member a has the records 0 to 9, member b those from 10 to 19, 20 to 29 are not acquired."""
    group = ShareGroup(kafka, **configs)
    group.produce(10, 10, 10)
    a, b = group.member("a"), group.member("b")
    a.fetch(max_records=1)
    b.fetch(max_records=1)
    return group, a, b


@scenario(on=SHARE)
def share_acknowledges_each_type(kafka: Kafka) -> Observations:
    """A gap, an acceptance, a release and a rejection, each for one offset of a batch."""
    _, a, b = _group_of_two(kafka)
    yield a.acknowledge("0-3 gap accept release reject", "4-9 accept")
    yield b.fetch(max_records=1)


@scenario(on=SHARE)
def share_refuses_malformed_batches(kafka: Kafka) -> Observations:
    """Offsets in another order, and types that do not exist or are too many."""
    _, a, _ = _group_of_two(kafka)
    for batches in (
        ["4-3 accept"],
        ["0-3"],
        ["0-3 accept accept"],
        ["0-3 5"],
        ["0-3 -1"],
        ["0-3 renew"],
        ["5-9 accept", "2-4 accept"],
        ["0-5 accept", "5-9 accept"],
        ["0-0 accept"],
    ):
        yield str(batches), a.acknowledge(*batches)


@scenario(on=SHARE)
def share_refuses_records_of_others(kafka: Kafka) -> Observations:
    """Records of another member, records that nobody has, and offsets after the end."""
    _, a, _ = _group_of_two(kafka)
    for text in ("10-19 accept", "5-14 accept", "20-29 accept", "15-25 accept", "100-105 accept"):
        yield text, a.acknowledge(text)
    yield "own", a.acknowledge("0-9 accept")
    yield "again", a.acknowledge("0-9 accept")


@scenario(on=SHARE)
def share_refuses_all_or_nothing(kafka: Kafka) -> Observations:
    """One bad batch refuses the others of the partition."""
    _, a, b = _group_of_two(kafka)
    yield a.acknowledge("0-4 accept", "10-12 accept")
    yield a.acknowledge("0-4 accept", "5-9 release")
    yield b.fetch(max_records=1)


@scenario(on=SHARE)
def share_acknowledges_below_the_start(kafka: Kafka) -> Observations:
    """Offsets below the start are accepted silently, also in a range that crosses it."""
    _, a, b = _group_of_two(kafka)
    yield a.acknowledge("0-4 accept")
    yield a.acknowledge("0-4 accept")
    yield a.acknowledge("0-9 accept")
    yield a.acknowledge("0-9 release")
    yield b.acknowledge("0-19 accept")


@scenario(on=SHARE)
def share_acknowledges_with_a_fetch(kafka: Kafka) -> Observations:
    """Acknowledgements of a ShareFetch take effect before it acquires."""
    _, a, _ = _group_of_two(kafka)
    yield a.fetch(acknowledge=["0-4 accept", "5-9 release"], max_records=1)
    yield a.fetch(acknowledge=["0-4 accept", "10-12 accept"], max_records=1)
    yield a.fetch(acknowledge=["5-9 7"], max_records=1)


@scenario(on=SHARE)
def share_locks_expire(kafka: Kafka) -> Observations:
    """A lock that expires releases the records, and an acknowledgement afterwards is refused."""
    _, a, b = _group_of_two(kafka)
    yield a.acknowledge("0-1 accept", "2-2 release")
    yield b.fetch(max_records=1, max_wait_ms=1)
    yield b.fetch(max_records=100)
    kafka.pass_time(kafka.topic(), SHARE_LOCK_MS + 500)
    yield b.fetch(max_records=100)
    yield a.acknowledge("3-9 accept")


@scenario(on=SHARE)
def share_locks_expire_until_the_limit(kafka: Kafka) -> Observations:
    """After the last delivery an expired lock archives the records."""
    group = ShareGroup(kafka, delivery_count_limit="2")
    group.produce(5, 5)
    a = group.member("a")
    yield a.fetch(max_records=1)
    for _ in range(2):
        kafka.pass_time(kafka.topic(), SHARE_LOCK_MS + 500)
        yield a.fetch(max_records=1)


@scenario(on=SHARE)
def share_locks_are_renewed(kafka: Kafka) -> Observations:
    """A renewal begins the lock anew, fetches nothing, and has limits of 0."""
    group, a, b = _group_of_two(kafka)
    nothing = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 0, "max_records": 0}
    yield "limits", a.fetch(renew=True, acknowledge=["0-9 renew"])
    yield "not announced", a.fetch(acknowledge=["0-9 renew"], max_records=1)
    yield "fetch", a.fetch(renew=True, acknowledge=["0-4 renew"], **nothing)
    yield "acknowledge", a.acknowledge("5-9 renew", renew=True)
    yield "other types", a.acknowledge("0-1 accept", renew=True)
    yield "others", b.acknowledge("0-1 renew", renew=True)
    group.set(renew_acknowledge_enable="false")
    yield "disabled", a.acknowledge("5-9 renew", renew=True)


@scenario(on=SHARE)
def share_log_start_moves(kafka: Kafka) -> Observations:
    """Deleted records are delivered only with others of a batch; acknowledgements do nothing."""
    group = ShareGroup(kafka)
    group.produce(10, 10, 10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=1)
    yield kafka.request(delete_records(group.topic, {0: 15})).topics[0].partitions[0].error_code
    yield "detects", b.fetch()
    yield "goes on", b.fetch()
    yield a.acknowledge("0-9 accept")
    yield b.acknowledge("15-29 accept")


@scenario(on=SHARE)
def share_offsets_are_altered(kafka: Kafka) -> Observations:
    """A new start offset fences the leader's state with the next write."""
    group, a, b = _group_of_two(kafka)
    group.initialize(7, start_offset=25)
    yield a.acknowledge("0-9 accept")
    yield a.fetch(max_wait_ms=3000)
    yield b.acknowledge("10-19 accept")


@scenario(on=SHARE)
def share_refusals_have_messages(kafka: Kafka) -> Observations:
    """The message of a ShareAcknowledge says what is wrong with the first bad batch."""
    group, a, b = _group_of_two(kafka, record_lock_duration_ms="60000")
    c = ShareGroup(kafka).member("c")
    c.fetch()
    yield "nothing acquired", c.acknowledge("0-4 accept", message=True)
    yield "whole batch of another", a.acknowledge("10-19 accept", message=True)
    yield "part of another", a.acknowledge("12-13 accept", message=True)
    yield "not fetched", a.acknowledge("20-29 accept", message=True)
    yield "across the end", a.acknowledge("0-25 accept", message=True)
    yield a.acknowledge("5-6 accept")
    yield "complete", a.acknowledge("5-6 accept", message=True)
    yield b.acknowledge("10-19 release")
    yield "released", b.acknowledge("10-19 accept", message=True)
    yield "part of released", b.acknowledge("11-12 accept", message=True)
    yield "renewed by another", b.acknowledge("0-4 renew", renew=True, message=True)
    group.set(renew_acknowledge_enable="false")
    yield "disabled", a.acknowledge("0-4 renew", renew=True, message=True)


@scenario(on=SHARE)
def share_refuses_odd_offsets(kafka: Kafka) -> Observations:
    """Negative offsets, the largest offset, and many ranges."""
    _, a, _ = _group_of_two(kafka)
    largest = (1 << 63) - 1
    for batches in (
        ["-1 accept"],
        ["-5--1 accept"],
        [f"{largest} accept"],
        [f"0-{largest} accept"],
        ["0-0 accept", "0-0 accept"],
        ["0-0 accept", "2-2 accept", "1-1 accept"],
        [f"{each} {'accept' if each % 2 else 'release'}" for each in range(9)],
        ["0-8 accept gap accept gap accept gap accept gap accept"],
        ["9-9 127"],
        ["9-9 -128"],
    ):
        yield batches[-1], a.acknowledge(*batches)


@scenario(on=SHARE)
def share_limits_change_while_in_use(kafka: Kafka) -> Observations:
    """Another delivery limit applies to records in flight at their next release."""
    group = ShareGroup(kafka)
    group.produce(4)
    a = group.member("a")
    for _ in range(2):
        yield a.fetch()
        yield a.acknowledge("0-3 release")
    yield a.fetch()
    group.set(delivery_count_limit="3")
    yield a.acknowledge("0-1 release")
    group.set(delivery_count_limit="10")
    yield a.acknowledge("2-3 release")
    yield a.fetch()
    group.set(delivery_count_limit="2")
    yield a.acknowledge("2-2 release")
    yield a.fetch(max_wait_ms=1)


@scenario(on=SHARE)
def share_settings_are_checked(kafka: Kafka) -> Observations:
    """Values outside of the limits of the node, and words that are no values."""
    group = kafka.new_name("group")
    for name, value in (
        ("record.lock.duration.ms", "999"),
        ("record.lock.duration.ms", "1000"),
        ("record.lock.duration.ms", "60001"),
        ("delivery.count.limit", "1"),
        ("delivery.count.limit", "11"),
        ("partition.max.record.locks", "99"),
        ("partition.max.record.locks", "4001"),
        ("heartbeat.interval.ms", "4999"),
        ("session.timeout.ms", "44999"),
        ("auto.offset.reset", "Earliest"),
        ("auto.offset.reset", "by_duration:PT-1S"),
        ("auto.offset.reset", "by_duration:1"),
        ("isolation.level", "committed"),
        ("renew.acknowledge.enable", "yes"),
        ("unknown", "1"),
    ):
        changed = alter_configs(group, (f"share.{name}", SET, value), kind=GROUP)
        (answer,) = kafka.request(changed).responses
        yield name, value, ErrorCode(answer.error_code), answer.error_message


@scenario(on=SHARE)
def share_locks_are_renewed_beside_other_acknowledgements(kafka: Kafka) -> Observations:
    """A renewed record can be acknowledged, and stays renewed if a later batch is refused."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b, other = group.member("a"), group.member("b"), kafka.topic()
    yield a.fetch()
    yield a.acknowledge("0-4 renew", "4-4 accept", renew=True, message=True)
    yield a.acknowledge("0-3 accept", message=True)
    kafka.pass_time(other, SHARE_LOCK_MS // 2)
    yield a.acknowledge("5-9 renew", "100-104 accept", renew=True, message=True)
    kafka.pass_time(other, SHARE_LOCK_MS // 2 + 500)
    yield b.fetch(max_wait_ms=1)
    yield a.acknowledge("5-9 accept", message=True)


@scenario(on=SHARE)
def share_locks_cannot_be_renewed(kafka: Kafka) -> Observations:
    """Offsets and owners are checked before the setting of the group."""
    _, a, b = _group_of_two(kafka, renew_acknowledge_enable="false")
    yield a.acknowledge("0-9 renew", renew=True, message=True)
    yield a.acknowledge("100-104 renew", renew=True, message=True)
    yield b.acknowledge("0-9 renew", renew=True, message=True)
