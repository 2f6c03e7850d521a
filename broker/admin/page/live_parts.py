"""The parts of the live page, from a running cluster; docs/reference/admin.md lists their fields.

Each part has a limited number of rows, so that its size does not depend on that of the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from broker.admin.facts.clock_facts import ClockFacts
from broker.admin.facts.facts import LIMIT_MAX, ShareQuery
from broker.admin.facts.json_object import JsonObject
from broker.admin.facts.live_part import LivePart
from broker.admin.facts.share_partitions import share_partition_rows
from broker.admin.facts.transactions import open_transactions
from broker.admin.page.live_partitions import partition_part
from broker.api.request import Request
from broker.cluster import Cluster
from broker.groups.group_states import AnyGroup
from broker.node import Node
from protocol.printable import printable
from purgatories.timer.snapshot import snapshot

REQUESTS_MAX = 60
RECORDS_MAX = 60
FAULTS_MAX = 50
GROUPS_MAX = 30
SHARE_PARTITIONS_MAX = 30
BATCHES_MAX = 100  # of a share partition
TRANSACTIONS_MAX = 30
# Partitions of a request, a record or a transaction.
PARTITIONS_MAX = 4
# Follower fetches are not shown, so more records than RECORDS_MAX are read.
_RECORDS_READ = 2_000
# Reading the buckets of a timer takes time for each task, under the lock of the timer.
TASKS_DRAWN_MAX = 10_000

Parts = Mapping[str, Callable[[], LivePart]]


def live_parts(
    cluster: Cluster,
    clock: ClockFacts,
    iter_parked: Callable[[int], Iterator[JsonObject]],
) -> Parts:
    """The functions that read each part."""

    def clock_part() -> LivePart:
        return LivePart(1, iter([clock.state()]))

    def group_part() -> LivePart:
        known = [group for node in cluster.nodes for group in node.groups.groups.values()]
        return LivePart(len(known), map(_group, known[:GROUPS_MAX]))

    def share_part() -> LivePart:
        query = ShareQuery(limit=SHARE_PARTITIONS_MAX, batches=BATCHES_MAX)
        image = cluster.controller.image
        return LivePart(*share_partition_rows(cluster.nodes, image, query))

    def transaction_part() -> LivePart:
        found = open_transactions(cluster.nodes, LIMIT_MAX)
        return LivePart(len(found), map(_shortened, found[:TRANSACTIONS_MAX]))

    return {
        "clock": clock_part,
        "nodes": lambda: _nodes(cluster),
        "partitions": lambda: partition_part(cluster),
        "timers": lambda: _timers(cluster),
        "requests": lambda: _requests(cluster, iter_parked(PARTITIONS_MAX)),
        "records": lambda: _records(cluster),
        "faults": lambda: _faults(cluster),
        "groups": group_part,
        "share_partitions": share_part,
        "transactions": transaction_part,
    }


def _nodes(cluster: Cluster) -> LivePart:
    rows = (
        {
            "id": member.broker.node_id,
            "host": member.broker.host,
            "port": member.broker.port,
            "state": str(member.state),
            "failure": member.failure,
            "connections": None if member.node is None else len(member.node.connections),
        }
        for member in cluster.members.values()
    )
    return LivePart(len(cluster.members), rows)


def _timers(cluster: Cluster) -> LivePart:
    timers = [(node.id, timer) for node in cluster.nodes for timer in node.timers()]
    rows = (
        {"node": node_id, **snapshot(timer)}
        if timer.size <= TASKS_DRAWN_MAX
        else {"node": node_id, "name": timer.name, "size": timer.size, "levels": None}
        for node_id, timer in timers
    )
    return LivePart(len(timers), rows)


def _requests(cluster: Cluster, parked: Iterator[JsonObject]) -> LivePart:
    """The parked requests of clients, the oldest first."""
    count = sum(_waiting(node) for node in cluster.nodes)
    rows = (facts for facts in parked if not facts["follower"])
    return LivePart(count, islice(rows, REQUESTS_MAX))


def _waiting(node: Node) -> int:
    return sum(_is_of_client(connection.in_progress) for connection in node.connections)


def _is_of_client(request: object) -> bool:
    if not isinstance(request, Request):
        return False
    return request.wait is None or not request.wait.is_follower


def _records(cluster: Cluster) -> LivePart:
    """The latest wait records of clients, the last one first."""
    recorder = cluster.recorder
    if recorder is None:
        return LivePart(None, iter(()))
    latest = islice(reversed(recorder.recent), _RECORDS_READ)
    shown = list(islice((each for each in latest if not each.follower), RECORDS_MAX))
    return LivePart(len(recorder.recent), (_shortened(each.to_dict()) for each in shown))


def _shortened(facts: JsonObject) -> JsonObject:
    return {**facts, "partitions": facts["partitions"][:PARTITIONS_MAX]}


def _faults(cluster: Cluster) -> LivePart:
    rules = cluster.faults.all()
    return LivePart(len(rules), (rule.facts() for rule in rules[:FAULTS_MAX]))


def _group(group: AnyGroup) -> JsonObject:
    return {
        "group": printable(group.group_id),
        "state": group.state_name,
        "members": len(group.members),
    }
