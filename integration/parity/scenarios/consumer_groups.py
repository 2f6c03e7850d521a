"""Groups of the consumer protocol (KIP-848): epochs, and reassigned partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from integration.machine.deadlines import eventually
from integration.parity.features import disabled
from integration.parity.group_requests import commit, consumer_heartbeat, join
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest


class Member:
    """A member that heartbeats with its last epoch, and with partitions of one topic."""

    def __init__(self, kafka: Kafka, group: str, *topics: str) -> None:
        self.group = group
        self.topics = topics
        self.id = str(uuid4())
        self.epoch = 0
        self.owned: dict[UUID, Sequence[int]] = {}
        self._kafka = kafka
        kafka.formatter.name(self.id, "consumer")

    def beat(self) -> Any:
        """Send a full heartbeat, and apply the assignment of the response."""
        requested = consumer_heartbeat(
            self.group, self.id, self.epoch, topics=self.topics, owned=self.owned
        )
        response = self._kafka.request(requested)
        if not response.error_code:
            self.epoch = response.member_epoch
        if response.assignment is not None:
            given = response.assignment.topic_partitions
            self.owned = {each.topic_id: each.partitions for each in given}
        return response

    def leave(self) -> Any:
        """Leave the group."""
        return self._kafka.request(consumer_heartbeat(self.group, self.id, -1))

    @property
    def partitions(self) -> list[int]:
        """The assigned partitions."""
        return sorted(index for each in self.owned.values() for index in each)


@scenario(alone=True)
def group_feature_is_disabled(kafka: Kafka) -> Observations:
    """With group.version 0 the requests of the protocol fail, and the group stays."""
    member = Member(kafka, kafka.new_name("group"), kafka.topic())
    member.beat()
    described = ConsumerGroupDescribeRequest(group_ids=[member.group])
    with disabled(kafka, "group.version"):
        for request in (
            consumer_heartbeat(member.group, member.id, member.epoch),
            consumer_heartbeat(member.group, member.id, -1),
            consumer_heartbeat("", "", 0),
            described,
        ):
            yield kafka.request(request)
    yield member.beat()


@scenario()
def consumer_group_of_one(kafka: Kafka) -> Observations:
    """A single member gets all partitions with its first heartbeat; the second changes nothing."""
    member = Member(kafka, kafka.new_name("group"), kafka.topic(3))
    yield "joins", member.beat()
    yield "again", member.beat()
    yield "describe", kafka.request(ConsumerGroupDescribeRequest(group_ids=[member.group]))
    yield "leaves", member.leave()
    yield "leaves", member.beat()
    yield "describe", kafka.request(ConsumerGroupDescribeRequest(group_ids=[member.group]))


@scenario()
def consumers_release_partitions(kafka: Kafka) -> Observations:
    """A new member waits for its partitions until the present member has released them."""
    group, topic = kafka.new_name("group"), kafka.topic(4)
    first, second = Member(kafka, group, topic), Member(kafka, group, topic)
    first.beat()
    yield "newcomer", second.beat(), second.partitions
    yield "must give back", first.beat(), first.partitions
    yield "not yet", second.beat(), second.partitions
    yield "gives back", first.beat(), first.partitions
    yield "gets them", second.beat(), second.partitions
    yield "epochs", first.epoch, second.epoch
    yield second.leave()
    yield "gets all", first.beat(), first.partitions


@scenario()
def invalid_consumer_heartbeats(kafka: Kafka) -> Observations:
    """Invalid epochs, members and requests."""
    member = Member(kafka, kafka.new_name("group"), kafka.topic())
    member.beat()
    group = member.group
    for what, requested in (
        ("unknown member", consumer_heartbeat(group, "absent", 3)),
        ("epoch ahead", consumer_heartbeat(group, member.id, member.epoch + 5)),
        ("epoch below", consumer_heartbeat(group, member.id, -7)),
        ("unknown group", consumer_heartbeat(kafka.new_name("group"), "absent", 3)),
        ("no group", consumer_heartbeat("", member.id, 0, topics=["a"], owned={})),
        ("no member", consumer_heartbeat(group, "", 0, topics=["a"], owned={})),
        ("no topics", consumer_heartbeat(group, "new", 0, owned={})),
        ("nothing owned", consumer_heartbeat(group, "new", 0, topics=["a"])),
        ("assignor", consumer_heartbeat(group, "new", 0, topics=["a"], owned={}, assignor="x")),
        (
            "no rebalance",
            consumer_heartbeat(group, "new", 0, topics=["a"], owned={}, rebalance_ms=0),
        ),
        ("bad regex", consumer_heartbeat(group, "new", 0, regex="a(", owned={})),
        ("no instance", consumer_heartbeat(group, "new", -2)),
    ):
        yield what, kafka.request(requested)
    yield "still a member", member.beat()


@scenario()
def consumers_by_regex(kafka: Kafka) -> Observations:
    """Topics that match a regular expression are assigned, including later ones."""
    group, topic = kafka.new_name("group"), kafka.topic(2)
    requested = consumer_heartbeat(group, "me", 0, regex=f"{topic}.*", owned={})
    joined = kafka.request(requested)
    yield joined.error_code
    epochs = [joined.member_epoch]

    def assigned() -> Any:
        response = kafka.request(consumer_heartbeat(group, "me", epochs[-1]))
        epochs.append(response.member_epoch)
        found = response.assignment
        return found and found.topic_partitions

    got = joined.assignment and joined.assignment.topic_partitions
    yield "has", got or eventually(assigned, "an assignment")


@scenario()
def consumers_commit_in_their_epoch(kafka: Kafka) -> Observations:
    """A commit of a member needs its epoch, or an older one in old versions."""
    topic = kafka.topic()
    member = Member(kafka, kafka.new_name("group"), topic)
    member.beat()
    for what, id_, epoch in (
        ("its epoch", member.id, member.epoch),
        ("a newer one", member.id, member.epoch + 1),
        ("an older one", member.id, member.epoch - 1),
        ("an unknown member", "absent", member.epoch),
        ("no member", "", -1),
    ):
        requested = commit(member.group, topic, {0: 1}, member=id_, generation=epoch)
        yield what, kafka.request(requested, 9)
    old = commit(member.group, topic, {0: 1}, member=member.id, generation=member.epoch + 1)
    yield "in an old version", kafka.request(old, 8)


@scenario()
def equal_votes_for_assignors(kafka: Kafka) -> Observations:
    """Of two assignors with one vote each, the same one is used in both orders of joining."""
    topics = [kafka.topic(3)]
    for names in (("range", "uniform"), ("uniform", "range")):
        group = kafka.new_name("group")
        for name in names:
            kafka.request(
                consumer_heartbeat(group, name, 0, topics=topics, owned={}, assignor=name)
            )
        (found,) = kafka.request(ConsumerGroupDescribeRequest(group_ids=[group])).groups
        yield names, found.assignor_name


@scenario()
def consumers_and_classic_members(kafka: Kafka) -> Observations:
    """A classic member whose embedded protocol cannot be decoded is rejected."""
    member = Member(kafka, kafka.new_name("group"), kafka.topic())
    member.beat()
    first = kafka.request(join(member.group))
    kafka.formatter.name(first.member_id, "member")
    yield "needs an id", first
    yield "joins", kafka.request(join(member.group, first.member_id))
    yield "another kind", kafka.request(join(member.group, "x", kind="connect"))
    yield "still a member", member.beat()
