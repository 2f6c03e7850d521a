"""Waits for conditions of a running cluster, by its admin interface.

Each raises `TimeoutError` after ``timeout`` seconds, with what is missing and the present state.
"""

from __future__ import annotations

from typing import Any

from antechamber.admin_client import AdminClient, AdminError
from antechamber.suggested_attributes import SuggestsAttributes

WAIT_TIMEOUT_S = 30.0


class Waits(SuggestsAttributes):
    """The conditions of ``GET /v1/wait``, one method each."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    # ---------------------------------------------------------------------------- requests

    def wait_parked(
        self,
        api: str | None = None,
        topic: str | None = None,
        count: int = 1,
        timeout: float = WAIT_TIMEOUT_S,
        *,
        client: str | None = None,
    ) -> list[dict[str, Any]]:
        """Wait until at least *count* matching requests wait, and return them."""
        found = self._client.wait(
            "parked", timeout, api=api, topic=topic, client=client, count=count
        )
        return list(found["requests"])

    def mark(self) -> str:
        """A mark of the requests so far; `wait_requests` counts those that begin later."""
        return self._client.mark()

    def wait_requests(
        self,
        api: str | None = None,
        count: int = 1,
        since: str | None = None,
        timeout: float = WAIT_TIMEOUT_S,
        *,
        client: str | None = None,
    ) -> int:
        """Wait until at least *count* matching requests have begun, and return how many have.

        *since* is a `mark`; without one all requests since the start of the broker count.
        """
        try:
            found = self._client.wait(
                "requests", timeout, api=api, client=client, since=since, count=count
            )
        except AdminError as error:
            raise error.with_remedy("since", "mark() makes one") from None
        return int(found["count"])

    # ---------------------------------------------------------------- topics and partitions

    def wait_topic(
        self, topic: str, partitions: int = 1, timeout: float = WAIT_TIMEOUT_S
    ) -> dict[str, Any]:
        """Wait until each running node knows the topic, and return the topic.

        It has at least *partitions* partitions, and the leader of each serves it.
        """
        found = self._client.wait("topic", timeout, topic=topic, partitions=partitions)
        return dict(found["topic"])

    def wait_topic_deleted(self, topic: str, timeout: float = WAIT_TIMEOUT_S) -> None:
        """Wait until no running node knows the topic."""
        self._client.wait("topic_deleted", timeout, topic=topic)

    def wait_high_watermark(
        self,
        topic: str | None = None,
        partition: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> None:
        """Wait until all records are replicated: the high watermark equals the log end offset.

        In every partition, unless a topic or one of its partitions is named.
        """
        self._client.wait("hw", timeout, topic=topic, partition=partition)

    def wait_in_sync(
        self,
        topic: str | None = None,
        partition: int | None = None,
        count: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> None:
        """Wait until all replicas are in sync, or exactly *count* of them.

        In every partition, unless a topic or one of its partitions is named.
        """
        self._client.wait("isr", timeout, topic=topic, partition=partition, count=count)

    def wait_stable_offset(
        self,
        topic: str | None = None,
        partition: int | None = None,
        offset: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> None:
        """Wait until the last stable offset equals the log end offset, or is at least *offset*.

        In every partition, unless a topic or one of its partitions is named.
        """
        self._client.wait("lso", timeout, topic=topic, partition=partition, offset=offset)

    # ------------------------------------------------------------------ groups and clients

    def wait_group_stable(
        self, group: str, members: int = 1, timeout: float = WAIT_TIMEOUT_S
    ) -> None:
        """Wait until the group is stable, with at least *members* members."""
        self._client.wait("group_stable", timeout, group=group, count=members)

    def wait_assigned(
        self,
        group: str,
        partitions: int = 1,
        members: int = 1,
        timeout: float = WAIT_TIMEOUT_S,
        *,
        topic: str | None = None,
    ) -> dict[str, Any]:
        """Wait until the group is stable and its members have partitions, and return the group.

        It has at least *members* members, and each has at least *partitions* partitions. With a
        *topic* only its partitions count, and each of them is assigned.
        """
        found = self._client.wait(
            "assigned", timeout, group=group, partitions=partitions, members=members, topic=topic
        )
        return dict(found["group"])

    def wait_committed(
        self,
        group: str,
        topic: str | None = None,
        partition: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
        *,
        offset: int | None = None,
        lag: int | None = None,
    ) -> list[dict[str, Any]]:
        """Wait until the group has committed its offsets, and return them.

        At least *offset*, and with a lag of at most *lag*; without both, the lag must be 0. In
        every partition that is assigned or has an offset, unless a topic or one of its partitions
        is named.
        """
        wanted = {"topic": topic, "partition": partition, "offset": offset, "lag": lag}
        found = self._client.wait("committed", timeout, group=group, **wanted)
        return list(found["offsets"])

    def wait_acquired(
        self,
        group: str,
        count: int = 1,
        topic: str | None = None,
        partition: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> list[dict[str, Any]]:
        """Wait until members of the share group hold at least *count* records under locks.

        In all partitions together, unless a topic or one of its partitions is named. Returns the
        share partitions, without their batches.
        """
        wanted = {"topic": topic, "partition": partition, "count": count}
        found = self._client.wait("share_acquired", timeout, group=group, **wanted)
        return list(found["share_partitions"])

    def wait_share_lag(
        self,
        group: str,
        lag: int = 0,
        topic: str | None = None,
        partition: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> list[dict[str, Any]]:
        """Wait until all records but *lag* are acknowledged or archived in the share group.

        In each partition, unless a topic or one of its partitions is named. Returns the share
        partitions, without their batches.
        """
        wanted = {"topic": topic, "partition": partition, "lag": lag}
        found = self._client.wait("share_lag", timeout, group=group, **wanted)
        return list(found["share_partitions"])

    def wait_client(
        self,
        client: str,
        connected: bool = True,
        count: int | None = None,
        timeout: float = WAIT_TIMEOUT_S,
    ) -> None:
        """Wait until the client has at least *count* connections (1), or none if not *connected*.

        A connection is that of a client id when it has sent a request.
        """
        what = "client_connected" if connected else "client_gone"
        self._client.wait(what, timeout, client=client, count=count)
