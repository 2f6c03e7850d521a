"""Facts for tests of the admin interface and its clients, without a broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from broker.admin.facts.clock_facts import ClockFacts, FindEvent
from broker.admin.facts.facts import LIMIT_MAX, NotServed, RequestQuery, ShareQuery
from broker.admin.facts.json_object import JsonObject
from broker.admin.facts.live_part import LivePart
from broker.admin.facts.marks import Marks
from broker.admin.facts.partition_work import PartitionWork
from broker.api.faults.possible import possible_matches
from broker.api.request_counts import Counted, RequestCounts
from broker.common.errors import NoSuchNode, WrongState
from broker.common.state_changes import StateChanges
from broker.config import Config
from broker.faults.fault_rules import FaultRules
from purgatories.timer.system_timer import SystemTimer
from tests.fake_work import FakeWork

# The response to a reset of a cluster in which nothing was made.
REMOVED: JsonObject = {
    "topics": 0,
    "recreated": [],
    "groups": 0,
    "transactional_ids": 0,
    "parked_requests": 0,
    "fault_rules": 0,
    "resumed": [],
    "started": [],
    "client_quotas": 0,
    "configs": 0,
    "features": 0,
    "acls": 0,
    "scram_credentials": 0,
    "delegation_tokens": 0,
}


def partition(
    index: int, *, high_watermark: int = 3, end: int = 3, isr: tuple[int, ...] = (1, 2, 3)
) -> JsonObject:
    """A partition of three replicas, led by node 1; replicas in sync have all records."""
    replicas = [
        {
            "node": node,
            "log_start_offset": 0,
            "log_end_offset": end if node in isr else high_watermark,
            "high_watermark": high_watermark,
            "in_sync": node in isr,
            "alive": True,
            "caught_up_ms_ago": None if node == 1 else 0 if node in isr else 1300,
        }
        for node in (1, 2, 3)
    ]
    return {
        "partition": index,
        "leader": 1,
        "leader_epoch": 0,
        "replicas": replicas,
        "isr": list(isr),
        "log_start_offset": 0,
        "high_watermark": high_watermark,
        "log_end_offset": end,
        "last_stable_offset": high_watermark,
        "held_back_by": None,
    }


def parked_produce(
    topic: str = "orders", client_id: str | None = "producer-1", correlation_id: int = 12
) -> JsonObject:
    """A produce with acks=all that waits for node 3."""
    replicas = [
        {
            "node": node,
            "log_end_offset": end,
            "behind": end < 45,
            "in_sync": True,
            "state": state,
            **ago,
        }
        for node, end, state, ago in (
            (1, 45, "running", {"caught_up_ms_ago": None}),
            (2, 45, "running", {"caught_up_ms_ago": 0}),
            (3, 41, "paused", {"caught_up_ms_ago": 1300}),
        )
    ]
    return {
        "node": 1,
        "connection": 7,
        "client_id": client_id,
        "correlation_id": correlation_id,
        "api": "Produce",
        "version": 9,
        "arrived_us": 1_700_000_000_123_456,
        "parked_us": 1_204_000,
        "purgatory": "Produce",
        "waited_for": {
            "kind": "high_watermark",
            "topic": topic,
            "partition": 0,
            "need": 45,
            "had": 41,
            "behind": [3],
            "behind_at": [41],
        },
        "timeout_ms": 30_000,
        "remaining_ms": 28_796,
        "checks": 2,
        "partitions": [
            {
                "topic": topic,
                "partition": 0,
                "offset": 41,
                "records": 4,
                "bytes": 320,
                "error": 0,
                "high_watermark": 41,
                "log_end_offset": 45,
                "needed_offset": 45,
                "replicas": replicas,
            }
        ],
    }


def parked_fetch(topic: str = "orders", client_id: str | None = "consumer-1") -> JsonObject:
    """A fetch that waits for one byte."""
    return {
        "node": 2,
        "connection": 8,
        "client_id": client_id,
        "correlation_id": 3,
        "api": "Fetch",
        "version": 17,
        "arrived_us": 1_700_000_001_000_000,
        "parked_us": 327_000,
        "purgatory": "Fetch",
        "waited_for": {"kind": "min_bytes", "need": 1, "had": 0},
        "timeout_ms": 500,
        "remaining_ms": 173,
        "checks": 1,
        "partitions": [
            {
                "topic": topic,
                "partition": index,
                "offset": 45,
                "records": 0,
                "bytes": 0,
                "error": 0,
                "high_watermark": 45,
                "log_end_offset": 45,
            }
            for index in (0, 1)
        ],
    }


def completed_fetch(client_id: str | None = "reader", correlation_id: int = 12) -> JsonObject:
    """The wait record of a fetch that a produce has completed."""
    return {
        "schema": 1,
        "node": 1,
        "connection": 8,
        "client_id": client_id,
        "correlation_id": correlation_id,
        "api": "Fetch",
        "version": 17,
        "arrived_us": 1_700_000_002_000_000,
        "queued_us": 0,
        "local_us": 120,
        "parked_us": 183_000,
        "send_us": 30,
        "total_us": 183_150,
        "purgatory": "Fetch",
        "waited_for": {"kind": "min_bytes", "need": 1000, "had": 312},
        "timeout_ms": 500,
        "checks": 3,
        "completed_by": {
            "cause": "append",
            "topic": "orders",
            "partition": 0,
            "offset": 57,
            "request": {"api": "Produce", "client_id": "billing", "correlation_id": 17},
        },
        "partitions": [
            {
                "topic": "orders",
                "partition": 0,
                "offset": 42,
                "records": 15,
                "bytes": 1204,
                "error": 0,
                "high_watermark": 57,
                "log_end_offset": 57,
            }
        ],
        "error": 0,
    }


def no_rules(changes: StateChanges) -> FaultRules:
    """The fault rules of three nodes, of which none is set; the time is 0."""
    timer = SystemTimer("cluster", now_ms=lambda: 0.0)
    return FaultRules(timer, lambda: 0, changes, possible_matches(Config(), (1, 2, 3)), dict)


class FakeClock:
    """A clock that returns how it is adjusted."""

    def state(self) -> JsonObject:
        return {"state": "running"}

    def freeze(self) -> JsonObject:
        return {"state": "frozen"}

    def run(self, speed: float) -> JsonObject:
        return {"state": "running", "speed": speed}

    async def advance_by(self, duration_ms: int, steps_max: int) -> JsonObject:
        return {"advanced_ms": duration_ms, "limit": steps_max}

    async def advance_to_task(self, steps_max: int) -> JsonObject:
        return {"to": "task", "limit": steps_max}

    async def advance_to(self, find: FindEvent, steps_max: int) -> JsonObject:
        return {"to": find([]).name, "limit": steps_max}


class FakeFacts:
    """Three nodes whose states, topics, groups and requests are set by the test."""

    def __init__(self) -> None:
        self.changes = StateChanges()
        self.clock: ClockFacts = FakeClock()
        self.faults = no_rules(self.changes)
        self.work = FakeWork()
        self.maintenance: PartitionWork = self.work
        self.live_parts: Mapping[str, Callable[[], LivePart]] = {"requests": self._live_requests}
        self.states = {1: "running", 2: "running", 3: "running"}
        self.topics: dict[str, list[JsonObject]] = {"orders": [partition(0), partition(1)]}
        self.parked: list[JsonObject] = []
        self.timers_held: list[JsonObject] = []
        self.member_timeouts: list[JsonObject] = []
        self.completed: list[JsonObject] | None = None  # None: requests are not recorded
        self.known_groups: list[JsonObject] = []
        self.known_share_partitions: list[JsonObject] = []
        self.open_connections: list[JsonObject] = []
        self.known_topics: dict[int, dict[str, list[JsonObject]]] = {1: {}, 2: {}, 3: {}}
        self.request_counts = RequestCounts()
        self.marks = Marks(self.request_counts)
        self.open: list[JsonObject] = []
        self.hanging: list[JsonObject] = []
        self.removed: JsonObject = REMOVED
        self.reset_prefixes: list[str | None] = []

    def _live_requests(self) -> LivePart:
        return LivePart(len(self.parked), iter(self.parked))

    async def cluster(self) -> JsonObject:
        return self.state()

    def state(self) -> JsonObject:
        nodes = [
            {
                "id": node,
                "host": "127.0.0.1",
                "port": 9091 + node,
                "state": state,
                "epoch": 1,
                "failure": None,
            }
            for node, state in self.states.items()
        ]
        topics = [
            {"name": name, "id": "0", "partitions": partitions}
            for name, partitions in self.topics.items()
        ]
        return {"cluster_id": "fake", "nodes": nodes, "topics": topics}

    def node(self, node_id: int) -> JsonObject | None:
        return next((each for each in self.state()["nodes"] if each["id"] == node_id), None)

    def topic_names(self) -> list[str]:
        return list(self.topics)

    def topic(self, name: str) -> JsonObject | None:
        return next((each for each in self.state()["topics"] if each["name"] == name), None)

    def partitions(self, topic: str | None, partition: int | None) -> Iterator[JsonObject]:
        for name, partitions in self.topics.items():
            for each in partitions:
                if topic in (None, name) and partition in (None, each["partition"]):
                    yield {"topic": name, **each}

    def metrics(self) -> str:
        return "a_metric 1.0\n"

    def timers(self) -> JsonObject:
        return {"timers": self.timers_held}

    def sessions(self, group: str | None, limit: int) -> JsonObject:
        found = [each for each in self.member_timeouts if group in (None, each["group"])]
        return {"sessions": found[:limit]}

    def share_partitions(self, query: ShareQuery) -> list[JsonObject]:
        return [
            {**each, "batches": each["batches"][: query.batches]}
            for each in self.known_share_partitions
            if query.matches(each["group"], each["topic"], each["partition"])
        ][: query.limit]

    def transactions(self, hanging: bool, limit: int) -> JsonObject:
        return {"transactions": (self.hanging if hanging else self.open)[:limit]}

    async def abort_transaction(self, topic: str, partition: int, producer_id: int) -> JsonObject:
        for each in self.hanging:
            known = (each["topic"], each["partition"], each["producer_id"])
            if known == (topic, partition, producer_id):
                self.hanging.remove(each)
                return each
        raise WrongState(f"producer id {producer_id} does not hang")

    def statistics(self) -> JsonObject:
        return {"connections": 3}

    def groups(self, group: str | None = None, limit: int = LIMIT_MAX) -> list[JsonObject]:
        return [each for each in self.known_groups if group in (None, each["group"])][:limit]

    def connections(self, client: str | None, followers: bool, limit: int) -> list[JsonObject]:
        return [each for each in self.open_connections if client in (None, each["client_id"])][
            :limit
        ]

    def topic_on_nodes(self, topic: str) -> list[JsonObject]:
        return [
            {"node": node, "partitions": known.get(topic)}
            for node, known in self.known_topics.items()
        ]

    def mark(self) -> str:
        return self.marks.add()

    def requests_since(self, mark: str | None) -> Mapping[Counted, int] | None:
        return self.marks.since(mark)

    def requests(self, query: RequestQuery) -> list[JsonObject]:
        known = self.parked if query.parked else self.completed
        if known is None:
            raise NotServed("completed requests are not recorded; request parked=1")
        return [each for each in known if _matches(each, query)][: query.limit]

    def pause(self, node_id: int) -> None:
        self._change_state(node_id, "running", "paused")

    def resume(self, node_id: int) -> None:
        self._change_state(node_id, "paused", "running")

    async def stop(self, node_id: int) -> None:
        self._change_state(node_id, "running", "stopped")

    async def shut_down(self, node_id: int) -> None:
        self._change_state(node_id, "running", "stopped")

    async def start(self, node_id: int) -> None:
        self._change_state(node_id, "stopped", "running")

    async def reset(self, prefix: str | None) -> JsonObject:
        self.reset_prefixes.append(prefix)
        return self.removed

    def _change_state(self, node_id: int, before: str, after: str) -> None:
        if node_id not in self.states:
            raise NoSuchNode(f"there is no node {node_id}, only 1, 2, 3")
        if self.states[node_id] != before:
            raise WrongState(f"node {node_id} is {self.states[node_id]}, not {before}")
        self.states[node_id] = after


def _matches(request: JsonObject, query: RequestQuery) -> bool:
    topics = [each["topic"] for each in request["partitions"]]
    follower = request.get("follower", False)
    return query.matches(
        request["api"], request["client_id"], request["correlation_id"], follower, topics
    )
