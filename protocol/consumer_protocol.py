"""What consumers put into the opaque bytes of the classic protocol: subscription and assignment.

A version stands before either. A version that is not known yet is read as the newest that is, and
what follows is left alone: new versions may only add fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import Struct
from typing import Any

from protocol.codec import Malformed, decode, encode
from protocol.schema import data, int32, message, since, string, struct

PROTOCOL_TYPE = "consumer"

_VERSION = Struct(">h")
_NO_API_KEY = -1


@message(_NO_API_KEY, versions=(0, 3))
class ConsumerProtocolSubscription:
    """What a consumer wants to read, and what it reads now."""

    topics: list[string]
    user_data: data | None = None
    owned_partitions: list[TopicPartition] = since(1, factory=list)
    generation_id: int32 = since(2, default=-1)
    rack_id: string | None = since(3, default=None)


@message(_NO_API_KEY, versions=(0, 3))
class ConsumerProtocolAssignment:
    """What a consumer shall read."""

    assigned_partitions: list[TopicPartition]
    user_data: data | None = None


@struct
class TopicPartition:
    """Partitions of a topic."""

    topic: string
    partitions: list[int32]


def version_of(raw: bytes) -> int:
    """The version that stands before a subscription; raises `Malformed`."""
    if len(raw) < _VERSION.size:
        raise Malformed("no version")
    version: int = _VERSION.unpack_from(raw)[0]
    if version < 0:
        raise Malformed(f"version {version}")
    return version


def parse_subscription(raw: bytes) -> ConsumerProtocolSubscription:
    """Read a member's metadata; raises `Malformed`."""
    subscription: ConsumerProtocolSubscription = _parse(ConsumerProtocolSubscription, raw)
    return subscription


def parse_assignment(raw: bytes) -> ConsumerProtocolAssignment:
    """Read what a leader assigned; raises `Malformed`. No bytes at all assign nothing."""
    if not raw:
        return ConsumerProtocolAssignment(assigned_partitions=[])
    assignment: ConsumerProtocolAssignment = _parse(ConsumerProtocolAssignment, raw)
    return assignment


def write_assignment(partitions: Mapping[str, Iterable[int]], version: int) -> bytes:
    """An assignment in *version*, or in the newest that is known."""
    version = _known(ConsumerProtocolAssignment, version)
    assignment = ConsumerProtocolAssignment(
        assigned_partitions=[
            TopicPartition(topic=topic, partitions=list(indexes))
            for topic, indexes in partitions.items()
        ]
    )
    return _VERSION.pack(version) + encode(assignment, version)


def write_subscription(subscription: ConsumerProtocolSubscription, version: int) -> bytes:
    """A subscription in *version*."""
    return _VERSION.pack(version) + encode(subscription, version)


def _parse(cls: Any, raw: bytes) -> Any:
    version = _known(cls, version_of(raw))
    return decode(cls, version, memoryview(raw)[_VERSION.size :])


def _known(cls: Any, version: int) -> int:
    newest: int = cls.__spec__.versions[-1]
    return min(version, newest)
