"""The cluster as the admin interface tells it: nodes, topics, leaders, and how far each log is."""

from __future__ import annotations

from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any

from broker.admin.errors import AdminErrors
from broker.admin.facts import NotServed, RequestQuery
from broker.admin.parked_requests import parked_requests
from broker.cluster import Cluster, Member
from broker.common.topic_partition import TopicPartition
from broker.controller.image import PartitionRegistration, TopicImage
from broker.replication.partition import Partition
from broker.wait_records.record import WaitRecord
from protocol.api_names import api_name
from protocol.printable import printable


class ClusterFacts:
    """Looks into the nodes of *cluster*; every answer is made anew."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.changes = cluster.changes
        self.admin_errors = AdminErrors()

    def cluster(self) -> dict[str, Any]:
        """Nodes and topics."""
        image = self._cluster.controller.image
        return {
            "cluster_id": image.cluster_id,
            "nodes": [self._node(member) for member in self._cluster.members.values()],
            "topics": [self._topic(topic) for topic in image],
        }

    def requests(self, query: RequestQuery) -> list[dict[str, Any]]:
        """The requests that wait now, or the latest answered; raises `NotServed`."""
        if not query.parked:
            return self._answered(query)
        # Made one by one, as many as are asked for: thousands may wait, and the loop with them.
        of_nodes = [
            parked_requests(node.id, node.clock, node.connections) for node in self._cluster.nodes
        ]
        waiting = merge(*of_nodes, key=itemgetter("arrived_us"))
        found = list(islice((facts for facts in waiting if _matches(facts, query)), query.limit))
        for facts in found:
            self._add_states(facts)
        return found

    def _add_states(self, facts: dict[str, Any]) -> None:
        """Say of the replicas that a request waits for what their nodes do."""
        members = self._cluster.members
        for partition in facts["partitions"]:
            for replica in partition.get("replicas", ()):
                member = members.get(replica["node"])
                replica["state"] = None if member is None else str(member.state)

    def _answered(self, query: RequestQuery) -> list[dict[str, Any]]:
        recorder = self._cluster.recorder
        if recorder is None:
            raise NotServed("requests are not recorded; ask with parked=1, or serve with --record")
        found: list[dict[str, Any]] = []
        for record in reversed(recorder.recent):
            if _answers(record, query):
                found.append(record.to_dict())
                if len(found) == query.limit:
                    break
        return found

    def groups(self) -> list[dict[str, Any]]:
        """The groups, with how many members each has."""
        return [
            {"group": name, "state": str(group.state), "members": len(group.members)}
            for node in self._cluster.nodes
            for name, group in node.groups.groups.items()
        ]

    def pause(self, node_id: int) -> None:
        """See `Cluster.pause`."""
        self._cluster.pause(node_id)

    def resume(self, node_id: int) -> None:
        """See `Cluster.resume`."""
        self._cluster.resume(node_id)

    async def stop(self, node_id: int) -> None:
        """See `Cluster.stop`."""
        await self._cluster.stop(node_id)

    async def start(self, node_id: int) -> None:
        """See `Cluster.start`."""
        await self._cluster.start(node_id)

    def statistics(self) -> dict[str, Any]:
        """What each running node counts, and the admin interface."""
        recorder = self._cluster.recorder
        return {
            "nodes": [node.statistics() for node in self._cluster.nodes],
            "unexpected_errors": self._cluster.unexpected_errors.statistics(),
            "recording": None if recorder is None else recorder.statistics(),
            "steps": self._cluster.stalls.statistics(),
            "admin": {"unexpected_errors": self.admin_errors.count},
        }

    def _node(self, member: Member) -> dict[str, Any]:
        registered = self._cluster.controller.image.brokers
        broker = registered.get(member.broker.node_id, member.broker)  # or it was unregistered
        return {
            "id": broker.node_id,
            "host": broker.host,
            "port": broker.port,
            "state": str(member.state),
            "epoch": broker.epoch,
            "failure": member.failure,
        }

    def _topic(self, topic: TopicImage) -> dict[str, Any]:
        partitions = [
            self._partition(TopicPartition(topic.name, index), registration)
            for index, registration in enumerate(topic.partitions)
        ]
        return {"name": topic.name, "id": str(topic.topic_id), "partitions": partitions}

    def _partition(
        self, key: TopicPartition, registration: PartitionRegistration
    ) -> dict[str, Any]:
        leader = self._replica(key, registration.leader)
        log = None if leader is None else leader.log
        return {
            "partition": key.partition,
            "leader": registration.leader,
            "leader_epoch": registration.leader_epoch,
            "replicas": [self._replica_facts(key, registration, n) for n in registration.replicas],
            "isr": list(registration.isr),
            "log_start_offset": None if log is None else log.log_start_offset,
            "high_watermark": None if log is None else log.high_watermark,
            "log_end_offset": None if log is None else log.log_end_offset,
        }

    def _replica_facts(
        self, key: TopicPartition, registration: PartitionRegistration, node_id: int
    ) -> dict[str, Any]:
        replica = self._replica(key, node_id)
        log = None if replica is None else replica.log
        return {
            "node": node_id,
            "log_start_offset": None if log is None else log.log_start_offset,
            "log_end_offset": None if log is None else log.log_end_offset,
            "high_watermark": None if log is None else log.high_watermark,
            "in_sync": node_id in registration.isr,
            "alive": log is not None,
            "caught_up_ms_ago": self._caught_up_ms_ago(key, registration.leader, node_id),
        }

    def _replica(self, key: TopicPartition, node_id: int) -> Partition | None:
        member = self._cluster.members.get(node_id)
        node = None if member is None else member.node
        return None if node is None else node.replicas.partitions.get(key)

    def _caught_up_ms_ago(self, key: TopicPartition, leader_id: int, node_id: int) -> int | None:
        """When the follower last had all that its leader had; None for leaders, or if never."""
        leader = self._replica(key, leader_id)
        leader_state = None if leader is None else leader.leader_state
        replica = None if leader_state is None else leader_state.replicas.get(node_id)
        if leader_state is None or replica is None:
            return None
        ago_ms = self._cluster.clock.now_ms() - replica.last_caught_up_time_ms
        return None if ago_ms == float("inf") else int(ago_ms)


def _answers(record: WaitRecord, query: RequestQuery) -> bool:
    """As `_matches`, before the record has been told: there may be thousands."""
    return (
        query.api in (None, api_name(record.header.api_key))
        and query.client in (None, record.header.client_id, _shown(record.header.client_id))
        and query.correlation in (None, record.header.correlation_id)
        and (query.followers or not record.follower)
        and query.topic in (None, *(each.topic for each in record.partitions))
    )


def _shown(client_id: str | None) -> str | None:
    """A client id as clients of the admin interface see it, and may ask for it."""
    return None if client_id is None else printable(client_id)


def _matches(facts: dict[str, Any], query: RequestQuery) -> bool:
    return (
        query.api in (None, facts["api"])
        and query.client in (None, facts["client_id"], _shown(facts["client_id"]))
        and query.correlation in (None, facts["correlation_id"])
        and (query.followers or not facts.get("follower"))
        and query.topic in (None, *(each["topic"] for each in facts["partitions"]))
    )
