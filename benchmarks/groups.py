"""Consumer groups: the time to form and rebalance, and the cost of heartbeats and commits.

Members are raw connections with the classic protocol, so that mostly the broker is measured. Join
of two: from the first JoinGroup until both have their assignments. Heartbeats: one every three
seconds from each member, as the Java client sends them; echo servers on epoll and on trio show how
much of the cost is the wake-up of a process on this machine. Rebalance: the leader rejoins and then
all members, until all have new assignments. kfake is measured with commits only: it completes a
rebalance without the members that have an id and have not joined.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.bare import Bare
from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.echo import Echo
from benchmarks.systems import System
from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from protocol.errors import ErrorCode
from protocol.framing import LENGTH_BYTES
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

PAIRS = 100
GROUPS = 100
MEMBERS_EACH = 10
HEARTBEAT_EVERY_S = 3.0
CROWD = 200
COMMITS = 3000
_SESSION_MS = 120_000
_COMMIT_VERSION = 8


def measure(system: System, scale: float) -> Sample:
    """Measure one after the other, each in groups of its own."""
    if not system.keeps_records:
        return {}
    commits, commit_cpu_us = _commits(system, max(1, int(COMMITS * scale)))
    sample = {
        "OffsetCommit p50": percentile(commits, 50),
        "OffsetCommit, broker CPU each": commit_cpu_us,
    }
    if not system.waits_for_pending_members:
        return sample
    sample |= {
        "two join, until stable p50": percentile(_pairs(system, int(PAIRS * scale)), 50),
        "heartbeats of 1000 members, CPU": _heartbeats(system, scale),
        "rebalance of 200 members": _crowd(system, max(2, int(CROWD * scale))),
    }
    if system.name == "ours":
        sample["the same number of echoes on epoll, CPU"] = _echoes(Bare(), scale)
        sample["the same number of echoes on trio, CPU"] = _echoes(Echo(), scale)
    return sample


class Member:
    """A member of a classic group, on a connection of its own."""

    def __init__(self, bootstrap: str, group: str) -> None:
        self.connection = Connection(bootstrap)
        self.group = group
        self.member_id = ""
        self.generation_id = -1
        self.leads = False

    def request_id(self) -> None:
        """Get a member id."""
        self.join()
        joined = self._receive(JoinGroupRequest)
        assert joined.error_code == ErrorCode.MEMBER_ID_REQUIRED, joined
        self.member_id = joined.member_id

    def join(self) -> None:
        """Send a JoinGroup."""
        protocol = JoinGroupRequestProtocol(name="range", metadata=bytes(32))
        body = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=_SESSION_MS,
            rebalance_timeout_ms=_SESSION_MS,
            member_id=self.member_id,
            protocol_type="consumer",
            protocols=[protocol],
        )
        self._send(body)

    def joined(self) -> None:
        """Wait for its response."""
        reported = self._receive(JoinGroupRequest)
        assert not reported.error_code, reported
        self.generation_id, self.leads = reported.generation_id, reported.leader == self.member_id

    def sync(self, assigned: Sequence[Member] = ()) -> None:
        """Send a SyncGroup; that of the leader has the assignments."""
        body = SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation_id,
            member_id=self.member_id,
            protocol_type="consumer",
            protocol_name="range",
            assignments=[
                SyncGroupRequestAssignment(member_id=each.member_id, assignment=bytes(32))
                for each in assigned
            ],
        )
        self._send(body)

    def synced(self) -> None:
        """Wait for its response."""
        reported = self._receive(SyncGroupRequest)
        assert not reported.error_code, reported
        assert reported.assignment

    def heartbeat(self) -> int:
        """Send a heartbeat; returns the error code."""
        body = HeartbeatRequest(
            group_id=self.group, generation_id=self.generation_id, member_id=self.member_id
        )
        self._send(body)
        return int(self._receive(HeartbeatRequest).error_code)

    def _send(self, body: Any) -> None:
        self.connection.send(encode_request(body, body.__spec__.versions[-1], 1, "benchmark"))

    def _receive(self, request: Any) -> Any:
        return read_response(request, request.__spec__.versions[-1], self.connection.receive())


def read_response(request: Any, version: int, frame: bytes) -> Any:
    """Return the response to *request*, which is a message or its class."""
    return decode_response(RESPONSES[request.__spec__.key], version, memoryview(frame))[1]


def new_group(system: System) -> str:
    """Return a group id whose coordinator is active."""
    group = f"benchmark-{uuid.uuid4().hex[:12]}"
    find = FindCoordinatorRequest(key_type=0, coordinator_keys=[group])
    requested = OffsetFetchRequestGroup(group_id=group, topics=None)
    fetch = OffsetFetchRequest(groups=[requested])
    with Connection(system.bootstrap) as connection:

        def serves() -> bool:
            response = connection.request(encode_request(find, 6, 1, "benchmark"))
            if read_response(find, 6, response).coordinators[0].error_code:
                return False
            response = connection.request(encode_request(fetch, 9, 1, "benchmark"))
            # kfake does not know the group yet.
            error = read_response(fetch, 9, response).groups[0].error_code
            return error in {ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND}

        eventually(serves, "a coordinator", within=30)
    return group


def _new_members(system: System, count: int) -> list[Member]:
    group = new_group(system)
    return [Member(system.bootstrap, group) for _ in range(count)]


def form(members: Sequence[Member]) -> None:
    """Join a first member, then the others, until all have assignments."""
    first, *others = members
    first.request_id()
    _rebalance([first])
    for each in others:
        each.request_id()
    _rebalance(members)


def _rebalance(members: Sequence[Member]) -> None:
    """The first member rejoins, the others after a heartbeat error; the leader assigns."""
    first, *others = members
    first.join()
    known = next((each for each in others if each.generation_id >= 0), None)
    while known and known.heartbeat() != ErrorCode.REBALANCE_IN_PROGRESS:
        pass
    for each in others:
        each.join()
    for each in members:
        each.joined()
    for each in members:
        each.sync(members if each.leads else ())
    for each in members:
        each.synced()


def _close(members: Sequence[Member]) -> None:
    for each in members:
        each.connection.close()


def _pairs(system: System, count: int) -> list[float]:
    millis = []
    for _ in range(max(count, 1)):
        members = _new_members(system, 2)
        began = time.perf_counter()
        form(members)
        millis.append((time.perf_counter() - began) * 1000)
        _close(members)
    return millis


def _heartbeats(system: System, scale: float) -> float:
    """The percentage of a core for a thousand members in a hundred groups."""
    groups = [_new_members(system, MEMBERS_EACH) for _ in range(GROUPS)]
    for members in groups:
        form(members)
    all_members = [member for members in groups for member in members]

    def beat(number: int) -> None:
        assert not all_members[number].heartbeat()

    percent = _paced(beat, len(all_members), system.cpu_seconds, scale)
    _close(all_members)
    return percent


def _echoes(server: Bare | Echo, scale: float) -> float:
    """The percentage of a core of a *server* that only sends each heartbeat back."""
    beat: Any = HeartbeatRequest(group_id="benchmark", generation_id=1, member_id=str(uuid.uuid4()))
    frame = encode_request(beat, beat.__spec__.versions[-1], 1, "benchmark")
    with server, ExitStack() as stack:
        count = GROUPS * MEMBERS_EACH
        connections = [stack.enter_context(Connection(server.bootstrap)) for _ in range(count)]

        def send(number: int) -> None:
            assert connections[number].request(frame) == frame[LENGTH_BYTES:]

        return _paced(send, count, server.cpu_seconds, scale)


def _paced(
    beat: Callable[[int], None], count: int, cpu_seconds: Callable[[], float], scale: float
) -> float:
    """The percentage of a core of a server while each of *count* clients sends periodically."""
    pause_s = HEARTBEAT_EVERY_S / count
    before, began = cpu_seconds(), time.perf_counter()
    watched_s = HEARTBEAT_EVERY_S * max(scale, 0.3) * 2
    for number in range(int(watched_s / pause_s)):
        time.sleep(max(0.0, began + number * pause_s - time.perf_counter()))
        beat(number % count)
    return (cpu_seconds() - before) / (time.perf_counter() - began) * 100


def _crowd(system: System, count: int) -> float:
    members = _new_members(system, count)
    form(members)
    began = time.perf_counter()
    _rebalance(members)
    millis = (time.perf_counter() - began) * 1000
    _close(members)
    return millis


def _commits(system: System, count: int) -> tuple[list[float], float]:
    """The microseconds of each commit, and those of the broker's processor for each."""
    frame = offset_commit(new_group(system), system.new_topic())
    micros, response = [], b""
    with Connection(system.bootstrap) as connection:
        used = system.cpu_seconds()
        for _ in range(count):
            sent = time.perf_counter()
            response = connection.request(frame)
            micros.append((time.perf_counter() - sent) * 1e6)
        used = system.cpu_seconds() - used
    assert not commit_error(response)
    return micros, used * 1e6 / count


def offset_commit(group: str, topic: str) -> bytes:
    """A frame that commits offset 1 of partition 0."""
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=""
    )
    body = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[OffsetCommitRequestTopic(name=topic, partitions=[partition])],
    )
    return encode_request(body, _COMMIT_VERSION, 1, "benchmark")


def commit_error(response: bytes) -> int:
    """The error code of its response."""
    reported = read_response(OffsetCommitRequest, _COMMIT_VERSION, response)
    return int(reported.topics[0].partitions[0].error_code)


BENCHMARK = Benchmark(
    "groups",
    (
        Metric("two join, until stable p50", "ms"),
        Metric("heartbeats of 1000 members, CPU", "%"),
        Metric("the same number of echoes on epoll, CPU", "%"),
        Metric("the same number of echoes on trio, CPU", "%"),
        Metric("rebalance of 200 members", "ms"),
        Metric("OffsetCommit p50", "us"),
        Metric("OffsetCommit, broker CPU each", "us"),
    ),
    measure,
)
