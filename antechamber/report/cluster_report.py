"""The report of a cluster after a failed test, and the trace file of the test's requests.

3 nodes: 1 and 2 are running, 3 is paused
...
Requests that wait now, the longest wait first:
  - Produce 12 of client billing sent 1 record for orders-0 at offset 41 to node 1, and waits ...
Trace: /tmp/pytest-of-ann/pytest-0/antechamber-traces/test_orders.py-test_an_order.json
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from antechamber.admin_client import AdminClient, AdminError, NoBroker
from antechamber.report.state import error_lines, lock_lines, rule_lines, state_lines
from antechamber.report.unknown_topics import unknown_topic_lines
from antechamber.report.waits import wait_lines
from antechamber.trace.sources import broker_records


def cluster_report(client: AdminClient, since_us: int) -> str:
    """The state of a cluster and the waits of the requests since a time of the broker's clock.

    A broker that cannot be reached is the content of the report: the test may have ended it.
    """
    try:
        cluster = client.cluster()
        records = broker_records(client, since_us, followers=False)
        return "\n".join([*_state(client, cluster, records), *wait_lines(records)])
    except (AdminError, NoBroker) as error:
        return f"not known: {error}"


def _state(
    client: AdminClient, cluster: dict[str, Any], records: list[dict[str, Any]]
) -> Iterator[str]:
    yield from state_lines(cluster, client.clock())
    unknown_topics = unknown_topic_lines(records, cluster["topics"])
    for title, lines in (
        ("Topics that clients requested and that do not exist:", unknown_topics),
        ("Fault rules that have fired:", rule_lines(_rules(client))),
        ("Locks on records of share groups:", lock_lines(_share_partitions(client))),
        ("Exceptions that the broker did not expect:", error_lines(_statistics(client))),
    ):
        found = list(lines)
        if found:
            yield title
            yield from (f"  - {line}" for line in found)


def _statistics(client: AdminClient) -> dict[str, Any]:
    response: dict[str, Any] = client.call("GET", "/v1/statistics")
    return response


def _rules(client: AdminClient) -> list[dict[str, Any]]:
    """The fault rules."""
    return _if_served(client.faults)


def _share_partitions(client: AdminClient) -> list[dict[str, Any]]:
    """The share partitions."""
    return _if_served(client.share_partitions)


def _if_served(read: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """What a path has; a broker of an earlier version does not have the path."""
    try:
        return read()
    except AdminError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return []
