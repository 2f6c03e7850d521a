"""The subscription and the assignment, which the classic protocol carries as opaque bytes.

Each is preceded by its version. A version newer than the newest known one is read as that, and
the remaining bytes are ignored, because new versions may only add fields.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from struct import Struct
from typing import Any

from protocol.codec import Malformed, decode, encode
from protocol.schema import data, int32, message, since, string, struct
from protocol.slices import decode_slices

PROTOCOL_TYPE = "consumer"

_VERSION = Struct(">h")
_NO_API_KEY = -1


@message(_NO_API_KEY, versions=(0, 3))
class ConsumerProtocolSubscription:
    """The topics a consumer subscribes to, and the partitions it owns."""

    topics: list[string]
    user_data: data | None = None
    owned_partitions: list[TopicPartition] = since(1, factory=list)
    generation_id: int32 = since(2, default=-1)
    rack_id: string | None = since(3, default=None)


@message(_NO_API_KEY, versions=(0, 3))
class ConsumerProtocolAssignment:
    """The partitions assigned to a consumer."""

    assigned_partitions: list[TopicPartition]
    user_data: data | None = None


@struct
class TopicPartition:
    """Partitions of a topic."""

    topic: string
    partitions: list[int32]


def version_of(raw: bytes) -> int:
    """The version that precedes a subscription; raises `Malformed`."""
    if len(raw) < _VERSION.size:
        raise Malformed("no version")
    version: int = _VERSION.unpack_from(raw)[0]
    if version < 0:
        raise Malformed(f"version {version}")
    return version


def parse_subscription(raw: bytes) -> ConsumerProtocolSubscription:
    """Decode a member's metadata; raises `Malformed`."""
    subscription: ConsumerProtocolSubscription = _parse(ConsumerProtocolSubscription, raw)
    return subscription


def subscription_slices(
    raw: bytes, items_max: int
) -> Generator[None, None, ConsumerProtocolSubscription]:
    """Decode a member's metadata in slices; the generator returns it.

    Raises `Malformed`, also if its arrays have more than *items_max* items.
    """
    cls = ConsumerProtocolSubscription
    body = memoryview(raw)[_VERSION.size :]
    subscription: ConsumerProtocolSubscription = yield from decode_slices(
        cls, _known(cls, version_of(raw)), body, items_max=items_max
    )
    return subscription


def parse_assignment(raw: bytes) -> ConsumerProtocolAssignment:
    """Decode an assignment; raises `Malformed`. Empty bytes are an empty assignment."""
    if not raw:
        return ConsumerProtocolAssignment(assigned_partitions=[])
    assignment: ConsumerProtocolAssignment = _parse(ConsumerProtocolAssignment, raw)
    return assignment


def write_assignment(partitions: Mapping[str, Iterable[int]], version: int) -> bytes:
    """Encode an assignment in *version*, or in the newest known version."""
    version = _known(ConsumerProtocolAssignment, version)
    assignment = ConsumerProtocolAssignment(
        assigned_partitions=[
            TopicPartition(topic=topic, partitions=list(indexes))
            for topic, indexes in partitions.items()
        ]
    )
    return _VERSION.pack(version) + encode(assignment, version)


def write_subscription(subscription: ConsumerProtocolSubscription, version: int) -> bytes:
    """Encode a subscription in *version*."""
    return _VERSION.pack(version) + encode(subscription, version)


def _parse(cls: Any, raw: bytes) -> Any:
    version = _known(cls, version_of(raw))
    return decode(cls, version, memoryview(raw)[_VERSION.size :])


def _known(cls: Any, version: int) -> int:
    newest: int = cls.__spec__.versions[-1]
    return min(version, newest)
