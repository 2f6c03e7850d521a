"""The fetch of a follower, as the leaders of its partitions need it."""

from __future__ import annotations


class FollowerFetch:
    """A fetch of the node *node_id* in *broker_epoch*, -1 if it sends none (KIP-903).

    ``now_ms`` is the time at which the partitions are read. ``has_delayed_deletes`` is whether any
    DeleteRecords waits for a low watermark. Both are the same for all partitions.
    """

    __slots__ = ("broker_epoch", "has_delayed_deletes", "node_id", "now_ms")

    def __init__(
        self, node_id: int, broker_epoch: int, now_ms: float, *, has_delayed_deletes: bool
    ) -> None:
        self.node_id = node_id
        self.broker_epoch = broker_epoch
        self.now_ms = now_ms
        self.has_delayed_deletes = has_delayed_deletes
