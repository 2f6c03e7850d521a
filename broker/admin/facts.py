"""What the admin interface asks of the broker: its state, what waits in it, and faults on demand.

All values are made of what JSON can hold. A parked request is a dict with those fields of a wait
record that exist while it waits:

    node, connection, client_id, correlation_id, api ("Produce"), version
    arrived_us                  microseconds since the Unix epoch
    parked_us                   microseconds since then, its time behind others included
    purgatory                   "Produce", "Fetch", "DeleteRecords", "Rebalance", ...
    waited_for                  {"kind": "min_bytes" | "high_watermark" | "members" | ..., "need",
                                "had", ...}, or None
    timeout_ms, remaining_ms    the wait allowed, and what is left of it; None: no limit, or it is
                                not known
    checks                      how many times completion has been tried
    partitions                  a list of {"topic", "partition", "offset", ...}

In a produce each partition also has ``needed_offset``, which the high watermark must reach, and
``replicas``: a list of {"node", "log_end_offset" (None: the node does not run), "behind" (bool),
"in_sync" (bool: only those are waited for), "caught_up_ms_ago" (None: the leader, or never),
"state" ("running", "paused", "stopped": of the node)}.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from broker.common.state_changes import StateChanges

JsonObject = dict[str, Any]

LIMIT_DEFAULT = 100
LIMIT_MAX = 10_000


class NotServed(Exception):  # noqa: N818 - it names what is the matter
    """What is asked for is not in this version; the message says what is."""


@dataclass(frozen=True, slots=True)
class RequestQuery:
    """Which requests: those that wait now, or the latest that were answered.

    None matches any. ``topic`` matches a request with a partition of it, ``client`` its client id,
    ``correlation`` its correlation id. ``followers``: the fetches by which nodes replicate from
    each other are among them.
    """

    parked: bool = False
    api: str | None = None
    topic: str | None = None
    client: str | None = None
    followers: bool = False
    limit: int = LIMIT_DEFAULT
    correlation: int | None = None


class Facts(Protocol):
    """The broker, as the admin interface knows it; each fact is a new value."""

    changes: StateChanges

    def cluster(self) -> JsonObject:
        """Nodes, topics, leaders, in-sync sets and offsets.

        {"cluster_id", "nodes": [{"id", "host", "port", "state": "running" | "paused" | "stopped",
        "epoch"}], "topics": [{"name", "id", "partitions": [{"partition", "leader" (-1: none),
        "leader_epoch", "replicas": [{"node", "log_start_offset", "log_end_offset",
        "high_watermark", "in_sync", "alive", "caught_up_ms_ago"}], "isr", "log_start_offset",
        "high_watermark", "log_end_offset"}]}]}; offsets are None where the node does not run.
        """
        ...

    def statistics(self) -> JsonObject:
        """Purgatories, timers, connections, wait records."""
        ...

    def groups(self) -> list[JsonObject]:
        """Consumer groups: {"group", "state" (Kafka's name of it), "members" (how many)}."""
        ...

    def requests(self, query: RequestQuery) -> list[JsonObject]:
        """The requests that match, the longest waiting (or the latest answered) first.

        Raises `NotServed` if answered requests are not recorded.
        """
        ...

    def pause(self, node_id: int) -> None:
        """Stop the node's followers from fetching; raises `NoSuchNode` or `WrongState`."""
        ...

    def resume(self, node_id: int) -> None:
        """Let them fetch again; raises `NoSuchNode` or `WrongState`."""
        ...

    async def stop(self, node_id: int) -> None:
        """End the node as a crash would; raises `NoSuchNode` or `WrongState`."""
        ...

    async def start(self, node_id: int) -> None:
        """Bring a stopped node back; raises `NoSuchNode` or `WrongState`."""
        ...
