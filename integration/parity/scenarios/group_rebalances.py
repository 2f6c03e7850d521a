"""Rebalances of the classic protocol: their waits and timeouts."""

from __future__ import annotations

from integration.parity.group_requests import join, leave, sync
from integration.parity.members import Member, stable
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import INITIAL_DELAY_MS, SESSION_MIN_MS


@scenario()
def rebalance_begins_with_a_delay(kafka: Kafka) -> Observations:
    """A second member within the initial delay prolongs it once; both joins complete together."""
    group = kafka.new_name("group")
    one, two = Member(kafka, group), Member(kafka, group)
    first = one.join()
    yield "first waits", first.waits()
    second = two.join()
    responses = {one: one.joined(first), two: two.joined(second)}
    yield first.wait.reached(0, INITIAL_DELAY_MS, 2 * INITIAL_DELAY_MS)
    yield sorted(len(each.members) for each in responses.values())
    yield "one generation", {each.generation_id for each in responses.values()}
    yield "one leader", len({each.leader for each in responses.values()})


@scenario()
def rebalance_waits_for_all_members(kafka: Kafka) -> Observations:
    """A new member waits until the present member has rejoined."""
    (one,) = stable(kafka, kafka.new_name("group"))
    two = Member(kafka, one.group)
    second = two.join()
    yield "newcomer waits", second.waits()
    yield "in a heartbeat", one.heartbeat()
    yield "in a sync", one.sync().response()
    first = one.join()
    yield one.joined(first).generation_id, two.joined(second).generation_id, second.waits()
    yield "sizes", sorted((len(one.others), len(two.others)))
    yield "old generation", one.heartbeat(1)


@scenario()
def rebalance_removes_silent_members(kafka: Kafka) -> Observations:
    """At the rebalance timeout, members that have not rejoined are removed."""
    (one,) = stable(kafka, kafka.new_name("group"), rebalance_ms=3000)
    two = Member(kafka, one.group, rebalance_ms=1500)
    second = two.join()
    yield "newcomer waits", second.waits()
    yield two.joined(second).generation_id, second.wait.reached(0, 1500, 3000)
    yield "dropped", one.heartbeat()


@scenario()
def rebalance_is_not_for_followers(kafka: Kafka) -> Observations:
    """In a stable group a follower's identical join changes nothing; the leader's rebalances."""
    leader, follower = stable(kafka, kafka.new_name("group"), 2)
    again = follower.join()
    yield follower.joined(again).generation_id, again.wait.how_it_ended()
    yield "no rebalance", leader.heartbeat()
    waiting = leader.join()
    yield "leader waits", waiting.waits()
    yield "rebalance", follower.heartbeat()
    joined = follower.join()
    yield leader.joined(waiting).generation_id, follower.joined(joined).generation_id


@scenario()
def rebalance_for_other_metadata(kafka: Kafka) -> Observations:
    """A follower that joins with other metadata starts a rebalance."""
    leader, follower = stable(kafka, kafka.new_name("group"), 2)
    changed = follower.join(protocols=(("range", b"other"),))
    yield "waits", changed.waits()
    yield "heartbeat", leader.heartbeat()
    joined = leader.join()
    yield leader.joined(joined).generation_id, follower.joined(changed).generation_id
    yield "metadata for the leader", sorted(bytes(m.metadata) for m in joined.response().members)


@scenario()
def sync_waits_for_the_leader(kafka: Kafka) -> Observations:
    """A follower's sync waits for the leader's; later syncs complete at once."""
    group = kafka.new_name("group")
    members = [Member(kafka, group), Member(kafka, group)]
    joins = [each.join() for each in members]
    for member, pending in zip(members, joins, strict=True):
        member.joined(pending)
    leader, follower = sorted(members, key=lambda each: not each.others)
    early = follower.sync()
    yield "follower waits", early.waits()
    yield "heartbeat meanwhile", follower.heartbeat()
    yield "leader", leader.sync()
    yield "follower", early
    yield "once more", follower.sync()


@scenario()
def sync_ends_without_the_leader(kafka: Kafka) -> Observations:
    """A leader that does not sync is removed at the rebalance timeout; the syncs fail."""
    group = kafka.new_name("group")
    members = [Member(kafka, group, rebalance_ms=3000) for _ in range(2)]
    joins = [each.join() for each in members]
    for member, pending in zip(members, joins, strict=True):
        member.joined(pending)
    leader, follower = sorted(members, key=lambda each: not each.others)
    early = follower.sync()
    yield early.response(), early.wait.reached(0, 1000)
    yield "leader", leader.heartbeat()
    yield "follower", follower.heartbeat()


@scenario()
def members_expire_after_their_session(kafka: Kafka) -> Observations:
    """A silent member is removed at its session timeout; the others rebalance."""
    group = kafka.new_name("group")
    (quiet,) = stable(kafka, group, session_ms=SESSION_MIN_MS)
    newcomer = Member(kafka, group)
    pending = newcomer.join()
    yield "newcomer waits", pending.waits()
    yield newcomer.joined(pending).generation_id, pending.wait.reached(0, SESSION_MIN_MS // 2)
    yield "dropped", quiet.heartbeat()


@scenario()
def members_stay_by_heartbeats(kafka: Kafka) -> Observations:
    """Every heartbeat restarts the session timeout."""
    (member,) = stable(kafka, kafka.new_name("group"), session_ms=4 * SESSION_MIN_MS)
    topic = kafka.topic()
    for _ in range(5):
        kafka.pass_time(topic, SESSION_MIN_MS)
        yield member.heartbeat()


@scenario()
def leaving_ends_the_wait_for_the_missing(kafka: Kafka) -> Observations:
    """When the only missing member leaves, the joins complete at once."""
    (one,) = stable(kafka, kafka.new_name("group"))
    two = Member(kafka, one.group)
    second = two.join()
    yield "waits", second.waits()
    yield kafka.request(leave(one.group, one.id))
    yield two.joined(second).generation_id, second.wait.how_it_ended()


@scenario()
def leaving_a_stable_group_starts_a_rebalance(kafka: Kafka) -> Observations:
    """The other members learn of a leave by heartbeats; the last leave empties the group."""
    leader, follower = stable(kafka, kafka.new_name("group"), 2)
    yield kafka.request(leave(leader.group, follower.id))
    yield leader.heartbeat()
    joined = leader.join()
    yield leader.joined(joined).generation_id
    yield kafka.request(leave(leader.group, leader.id))
    yield leader.heartbeat()


@scenario()
def leaving_in_old_versions(kafka: Kafka) -> Observations:
    """Before v3 one member leaves at a time, and the response has its error."""
    for version in (0, 1, 2):
        (member,) = stable(kafka, kafka.new_name("group"))
        requested = leave(member.group)
        requested.member_id = member.id
        yield version, kafka.request(requested, version)
        yield version, kafka.request(requested, version)


@scenario()
def joins_of_closed_connections(kafka: Kafka) -> Observations:
    """A client that disconnects during a join is removed at its session timeout."""
    group = kafka.new_name("group")
    (one,) = stable(kafka, group)
    gone = Member(kafka, group, session_ms=SESSION_MIN_MS)
    yield "waits", gone.join().waits()
    gone.client.close()
    yield one.heartbeat()
    again = one.join()
    yield one.joined(again).generation_id, again.wait.reached(0)
    yield one.sync().response()


@scenario()
def protocols_are_voted_on(kafka: Kafka) -> Observations:
    """The protocol is the one that most members prefer, of those that all support."""
    group = kafka.new_name("group")
    preferences = (("a", "b"), ("b", "a"), ("c", "b", "a"))
    members = [
        Member(kafka, group, protocols=tuple((name, name.encode()) for name in names))
        for names in preferences
    ]
    joins = [each.join() for each in members]
    yield {each.joined(pending).protocol_name for each, pending in zip(members, joins, strict=True)}
    leader = next(each for each in members if each.others)
    yield sorted(bytes(m.metadata) for m in joins[members.index(leader)].response().members)


@scenario()
def equal_votes_for_protocols(kafka: Kafka) -> Observations:
    """Of two protocols with one vote each, the same one is selected in both orders of joining."""
    many = [f"x{number}" for number in range(30)]
    started = {}
    for pair, others in (
        (("range", "cooperative-sticky"), []),
        (("range", "roundrobin"), []),
        (("range", "sticky"), []),
        (("n1", "n13"), []),
        (("n1", "n13"), many),
    ):
        for names in (pair, pair[::-1]):
            group = kafka.new_name("group")
            members = [
                Member(kafka, group, protocols=[(name, b"") for name in (*preferred, *others)])
                for preferred in (names, names[::-1])
            ]
            started[*names, len(others)] = [each.join() for each in members]
    for key, joins in started.items():
        yield key, {each.response().protocol_name for each in joins}


@scenario()
def assignments_reach_their_members(kafka: Kafka) -> Observations:
    """Each member gets the leader's assignment; others get an empty one."""
    group = kafka.new_name("group")
    members = [Member(kafka, group), Member(kafka, group)]
    joins = [each.join() for each in members]
    for member, pending in zip(members, joins, strict=True):
        member.joined(pending)
    leader, follower = sorted(members, key=lambda each: not each.others)
    waiting = follower.client.start(sync(group, follower.id, follower.generation))
    brought = {leader.id: b"for the leader"}
    yield kafka.request(sync(group, leader.id, leader.generation, brought))
    yield waiting.response()
    yield kafka.request(join(group, follower.id)).generation_id
