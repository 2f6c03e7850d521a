"""Where committed offsets and generations are kept, and when they count as kept.

Appending takes a callback because in Kafka both are records of ``__consumer_offsets``, and nothing
is answered before those are replicated. `InMemoryOffsetStore` keeps them at once and forgets them
when the broker stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode

if TYPE_CHECKING:
    from broker.groups.classic_group import ClassicGroup

OnStored = Callable[[ErrorCode], None]


@dataclass(slots=True)
class OffsetAndMetadata:
    """A committed offset as Kafka stores it; times are milliseconds since the Unix epoch."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp_ms: int = -1
    # Only v2 to v4 of OffsetCommit could ask for a retention of their own.
    expire_timestamp_ms: int | None = None


class OffsetStore(Protocol):
    """Committed offsets and group generations."""

    def append_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        on_stored: OnStored,
    ) -> None:
        """Keep offsets; *on_stored* is called once they are safe, or cannot be."""
        ...

    def append_group(
        self, group: ClassicGroup, assignments: Mapping[str, bytes], on_stored: OnStored
    ) -> None:
        """Keep a group's generation, with each member's assignment; see `append_offsets`."""
        ...

    def offsets(self, group_id: str) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """What a group has committed."""
        ...

    def remove_topics(self, topics: Iterable[str]) -> None:
        """Forget the offsets of topics that are gone."""
        ...


class InMemoryOffsetStore:
    """Keeps offsets in a dict."""

    def __init__(self) -> None:
        self._offsets: dict[str, dict[TopicPartition, OffsetAndMetadata]] = {}

    def append_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        on_stored: OnStored,
    ) -> None:
        """Keep offsets at once."""
        self._offsets.setdefault(group_id, {}).update(offsets)
        on_stored(ErrorCode.NONE)

    def append_group(
        self,
        group: ClassicGroup,  # noqa: ARG002 - the group itself is in memory already
        assignments: Mapping[str, bytes],  # noqa: ARG002 - and its members keep them
        on_stored: OnStored,
    ) -> None:
        """Nothing to do: the group is in memory already."""
        on_stored(ErrorCode.NONE)

    def offsets(self, group_id: str) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """What a group has committed."""
        return self._offsets.get(group_id, {})

    def remove_topics(self, topics: Iterable[str]) -> None:
        """Forget the offsets of topics that are gone."""
        gone = set(topics)
        for offsets in self._offsets.values():
            for partition in [each for each in offsets if each.topic in gone]:
                del offsets[partition]
