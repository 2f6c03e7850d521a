"""Share partitions: which records members acquire, and in which order."""

from __future__ import annotations

from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_member import ShareGroup


@scenario(on=SHARE)
def share_acquires_whole_batches(kafka: Kafka) -> Observations:
    """The limit of records is rounded up to the end of a batch."""
    group = ShareGroup(kafka)
    group.produce(10, 10, 10)
    for member, most in (("a", 1), ("b", 12), ("c", 5)):
        yield member, group.member(member).fetch(max_records=most)


@scenario(on=SHARE)
def share_acquires_exactly(kafka: Kafka) -> Observations:
    """With the mode record_limit a batch is shared between members."""
    group = ShareGroup(kafka)
    group.produce(10, 10)
    for member, most in (("a", 4), ("b", 4), ("c", 15), ("d", 3)):
        yield member, group.member(member).fetch(max_records=most, mode=1)


@scenario(on=SHARE)
def share_modes_are_mixed(kafka: Kafka) -> Observations:
    """Members of a group may use different modes."""
    group = ShareGroup(kafka)
    group.produce(10, 10, 10)
    for member, most, mode in (("a", 4, 1), ("b", 3, 0), ("c", 7, 1), ("d", 100, 0)):
        yield member, group.member(member).fetch(max_records=most, mode=mode)


@scenario(on=SHARE)
def share_ranges_have_a_size(kafka: Kafka) -> Observations:
    """Ranges are split at the batches, from the requested size on."""
    for size in (1, 3, 5, 10, 100):
        group = ShareGroup(kafka)
        group.produce(4, 4, 4, 4)
        yield size, group.member("a").fetch(batch_size=size)


@scenario(on=SHARE)
def share_releases_come_first(kafka: Kafka) -> Observations:
    """Released records are delivered before new ones, and in the order of their offsets."""
    group = ShareGroup(kafka)
    group.produce(10, 10, 10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=20)
    yield a.acknowledge("2-3 release", "7-7 release", "12-15 release")
    yield b.fetch(max_records=1)
    yield b.fetch(max_records=5)
    yield b.fetch(max_records=100)


@scenario(on=SHARE)
def share_releases_of_several_counts(kafka: Kafka) -> Observations:
    """Ranges of one batch with different delivery counts are not joined."""
    group = ShareGroup(kafka)
    group.produce(10)
    a = group.member("a")
    yield a.fetch()
    yield a.acknowledge("0-4 release")
    yield a.fetch()
    yield a.acknowledge("0-2 release")
    yield a.acknowledge("6-8 release")
    yield a.fetch()
    yield a.acknowledge("0-9 release")
    yield a.fetch()


@scenario(on=SHARE)
def share_window_is_limited(kafka: Kafka) -> Observations:
    """A partition has at most partition.max.record.locks records in flight, and one more batch."""
    group = ShareGroup(kafka, partition_max_record_locks="100")
    group.produce(*[10] * 15)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    yield b.fetch()
    yield a.acknowledge("50-59 accept")
    yield "in the middle", b.fetch()
    yield a.acknowledge("0-9 accept")
    yield "at the start", b.fetch()
    yield a.acknowledge("20-29 release")
    yield "released", b.fetch(max_records=3)


@scenario(on=SHARE)
def share_window_is_exceeded_by_one_batch(kafka: Kafka) -> Observations:
    """A batch longer than the window is acquired whole, also in parts of an exact size."""
    group = ShareGroup(kafka, partition_max_record_locks="100")
    group.produce(250)
    yield group.member("a").fetch()
    other = ShareGroup(kafka, partition_max_record_locks="100")
    other.produce(250)
    yield other.member("a").fetch(mode=1)
    yield other.member("b").fetch(mode=1)


@scenario(on=SHARE)
def share_bad_records_become_alone(kafka: Kafka) -> Observations:
    """Records that are released again and again come in smaller groups, until they are archived."""
    group = ShareGroup(kafka)
    group.produce(10, 5)
    a = group.member("a")
    for _ in range(24):
        result = a.fetch(max_records=10)
        yield result
        ranges = [each.partition("#")[0] for each in result.partition(": ")[2].split()]
        if ranges == ["nothing"] or not ranges:
            break
        yield a.acknowledge(*[f"{each} release" for each in ranges])


@scenario(on=SHARE)
def share_bad_records_with_other_limits(kafka: Kafka) -> Observations:
    """The limit of deliveries determines when groups become smaller."""
    for limit in ("2", "3", "4", "10"):
        group = ShareGroup(kafka, delivery_count_limit=limit)
        group.produce(8)
        a = group.member("a")
        results = []
        for _ in range(20):
            result = a.fetch()
            results.append(result)
            ranges = [each.partition("#")[0] for each in result.partition(": ")[2].split()]
            if not ranges or ranges == ["nothing"]:
                break
            a.acknowledge(*[f"{each} release" for each in ranges])
        yield limit, results


@scenario(on=SHARE)
def share_partitions_take_turns(kafka: Kafka) -> Observations:
    """With one record for each fetch, the partitions of a session take turns."""
    group = ShareGroup(kafka, 3)
    for partition in range(3):
        group.produce(1, 1, 1, partition=partition)
    a = group.member("a")
    found = [a.fetch(0, 1, 2, max_records=1)]
    found += [a.fetch(max_records=1) for _ in range(8)]
    yield sorted(found)  # Kafka's order depends on hashes
    yield a.fetch(max_records=1)


@scenario(on=SHARE)
def share_bad_records_are_beside_others(kafka: Kafka) -> Observations:
    """The other records of their batch count as well; more than a bad one allows are no limit."""
    for good in (3, 5, 6):
        group = ShareGroup(kafka)
        group.produce(10)
        a, b = group.member("a"), group.member("b")
        yield a.fetch()
        yield a.acknowledge(f"{good}-9 release")
        for _ in range(2):
            yield b.fetch()
            yield b.acknowledge(f"{good}-9 release")
        yield a.acknowledge(f"0-{good - 1} release")
        yield "mixed", b.fetch(), b.fetch(max_wait_ms=1)


@scenario(on=SHARE)
def share_ranges_have_no_size(kafka: Kafka) -> Observations:
    """A size that is not positive has an empty range before the batches."""
    for size in (0, -1, -(2**31)):
        group = ShareGroup(kafka)
        group.produce(3, 3, 3)
        a = group.member("a")
        yield size, a.fetch(batch_size=size)
        yield a.acknowledge("0-2 accept", message=True), a.acknowledge("3-8 release")
        yield a.fetch(batch_size=size), a.acknowledge("3-8 accept")
        group.produce(2)
        yield a.fetch(batch_size=size)
