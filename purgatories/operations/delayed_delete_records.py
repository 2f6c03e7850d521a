"""A DeleteRecords request that waits until all live replicas have deleted the records.

    per partition:  acks_pending --> low watermark >= required_offset? --> no error, that watermark
                         +--> not the leader any more, gone, offline: that error, watermark -1
                         +--> timeout: REQUEST_TIMED_OUT, preset

The low watermark of a partition is the smallest log start offset among its live replicas.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Protocol, TypeVar

from .delayed_partitions import NONE, DelayedPartitions

K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)

INVALID_LOW_WATERMARK: Final = -1


class DeleteRecordsReplicas(Protocol[K_contra]):
    """Provides the low watermarks."""

    def low_watermark(self, key: K_contra) -> tuple[int, int]:
        """Return the low watermark, and an error code; an error other than 0 ends the wait."""
        ...


class DeleteRecordsPartitionStatus:
    """A partition's part of the response."""

    __slots__ = ("acks_pending", "error", "low_watermark", "required_offset")

    def __init__(
        self, required_offset: int, error: int, low_watermark: int = INVALID_LOW_WATERMARK
    ) -> None:
        self.required_offset = required_offset
        self.error = error
        self.low_watermark = low_watermark
        self.acks_pending = False


class DelayedDeleteRecords(DelayedPartitions[K, DeleteRecordsPartitionStatus]):
    """Passes all *statuses* to its callback once; does not wait for partitions that have failed."""

    __slots__ = ("_replicas",)

    def __init__(
        self,
        timeout_ms: float,
        statuses: dict[K, DeleteRecordsPartitionStatus],
        replicas: DeleteRecordsReplicas[K],
        on_response: Callable[[dict[K, DeleteRecordsPartitionStatus]], object],
    ) -> None:
        super().__init__(timeout_ms, statuses, on_response)
        self._replicas = replicas

    def decide(self, key: K, status: DeleteRecordsPartitionStatus) -> bool:
        """True if the low watermark has reached the required offset, or with an error."""
        low_watermark, error = self._replicas.low_watermark(key)
        if error == NONE and low_watermark < status.required_offset:
            return False
        status.error = error
        status.low_watermark = low_watermark if error == NONE else INVALID_LOW_WATERMARK
        return True

    def on_expiration(self) -> None:
        """Count one expiry for each partition that is still pending."""
        self.mark_expired(count=sum(status.acks_pending for status in self.statuses.values()))
