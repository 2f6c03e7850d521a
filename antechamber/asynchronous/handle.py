"""The asynchronous form of `antechamber.handle`: made by `make docs`, do not edit."""

from __future__ import annotations

import os
from functools import partial
from http import HTTPStatus
from typing import Any

from antechamber.admin_client import REQUESTS_MAX, AdminError
from antechamber.asynchronous.broker_clock import AsyncBrokerClock
from antechamber.asynchronous.broker_faults import AsyncBrokerFaults
from antechamber.asynchronous.http_client import in_thread
from antechamber.asynchronous.waits import AsyncWaits
from antechamber.handle import Handle, Node
from antechamber.quantities import node_id


class AsyncHandle(AsyncWaits):
    """A running cluster: what it does now, faults, and waits for conditions."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.admin}>"

    @property
    def admin(self) -> str:
        """The URL of the admin interface."""
        return self._client.url

    async def cluster(self) -> dict[str, Any]:
        """Return nodes, topics, leaders, in-sync replicas and offsets, as ``GET /v1/cluster``."""
        return await self._client.cluster()

    async def parked(
        self, api: str | None = None, topic: str | None = None, client: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the waiting requests and their conditions; the fields of ``GET /v1/requests``."""
        return await self._client.requests(
            parked=1, api=api, topic=topic, client=client, limit=REQUESTS_MAX
        )

    async def requests(
        self, api: str | None = None, topic: str | None = None, client: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the wait records of the latest 10,000 requests, latest first; needs *record*."""
        try:
            return await self._client.requests(
                api=api, topic=topic, client=client, limit=REQUESTS_MAX
            )
        except AdminError as error:
            if error.status != HTTPStatus.NOT_IMPLEMENTED:
                raise
            words = "completed requests are not recorded; start the cluster with record=True"
            raise AdminError(error.status, words) from None

    async def sessions(self, group: str | None = None) -> list[dict[str, Any]]:
        """Return the timeouts of group members, the next one first, as ``GET /v1/sessions``."""
        return await self._client.sessions(group=group, limit=REQUESTS_MAX)

    async def groups(self, group: str | None = None) -> list[dict[str, Any]]:
        """Return the groups with members, assignments and lags, as ``GET /v1/groups``."""
        return await self._client.groups(group=group, limit=REQUESTS_MAX)

    async def share_partitions(
        self, group: str | None = None, topic: str | None = None
    ) -> list[dict[str, Any]]:
        """Return share partitions with their in-flight records, as ``GET /v1/share_partitions``.

        Each has at most 10,000 batches.
        """
        return await self._client.share_partitions(
            group=group, topic=topic, batches=REQUESTS_MAX, limit=REQUESTS_MAX
        )

    async def connections(self, client: str | None = None) -> list[dict[str, Any]]:
        """Return the connections of clients, the oldest first, as ``GET /v1/connections``."""
        return await self._client.connections(client=client, limit=REQUESTS_MAX)

    async def explain(
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
        return await in_thread(
            partial(Handle(self._client.blocking()).explain, api, topic, client, correlation)
        )

    async def report(self, since_us: int = 0) -> str:
        """Describe the state of the cluster and explain the waits of requests, for a failed test.

        Requests that had ended before *since_us* by the cluster's clock, in microseconds since the
        Unix epoch, are left out. If the cluster is not reachable, the text says so.
        """
        return await in_thread(partial(Handle(self._client.blocking()).report, since_us))

    async def export_trace(self, path: str | os.PathLike[str], since_us: int = 0) -> int:
        """Write a trace of the requests, as ``antechamber export``; returns their number.

        Requests that had ended before *since_us* are left out. Without *record* there are only the
        requests that wait.
        """
        return await in_thread(
            partial(Handle(self._client.blocking()).export_trace, path, since_us)
        )

    async def transactions(self) -> list[dict[str, Any]]:
        """Return the open transactions, the oldest first, as ``GET /v1/transactions``."""
        return await self._client.transactions(limit=REQUESTS_MAX)

    async def hanging_transactions(self) -> list[dict[str, Any]]:
        """Return the transactions that are open in a partition and unknown to the coordinators."""
        return await self._client.transactions(hanging=1, limit=REQUESTS_MAX)

    async def abort_transaction(
        self, topic: str, partition: int, producer_id: int
    ) -> dict[str, Any]:
        """Abort a hanging transaction in a partition, and return it.

        Raises `AdminError` if it does not hang.
        """
        return await self._client.abort_transaction(topic, partition, producer_id)

    async def reset(self, prefix: str | None = None) -> dict[str, Any]:
        """Remove what clients have made, and return what was removed, as ``POST /v1/reset``.

        With a *prefix* only topics, groups and transactional ids whose names begin with it are
        removed, for tests that run in parallel. Topics given at the start exist afterwards, empty.
        """
        return await self._client.reset(prefix)

    async def compact(self, topic: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Compact the topic or a partition now, and return what has changed in each partition."""
        return await self._client.work_on(topic, partition, "compact")

    async def roll(self, topic: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Begin new segments, and return what has changed in each partition."""
        return await self._client.work_on(topic, partition, "roll")

    async def expire(self, topic: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Delete the segments that retention allows now, and return what has changed."""
        return await self._client.work_on(topic, partition, "expire")

    async def elect(
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
        return await self._client.work_on(
            topic, partition, "elect", leader=leader, unclean=1 if unclean else None
        )

    async def pause(self, node: int | Node) -> None:
        """Stop the fetches of the node's followers; the node still serves as a leader."""
        await self._client.order(node_id(node), "pause")

    async def resume(self, node: int | Node) -> None:
        """Resume the fetches of the node's followers."""
        await self._client.order(node_id(node), "resume")

    async def stop(self, node: int | Node) -> None:
        """End the node as ``kill -9`` does; the others continue."""
        await self._client.order(node_id(node), "stop")

    async def shutdown(self, node: int | Node) -> None:
        """Stop the node in an orderly way: first other nodes lead its partitions."""
        await self._client.order(node_id(node), "shutdown")

    async def start(self, node: int | Node) -> None:
        """Start a stopped node again, with its own logs."""
        await self._client.order(node_id(node), "start")

    @property
    def faults(self) -> AsyncBrokerFaults:
        """The rules by which requests, connections and links fail."""
        return AsyncBrokerFaults(self._client)

    @property
    def clock(self) -> AsyncBrokerClock:
        """The clock, which can be frozen and moved forwards."""
        return AsyncBrokerClock(self._client)
