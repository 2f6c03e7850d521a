"""What the admin interface uses of the work on partitions that a user starts."""

from __future__ import annotations

from typing import Protocol


class PartitionWork(Protocol):
    """`broker.maintenance.maintenance.Maintenance`; a partition of None is all of the topic."""

    async def compact(self, topic: str, partition: int | None) -> object:
        """Compact the logs."""
        ...

    async def roll(self, topic: str, partition: int | None) -> object:
        """Begin a new segment."""
        ...

    async def expire(self, topic: str, partition: int | None) -> object:
        """Delete the segments that retention allows."""
        ...

    async def elect(
        self, topic: str, partition: int | None, leader: int | None, *, unclean: bool = False
    ) -> object:
        """Elect the preferred replica or *leader*."""
        ...
