"""Share partitions: acknowledgements, those that are refused, and locks."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE, SHARE_LOCK_MS
from integration.parity.share_member import ShareGroup, ShareMember


def _group_of_two(kafka: Kafka) -> tuple[ShareGroup, ShareMember, ShareMember]:
    """Member a has the records 0 to 9, member b those from 10 to 19, 20 to 29 are not acquired."""
    group = ShareGroup(kafka)
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
    """Deleted records are not delivered, and their acknowledgements have no effect."""
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
