"""The operations of a running cluster by its admin interface: its state, faults and waits.

`antechamber.Cluster` has them for a broker in a child process,
`antechamber.container.BrokerContainer` for one in a container, and `antechamber.RunningCluster` for
one that runs already.
"""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import Any, NamedTuple

from antechamber.admin_client import REQUESTS_MAX, AdminError
from antechamber.broker_clock import BrokerClock
from antechamber.broker_faults import BrokerFaults
from antechamber.quantities import node_id
from antechamber.waits import Waits


class Node(NamedTuple):
    """A broker node and its address for clients."""

    id: int
    host: str
    port: int


class Handle(Waits):
    """A running cluster: what it does now, faults, and waits for conditions."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.admin}>"

    @property
    def admin(self) -> str:
        """The URL of the admin interface."""
        return self._client.url

    def cluster(self) -> dict[str, Any]:
        """Return nodes, topics, leaders, in-sync replicas and offsets, as ``GET /v1/cluster``."""
        return self._client.cluster()

    def parked(
        self, api: str | None = None, topic: str | None = None, client: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the waiting requests and their conditions; the fields of ``GET /v1/requests``."""
        return self._client.requests(
            parked=1, api=api, topic=topic, client=client, limit=REQUESTS_MAX
        )

    def requests(
        self, api: str | None = None, topic: str | None = None, client: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the wait records of the latest 10,000 requests, latest first; needs *record*."""
        try:
            return self._client.requests(api=api, topic=topic, client=client, limit=REQUESTS_MAX)
        except AdminError as error:
            if error.status != HTTPStatus.NOT_IMPLEMENTED:
                raise
            words = "completed requests are not recorded; start the cluster with record=True"
            raise AdminError(error.status, words) from None

    def sessions(self, group: str | None = None) -> list[dict[str, Any]]:
        """Return the timeouts of group members, the next one first, as ``GET /v1/sessions``."""
        return self._client.sessions(group=group, limit=REQUESTS_MAX)

    def groups(self, group: str | None = None) -> list[dict[str, Any]]:
        """Return the groups with members, assignments and lags, as ``GET /v1/groups``."""
        return self._client.groups(group=group, limit=REQUESTS_MAX)

    def share_partitions(
        self, group: str | None = None, topic: str | None = None
    ) -> list[dict[str, Any]]:
        """Return share partitions with their in-flight records, as ``GET /v1/share_partitions``.

        Each has at most 10,000 batches.
        """
        return self._client.share_partitions(
            group=group, topic=topic, batches=REQUESTS_MAX, limit=REQUESTS_MAX
        )

    def connections(self, client: str | None = None) -> list[dict[str, Any]]:
        """Return the connections of clients, the oldest first, as ``GET /v1/connections``."""
        return self._client.connections(client=client, limit=REQUESTS_MAX)

    # ------------------------------------------------------------------------ reports

    def explain(
        self,
        api: str | None = None,
        topic: str | None = None,
        client: str | None = None,
        correlation: int | None = None,
    ) -> str:
        """Explain the latest request that matches, in the sentences of ``antechamber explain``.

        It still waits, or has completed; the latter needs *record*. *correlation* is its
        correlation id. Each sentence is a line. Raises `AdminError` if no request matches.
        """
        from antechamber.explain import explanation
        from antechamber.latest_request import latest_request

        found = latest_request(
            self._client,
            "start the cluster with record=True",
            api=api,
            topic=topic,
            client_id=client,
            correlation=correlation,
        )
        return "\n".join(explanation(found))

    def report(self, since_us: int = 0) -> str:
        """Describe the state of the cluster and explain the waits of requests, for a failed test.

        Requests that had ended before *since_us* by the cluster's clock, in microseconds since the
        Unix epoch, are left out. If the cluster is not reachable, the text says so.
        """
        from antechamber.report.cluster_report import cluster_report

        return cluster_report(self._client, since_us)

    def export_trace(self, path: str | os.PathLike[str], since_us: int = 0) -> int:
        """Write a trace of the requests, as ``antechamber export``; returns their number.

        Requests that had ended before *since_us* are left out. Without *record* there are only the
        requests that wait.
        """
        from antechamber.trace.sources import broker_records
        from antechamber.trace.trace_file import write_trace

        records = broker_records(self._client, since_us)
        write_trace(path, records, self._client.url)
        return len(records)

    # ------------------------------------------------------------------------ transactions

    def transactions(self) -> list[dict[str, Any]]:
        """Return the open transactions, the oldest first, as ``GET /v1/transactions``."""
        return self._client.transactions(limit=REQUESTS_MAX)

    def hanging_transactions(self) -> list[dict[str, Any]]:
        """Return the transactions that are open in a partition and unknown to the coordinators."""
        return self._client.transactions(hanging=1, limit=REQUESTS_MAX)

    def abort_transaction(self, topic: str, partition: int, producer_id: int) -> dict[str, Any]:
        """Abort a hanging transaction in a partition, and return it.

        Raises `AdminError` if it does not hang.
        """
        return self._client.abort_transaction(topic, partition, producer_id)

    # ------------------------------------------------------------------------- clean slate

    def reset(self, prefix: str | None = None) -> dict[str, Any]:
        """Remove what clients have made, and return what was removed, as ``POST /v1/reset``.

        With a *prefix* only topics, groups and transactional ids whose names begin with it are
        removed, for tests that run in parallel. Topics given at the start exist afterwards, empty.
        """
        return self._client.reset(prefix)

    def compact(self, topic: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Compact the topic or a partition now, and return what has changed in each partition."""
        return self._client.work_on(topic, partition, "compact")

    def roll(self, topic: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Begin new segments, and return what has changed in each partition."""
        return self._client.work_on(topic, partition, "roll")

    def expire(self, topic: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Delete the segments that retention allows now, and return what has changed."""
        return self._client.work_on(topic, partition, "expire")

    def elect(
        self,
        topic: str,
        partition: int | None = None,
        *,
        leader: int | None = None,
        unclean: bool = False,
    ) -> list[dict[str, Any]]:
        """Elect the preferred replica, or *leader*, and return the partitions.

        *leader* must be in sync. ``unclean``: where there is no leader, a replica that is not in
        sync may be elected; records can be lost.
        """
        return self._client.work_on(
            topic, partition, "elect", leader=leader, unclean=1 if unclean else None
        )

    # ------------------------------------------------------------------------------ faults

    def pause(self, node: int | Node) -> None:
        """Stop the fetches of the node's followers; the node still serves as a leader."""
        self._client.order(node_id(node), "pause")

    def resume(self, node: int | Node) -> None:
        """Resume the fetches of the node's followers."""
        self._client.order(node_id(node), "resume")

    def stop(self, node: int | Node) -> None:
        """End the node as ``kill -9`` does; the others continue."""
        self._client.order(node_id(node), "stop")

    def shutdown(self, node: int | Node) -> None:
        """Stop the node in an orderly way: first other nodes lead its partitions."""
        self._client.order(node_id(node), "shutdown")

    def start(self, node: int | Node) -> None:
        """Start a stopped node again, with its own logs."""
        self._client.order(node_id(node), "start")

    @property
    def faults(self) -> BrokerFaults:
        """The rules by which requests, connections and links fail."""
        return BrokerFaults(self._client)

    @property
    def clock(self) -> BrokerClock:
        """The clock, which can be frozen and moved forwards."""
        return BrokerClock(self._client)
