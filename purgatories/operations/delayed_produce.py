"""A produce with acks=all that waits until the in-sync replicas of each partition have the records.

    per partition:  acks_pending --> high watermark >= required_offset? --> no error, or too few
                         |                                                  in-sync replicas left
                         +--> not the leader any more, gone, offline: that error
                         +--> timeout: REQUEST_TIMED_OUT, preset
The decision about a partition is final. After a timeout the records remain in the leader's log.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

from .delayed_partitions import NONE, DelayedPartitions

K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)


class ProduceReplicas(Protocol[K_contra]):
    """Provides the progress of the replicas."""

    def check_enough_replicas(self, key: K_contra, required_offset: int) -> tuple[bool, int]:
        """Whether the in-sync replicas have the records before *required_offset*; an error code.

        True, or an error other than 0, ends the wait for this partition.
        """
        ...


class ProducePartitionStatus:
    """A partition's part of the response; the operation does not use ``response``."""

    __slots__ = ("acks_pending", "error", "required_offset", "response")

    def __init__(self, required_offset: int, error: int, response: Any = None) -> None:
        self.required_offset = required_offset  # the last appended offset + 1
        self.error = error
        self.response = response
        self.acks_pending = False

    def __repr__(self) -> str:
        return (
            f"ProducePartitionStatus(acks_pending={self.acks_pending}, error={self.error}, "
            f"required_offset={self.required_offset})"
        )


class DelayedProduce(DelayedPartitions[K, ProducePartitionStatus]):
    """Passes all *statuses* to its callback once; does not wait for partitions that have failed."""

    __slots__ = ("_replicas",)

    def __init__(
        self,
        timeout_ms: float,
        statuses: dict[K, ProducePartitionStatus],
        replicas: ProduceReplicas[K],
        on_response: Callable[[dict[K, ProducePartitionStatus]], object],
    ) -> None:
        super().__init__(timeout_ms, statuses, on_response)
        self._replicas = replicas

    def decide(self, key: K, status: ProducePartitionStatus) -> bool:
        """True if the in-sync replicas have the records, or with an error."""
        enough, error = self._replicas.check_enough_replicas(key, status.required_offset)
        if not enough and error == NONE:
            return False
        status.error = error
        return True

    def on_expiration(self) -> None:
        """Count one expiry for each partition that is still pending."""
        for key, status in self.statuses.items():
            if status.acks_pending:
                self.mark_expired(key)
