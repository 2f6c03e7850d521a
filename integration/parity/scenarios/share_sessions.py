"""Share sessions: their epochs, their ends, and the checks of share requests."""

from __future__ import annotations

from uuid import UUID

from integration.parity.features import disabled
from integration.parity.quota_requests import CLIENT_ID, altered
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import FEW_SHARE_SESSIONS, SHARE
from integration.parity.share_member import ShareGroup, fetched
from integration.parity.share_requests import (
    alter_offsets,
    delete_offsets,
    describe_offsets,
    share_heartbeat,
)
from protocol.errors import ErrorCode
from protocol.messages.share_group_describe import ShareGroupDescribeRequest


@scenario(on=SHARE)
def share_session_epochs(kafka: Kafka) -> Observations:
    """Both APIs use one sequence; a refused epoch does not advance it."""
    group = ShareGroup(kafka)
    group.produce(10)
    a = group.member("a")
    yield "none", a.fetch(epoch=1), a.fetch(epoch=-1), a.acknowledge("0-1 accept", epoch=1)
    yield "opened", a.fetch()
    yield "ahead", a.fetch(epoch=5), a.acknowledge("0-1 accept", epoch=5)
    yield "behind", a.acknowledge("0-1 accept", epoch=0)
    yield "next", a.acknowledge("0-1 accept")
    yield "repeated", a.acknowledge("2-3 accept", epoch=1)
    yield "next", a.fetch()
    yield "far behind", a.fetch(epoch=-7)


@scenario(on=SHARE, alone=True)
def share_feature_is_disabled(kafka: Kafka) -> Observations:
    """With share.version 0 the requests of share groups fail, and sessions end."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=4)
    yield b.fetch(epoch=0)
    with disabled(kafka, "share.version"):
        yield "disabled", a.fetch(), a.acknowledge("0-1 accept"), b.fetch(epoch=0)
        for request in (
            share_heartbeat(group.id, "a" * 22, 0, topics=["t"]),
            share_heartbeat("", "", 0),
            ShareGroupDescribeRequest(group_ids=[group.id, ""]),
            describe_offsets(group.id, group.topic, 0),
            alter_offsets(group.id, group.topic, {0: 3}),
            delete_offsets(group.id, group.topic),
        ):
            yield kafka.request(request)
    yield "enabled", a.fetch(), a.acknowledge("0-1 accept")
    yield "opened again", a.fetch(epoch=0, max_wait_ms=1000)


@scenario(on=SHARE)
def share_session_is_opened_again(kafka: Kafka) -> Observations:
    """The locks of the member stay, and can be acknowledged in the new session."""
    group = ShareGroup(kafka)
    group.produce(10)
    a = group.member("a")
    yield a.fetch()
    yield "with acknowledgements", a.fetch(epoch=0, acknowledge=["0-1 accept"])
    yield "again", a.fetch(epoch=0)
    yield a.acknowledge("0-9 accept")


@scenario(on=SHARE)
def share_session_ends(kafka: Kafka) -> Observations:
    """The final epoch releases what the member has, after its acknowledgements."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    yield b.fetch()
    yield "ends", a.acknowledge("0-4 accept", epoch=-1)
    yield "next", b.fetch(max_wait_ms=1000)
    yield "gone", a.acknowledge("5-6 accept", epoch=2)
    yield "ends by a fetch", b.fetch(epoch=-1, acknowledge=["5-6 accept"])
    yield "again", a.fetch(epoch=0, max_wait_ms=1000)


@scenario(on=SHARE)
def share_session_ends_with_its_connection(kafka: Kafka) -> Observations:
    """What the member has is available for the next fetch of another member."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    yield b.fetch()
    a.client.close()
    kafka.pass_time(kafka.topic(), 300)
    yield b.fetch(max_wait_ms=1000)


@scenario(on=SHARE)
def share_session_partitions(kafka: Kafka) -> Observations:
    """Partitions are added and forgotten; responses name those with news."""
    group = ShareGroup(kafka, 3)
    a = group.member("a")
    yield a.fetch(0, 1)
    yield a.fetch()
    group.produce(1, partition=1)
    group.produce(1, partition=2)
    yield a.fetch()
    yield "added", a.fetch(2)
    group.produce(1, partition=1)
    yield "forgotten", a.fetch(forgotten=[1])
    yield "all", a.fetch(forgotten=[0, 2], max_wait_ms=3000)
    yield "both", a.fetch(1, forgotten=[1])
    yield "back", a.fetch(1)


@scenario(on=SHARE)
def share_session_of_several_members(kafka: Kafka) -> Observations:
    """Each member of a group has a session of its own, also on one connection."""
    group = ShareGroup(kafka)
    group.produce(5, 5)
    client = kafka.connect()
    a, b = group.member("a", client=client), group.member("b", client=client)
    yield a.fetch(max_records=1), b.fetch(max_records=1)
    yield a.acknowledge("0-4 accept"), b.acknowledge("5-9 accept")
    yield a.acknowledge("0-4 accept"), b.fetch()


@scenario(on=SHARE)
def share_session_overtaken(kafka: Kafka) -> Observations:
    """A fetch that waits while its session goes on is refused at its end."""
    group = ShareGroup(kafka)
    a, again = group.member("a"), group.member("a")
    yield a.fetch()
    parked = a.start(max_wait_ms=1500)
    yield "waits", parked.waits()
    again.epoch = 2
    yield again.fetch()
    yield parked


@scenario(on=SHARE)
def share_invalid_requests(kafka: Kafka) -> Observations:
    """Member ids, groups, modes and partitions that cannot be."""
    group = ShareGroup(kafka)
    for member_id in ("", "x" * 36, "x" * 37):
        yield f"{len(member_id)} characters", group.member(member_id).fetch()
    yield "mode", group.member("a").fetch(mode=2)
    yield "partition", group.member("b").fetch(0, 7)
    other = group.member("c")
    yield other.fetch()
    yield "acknowledge", other.acknowledge("0-1 accept", partition=7)
    group.topic_id = UUID(int=77)
    yield "topic", other.acknowledge("0-1 accept")


@scenario(on=SHARE)
def share_fetch_limits(kafka: Kafka) -> Observations:
    """Limits of 0 and below are answered at once, or never reached."""
    group = ShareGroup(kafka)
    for name in ("max_records", "max_bytes", "min_bytes", "max_wait_ms"):
        for value in (0, -1):
            sent = {"max_wait_ms": 1000, name: value}
            yield f"{name} {value}", group.member(f"{name}{value}").start(**sent)


@scenario(on=SHARE)
def share_session_ends_in_several_partitions(kafka: Kafka) -> Observations:
    """The end releases the records of all partitions of the session, but not of forgotten ones."""
    group = ShareGroup(kafka, 3)
    for partition in range(3):
        group.produce(4, partition=partition)
    a, b = group.member("a"), group.member("b")
    for partition in range(3):
        yield a.fetch(partition)
    yield a.fetch(forgotten=[1])
    yield a.acknowledge("0-1 accept", partition=2, epoch=-1)
    kafka.pass_time(kafka.topic(), 300)
    for partition in range(3):
        yield b.fetch(partition, max_wait_ms=1)


@scenario(on=SHARE)
def share_session_moves_to_another_connection(kafka: Kafka) -> Observations:
    """It ends with the connection that opened it, also when another one uses it."""
    group = ShareGroup(kafka)
    group.produce(5, 5)
    a, moved, b = group.member("a"), group.member("a"), group.member("b")
    yield a.fetch(max_records=1)
    moved.epoch = a.epoch
    yield moved.fetch(max_records=1), b.fetch()
    a.client.close()
    kafka.pass_time(kafka.topic(), 300)
    yield "ended", moved.acknowledge("0-4 accept")
    yield b.fetch()
    moved.client.close()


@scenario(on=SHARE)
def share_session_is_replaced(kafka: Kafka) -> Observations:
    """The end of the connection that opened the replaced session does not end the new one."""
    group = ShareGroup(kafka)
    group.produce(5)
    first, second, b = group.member("a"), group.member("a"), group.member("b")
    yield first.fetch()
    yield second.fetch()
    first.client.close()
    kafka.pass_time(kafka.topic(), 300)
    yield b.fetch(max_wait_ms=1)
    yield second.acknowledge("0-4 accept")


@scenario(on=SHARE)
def share_session_ends_while_a_fetch_waits(kafka: Kafka) -> Observations:
    """A fetch that waits is refused or empty, when its session has ended or begun anew."""
    group = ShareGroup(kafka)
    for name, end in (("final", -1), ("anew", 0)):
        a, again = group.member(name), group.member(name)
        yield a.fetch()
        parked = a.start(max_wait_ms=1500)
        yield "waits", parked.waits()
        yield name, again.fetch(epoch=end, max_wait_ms=1)
        yield parked


@scenario(on=SHARE)
def share_session_ends_with_acknowledgements(kafka: Kafka) -> Observations:
    """A final request may acknowledge; a refused acknowledgement does not keep the session."""
    group = ShareGroup(kafka)
    group.produce(10)
    a, b = group.member("a"), group.member("b")
    yield a.fetch()
    yield b.fetch()
    yield a.fetch(epoch=-1, acknowledge=["0-4 accept", "12-12 accept"])
    yield "gone", a.fetch(epoch=2)
    yield b.fetch(max_wait_ms=1000)
    yield b.acknowledge("0-4 accept", "5-5 9", epoch=-1)
    yield "gone", b.acknowledge("0-4 accept", epoch=3)
    yield "unknown", a.acknowledge(epoch=-1)


@scenario(on=FEW_SHARE_SESSIONS)
def share_session_limit(kafka: Kafka) -> Observations:
    """A full node refuses new sessions after the wait of the request; none is evicted."""
    group = ShareGroup(kafka)
    group.produce(5)
    members = [group.member(name) for name in "abcd"]  # the group's own is the first session
    for each in members:
        yield each.member_id, each.start(max_wait_ms=1500)
    a, _, _, d = members
    d.epoch = 0
    yield "opened again", a.fetch(epoch=0)
    yield a.acknowledge("0-4 accept", epoch=-1)
    yield "ended", d.fetch()
    yield a.start(max_wait_ms=0)


@scenario(on=FEW_SHARE_SESSIONS)
def share_group_is_full(kafka: Kafka) -> Observations:
    """A group with its largest number of members refuses another one, but not one that returns."""
    group, topic = kafka.new_name("group"), kafka.topic()
    for member in ("a", "b", "c", "a"):
        response = kafka.request(share_heartbeat(group, member, 0, topics=[topic]))
        yield member, ErrorCode(response.error_code), response.error_message
    kafka.request(share_heartbeat(group, "a", -1))
    response = kafka.request(share_heartbeat(group, "c", 0, topics=[topic]))
    yield "c", ErrorCode(response.error_code)


@scenario(on=SHARE)
def share_session_names_a_partition_after_its_error(kafka: Kafka) -> Observations:
    """The next response names it without the error, and the one after that does not."""
    group = ShareGroup(kafka)
    a = group.member("a")
    yield a.fetch(max_wait_ms=1), a.fetch(max_bytes=-1, max_wait_ms=1)
    yield a.fetch(max_wait_ms=1), a.fetch(max_wait_ms=1)


@scenario(on=SHARE)
def share_session_ends_and_its_connection_stays(kafka: Kafka) -> Observations:
    """The share partition remains, at the end of the log of its beginning."""
    group = ShareGroup(kafka, start_offset=-1)
    a = group.member("a")
    yield a.fetch(max_wait_ms=1)
    yield a.fetch(epoch=-1, max_wait_ms=1)
    group.produce(3)
    a.epoch = 0
    yield a.fetch(), a.acknowledge("0-2 accept")


@scenario(on=SHARE)
def share_session_is_throttled(kafka: Kafka) -> Observations:
    """Results of acknowledgements are sent, records are not, and the session does not change."""
    client_id = kafka.new_name("client")
    group = ShareGroup(kafka, 2)
    a = group.member("a", client=kafka.connect(client_id=client_id))
    group.produce(1)
    yield a.fetch()
    kafka.request(altered({CLIENT_ID: client_id}, {"consumer_byte_rate": 1}))
    kafka.settle()
    group.produce(1)
    for named, batches in ((0, ["0-0 accept"]), (1, [])):
        a.client = kafka.connect(client_id=client_id)  # the one before is muted
        sent = a.request(named, acknowledge=batches)
        response = a.client.request(sent)
        a.advance(sent)
        yield response.throttle_time_ms > 0, fetched(response)
    a.client = kafka.connect()
    yield a.fetch(), a.acknowledge("1-1 accept")
