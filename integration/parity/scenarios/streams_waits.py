"""Streams groups: the initial delay, the assignment interval, and the timeouts of members."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SESSION_MIN_MS, STREAMS_HEARTBEAT_MIN_MS
from integration.parity.streams_group import StreamsGroup, StreamsMember
from integration.parity.streams_requests import endpoint, subtopology, topology
from integration.parity.timing import EARLY_MS

DELAY_MS = 2500
NO_END_MS = 60_000
_GROUP, _TARGET = 17, 20  # types of records


@scenario()
def streams_initial_rebalance_delay(kafka: Kafka) -> Observations:
    """The first assignment waits for members, until a time after the first of them."""
    group = _group(kafka, initial_rebalance_delay_ms=DELAY_MS)
    a, b = group.member("a"), group.member("b")
    clock = _Clock()
    yield a.join(), group.records(), group.state()
    yield b.join(), group.records()
    yield a.beat(), group.records(), group.state()
    yield group.wait_for_records(_TARGET), group.state()
    yield clock.reached(DELAY_MS, 2 * DELAY_MS)
    yield b.beat(), a.beat(), group.records(), group.state()


@scenario()
def streams_delay_of_a_group_that_is_empty_again(kafka: Kafka) -> Observations:
    """The delay begins again for each group without members; nobody gets tasks before its end."""
    topic = kafka.topic()
    group = _group(kafka, initial_rebalance_delay_ms=DELAY_MS)
    a, b = group.member("a"), group.member("b")
    a.join()
    yield "leaves", a.leave(), group.records()
    kafka.pass_time(topic, DELAY_MS)
    yield "no assignment", group.records(), group.state()
    yield a.join()
    yield a.leave(), b.join(), group.records()
    yield group.wait_for_records(_TARGET), group.state()
    yield b.beat(), group.records()
    yield b.leave(), b.join(), group.records()
    yield b.beat()


@scenario()
def streams_delay_of_a_failed_join(kafka: Kafka) -> Observations:
    """A join that fails because of its endpoint has begun the delay; a refused one has not."""
    absent, topic = kafka.new_name("absent"), kafka.topic()
    sent = topology(subtopology("0", absent))
    failed = StreamsGroup(kafka, sent, initial_rebalance_delay_ms=NO_END_MS)
    a = failed.member("a")
    yield a.join(user_endpoint=endpoint("h")), failed.records()
    failed.set(initial_rebalance_delay_ms=0)
    yield a.join(), failed.records()
    refused = StreamsGroup(kafka, topology(), initial_rebalance_delay_ms=NO_END_MS)
    wrong = topology(subtopology("0", topic, repartition=[absent]))
    yield refused.member("a", wrong).join()
    refused.set(initial_rebalance_delay_ms=0)
    yield refused.member("a").join(), refused.records()


@scenario()
def streams_delay_without_source_topics(kafka: Kafka) -> Observations:
    """A missing topic is reported with the delay; without it the assignment is empty."""
    sent = topology(subtopology("0", kafka.new_name("absent")))
    group = StreamsGroup(kafka, sent, initial_rebalance_delay_ms=DELAY_MS)
    a = group.member("a")
    yield a.join(), group.records()
    yield a.beat()
    yield group.wait_for_records(_TARGET)
    yield a.beat(), group.records(), group.state()


@scenario()
def streams_assignment_interval(kafka: Kafka) -> Observations:
    """A new assignment is computed only some time after the last one."""
    group = _group(kafka, assignment_interval_ms=DELAY_MS)
    clock = _Clock()
    a, b = group.member("a"), group.member("b")
    yield a.join(), group.records()
    yield b.join(), group.records(), group.state()
    yield b.beat(), a.beat(), group.records()
    assigned = eventually(partial(_if_assigned, b), "the assignment")
    yield clock.reached(DELAY_MS, 2 * DELAY_MS)
    yield assigned, group.records()
    yield a.beat(), group.records(), group.state()


@scenario()
def streams_session_timeout(kafka: Kafka) -> Observations:
    """A member without heartbeats is removed, and the others get its tasks."""
    group = _group(
        kafka,
        heartbeat_interval_ms=STREAMS_HEARTBEAT_MIN_MS,
        session_timeout_ms=SESSION_MIN_MS,
    )
    clock = _Clock()
    a, b = group.member("a"), group.member("b")
    a.join()
    b.join()
    group.set(session_timeout_ms=45_000)
    yield "a longer session", a.report()
    a.report(), group.records()
    yield group.wait_for_records(_GROUP), group.state()
    yield clock.reached(SESSION_MIN_MS, 3 * SESSION_MIN_MS)
    yield b.beat(), a.beat(), group.records()
    yield group.state()


@scenario()
def streams_rebalance_timeout(kafka: Kafka) -> Observations:
    """A member that does not revoke its tasks in time is removed, although it sends heartbeats."""
    group = _group(kafka)
    a, b = group.member("a"), group.member("b")
    a.join(rebalance_timeout_ms=DELAY_MS)
    b.join()
    clock = _Clock()
    yield a.beat(), group.records()
    yield a.beat(), group.records()
    yield group.wait_for_records(_GROUP)
    yield clock.reached(DELAY_MS, 3 * DELAY_MS)
    yield a.beat(), b.beat(), b.beat(), group.records()
    yield group.state()


@scenario()
def streams_member_revokes_in_time(kafka: Kafka) -> Observations:
    """The rebalance timeout ends with the revocation."""
    topic = kafka.topic()
    group = _group(kafka)
    a, b = group.member("a"), group.member("b")
    a.join(rebalance_timeout_ms=DELAY_MS)
    b.join()
    a.beat()
    yield a.report(), group.records()
    kafka.pass_time(topic, DELAY_MS)
    yield a.beat(), b.beat(), group.records()


class _Clock:
    """The time since its creation."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def reached(self, *marks_ms: int) -> str:
        """The last of some times, in ascending order, that have passed."""
        took_ms = (time.monotonic() - self._began) * 1000
        passed = [mark for mark in marks_ms if took_ms >= mark - EARLY_MS]
        return f"after {passed[-1]} ms" if passed else f"before {marks_ms[0]} ms"


def _if_assigned(member: StreamsMember) -> Any:
    """The response to a heartbeat if it has no status."""
    response = member.beat()
    return None if response.status else response


def _group(kafka: Kafka, **configs: int) -> StreamsGroup:
    return StreamsGroup(kafka, topology(subtopology("0", kafka.topic(2))), **configs)
