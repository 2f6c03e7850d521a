"""The facts of a running cluster (`Facts`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from heapq import merge
from itertools import islice
from operator import itemgetter

from broker.admin.errors import AdminErrors
from broker.admin.facts.clock_facts import ClockFacts
from broker.admin.facts.cluster_clock import ClusterClock
from broker.admin.facts.cluster_topics import ClusterTopics
from broker.admin.facts.connections import connections
from broker.admin.facts.facts import LIMIT_MAX, NotServed, RequestQuery, ShareQuery
from broker.admin.facts.groups import groups
from broker.admin.facts.json_object import JsonObject
from broker.admin.facts.marks import Marks
from broker.admin.facts.member_timeouts import member_timeouts
from broker.admin.facts.metrics import metrics
from broker.admin.facts.node_statistics import node_statistics
from broker.admin.facts.parked_requests import parked_requests
from broker.admin.facts.partition_work import PartitionWork
from broker.admin.facts.share_partitions import share_partitions
from broker.admin.facts.topic_on_nodes import topic_on_nodes
from broker.admin.facts.transactions import (
    abort_transaction,
    hanging_transactions,
    open_transactions,
)
from broker.admin.page.live_parts import live_parts
from broker.cluster import Cluster
from broker.cluster_member import Member
from broker.common.build import running_build
from broker.common.topic_partition import TopicPartition
from broker.maintenance.maintenance import Maintenance
from broker.reset.given import NOTHING_GIVEN, Given
from broker.reset.reset import Reset
from broker.steps.awaited import result_of
from broker.wait_records.record import WaitRecord
from broker.wait_records.wait import name_transaction
from protocol.api_names import api_name
from purgatories.timer.snapshot import snapshot


class ClusterFacts:
    """Reads and resets the state of *cluster*; all methods are those of `Facts`.

    What was *given* at the start is there after a reset. *errors* are those of the interface.
    """

    def __init__(
        self,
        cluster: Cluster,
        given: Given = NOTHING_GIVEN,
        errors: AdminErrors | None = None,
    ) -> None:
        self._cluster = cluster
        self._topics = ClusterTopics(cluster)
        self.topic_names, self.topic = self._topics.names, self._topics.topic
        self.partitions = self._topics.partitions
        self.changes = cluster.changes
        self.clock: ClockFacts = ClusterClock(cluster)
        self.faults = cluster.faults
        self.maintenance: PartitionWork = Maintenance(cluster)
        self._reset = Reset(cluster, given, partial(self.clock.run, 1.0))
        self._errors = errors or AdminErrors()
        marks = Marks(cluster.request_counts)
        self.mark, self.requests_since = marks.add, marks.since
        self.pause, self.resume = cluster.pause, cluster.resume
        self.stop, self.start = cluster.stop, cluster.start
        self.shut_down = cluster.shut_down
        self.live_parts = live_parts(cluster, self.clock, self.iter_parked)

    async def cluster(self) -> JsonObject:
        """See `Facts`."""
        topics = await result_of(self._topics.all(), self._cluster.steps)
        return {
            "cluster_id": self._cluster.controller.image.cluster_id,
            "nodes": [self._node(member) for member in self._cluster.members.values()],
            "topics": topics,
        }

    def node(self, node_id: int) -> JsonObject | None:
        """See `Facts`."""
        member = self._cluster.members.get(node_id)
        return None if member is None else self._node(member)

    def groups(self, group: str | None = None, limit: int = LIMIT_MAX) -> list[JsonObject]:
        """See `Facts`."""
        return groups(self._cluster.nodes, self._topics.log_end, group, limit)

    def connections(self, client: str | None, followers: bool, limit: int) -> list[JsonObject]:
        """See `Facts`."""
        return connections(self._cluster.nodes, client, followers, limit)

    def topic_on_nodes(self, topic: str) -> list[JsonObject]:
        """See `Facts`."""
        return topic_on_nodes(self._cluster.nodes, topic)

    def statistics(self) -> JsonObject:
        """See `Facts`."""
        recorder = self._cluster.recorder
        return {
            "build": running_build(),
            "nodes": [node_statistics(node) for node in self._cluster.nodes],
            "unexpected_errors": self._cluster.unexpected_errors.statistics(),
            "recording": None if recorder is None else recorder.statistics(),
            "steps": self._cluster.stalls.statistics(),
            "admin": {"unexpected_errors": self._errors.count},
        }

    # ------------------------------------------------------------------------------ requests

    def metrics(self) -> str:
        """See `Facts`."""
        return metrics(self._cluster)

    def timers(self) -> JsonObject:
        """See `Facts`."""
        return {
            "timers": [
                {"node": node.id, **snapshot(timer)}
                for node in self._cluster.nodes
                for timer in node.timers()
            ]
        }

    def sessions(self, group: str | None, limit: int) -> JsonObject:
        """See `Facts`."""
        return {"sessions": member_timeouts(self._cluster.nodes, group, limit)}

    def share_partitions(self, query: ShareQuery) -> list[JsonObject]:
        """See `Facts`."""
        return share_partitions(self._cluster.nodes, self._cluster.controller.image, query)

    def transactions(self, hanging: bool, limit: int) -> JsonObject:
        """See `Facts`."""
        nodes, image = self._cluster.nodes, self._cluster.controller.image
        found = (
            hanging_transactions(nodes, image, limit)
            if hanging
            else open_transactions(nodes, limit)
        )
        return {"transactions": found}

    async def abort_transaction(self, topic: str, partition: int, producer_id: int) -> JsonObject:
        """See `Facts`."""
        key = TopicPartition(topic, partition)
        nodes, image = self._cluster.nodes, self._cluster.controller.image
        return await abort_transaction(nodes, image, key, producer_id)

    def requests(self, query: RequestQuery) -> list[JsonObject]:
        """See `Facts`."""
        return self._parked(query) if query.parked else self._completed(query)

    def _parked(self, query: RequestQuery) -> list[JsonObject]:
        """Made one by one up to the limit: thousands may wait, and the loop waits meanwhile."""
        parked = (facts for facts in self.iter_parked() if _is_parked(facts, query))
        return list(islice(parked, query.limit))

    def iter_parked(self, partitions_max: int | None = None) -> Iterator[JsonObject]:
        """The parked requests, the oldest first; each has at most *partitions_max* partitions."""
        of_nodes = [
            parked_requests(node.id, node.clock, node.connections, partitions_max)
            for node in self._cluster.nodes
        ]
        for facts in merge(*of_nodes, key=itemgetter("arrived_us")):
            self._add_states(facts)
            yield facts

    def _add_states(self, facts: JsonObject) -> None:
        """Add what the node does not know: states of other nodes, and transactional ids."""
        members, waited_for = self._cluster.members, facts["waited_for"]
        if waited_for is not None and (transaction := waited_for.get("transaction")) is not None:
            name_transaction(transaction, self._cluster.transactional_id)
        for partition in facts["partitions"]:
            for replica in partition.get("replicas", ()):
                member = members.get(replica["node"])
                replica["state"] = None if member is None else str(member.state)

    def _completed(self, query: RequestQuery) -> list[JsonObject]:
        recorder = self._cluster.recorder
        if recorder is None:
            raise NotServed(
                "completed requests are not recorded; serve with --record, or request parked=1"
            )
        matching = (each for each in reversed(recorder.recent) if _is_recorded(each, query))
        return [record.to_dict() for record in islice(matching, query.limit)]

    async def reset(self, prefix: str | None) -> JsonObject:
        """See `Facts`."""
        return (await self._reset.reset(prefix)).facts()

    # --------------------------------------------------------------------------------- nodes

    def _node(self, member: Member) -> JsonObject:
        registered = self._cluster.controller.image.brokers
        broker = registered.get(member.broker.node_id, member.broker)  # or it was unregistered
        return {
            "id": broker.node_id,
            "host": broker.host,
            "port": broker.port,
            "listeners": {name: f"{each[0]}:{each[1]}" for name, each in broker.endpoints.items()},
            "state": str(member.state),
            "epoch": broker.epoch,
            "failure": member.failure,
        }


def _is_recorded(record: WaitRecord, query: RequestQuery) -> bool:
    """Whether *query* selects a record; called for thousands, before the record is converted."""
    header = record.header
    topics = () if query.topic is None else [each.topic for each in record.partitions]
    return query.matches(
        api_name(header.api_key), header.client_id, header.correlation_id, record.follower, topics
    )


def _is_parked(facts: JsonObject, query: RequestQuery) -> bool:
    """Whether *query* selects a parked request."""
    topics = [each["topic"] for each in facts["partitions"]]
    return query.matches(
        facts["api"], facts["client_id"], facts["correlation_id"], facts["follower"], topics
    )
