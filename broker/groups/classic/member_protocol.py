"""A protocol of a classic group's member, with its metadata (a subscription, for consumers)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from broker.steps.limits import DECODED_AT_ONCE_BYTES, ITEMS_PER_REQUEST_MAX
from broker.steps.queue import Slices, finish
from protocol.codec import Malformed
from protocol.consumer_protocol import ConsumerProtocolSubscription, subscription_slices

# Longer subscriptions are parsed in slices, when the member joins.
PARSED_AT_ONCE_BYTES: Final = DECODED_AT_ONCE_BYTES


class MemberProtocol:
    """A protocol (an assignor, for consumers) that a member supports."""

    __slots__ = ("_is_parsed", "_subscription", "metadata", "name")

    def __init__(self, name: str, metadata: bytes) -> None:
        self.name = name
        self.metadata = metadata
        self._is_parsed = False
        self._subscription: ConsumerProtocolSubscription | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemberProtocol):
            return NotImplemented
        return self.name == other.name and self.metadata == other.metadata

    def __hash__(self) -> int:
        return hash((self.name, self.metadata))

    @property
    def subscription(self) -> ConsumerProtocolSubscription | None:
        """The subscription of a consumer; None if it is malformed, or has too many items."""
        if not self._is_parsed:
            finish(self.parse())
        return self._subscription

    def parse(self) -> Slices[None]:
        """Parse the subscription, once."""
        try:
            self._subscription = yield from subscription_slices(
                self.metadata, ITEMS_PER_REQUEST_MAX
            )
        except Malformed:
            self._subscription = None
        self._is_parsed = True


def names_of(protocols: Iterable[MemberProtocol]) -> frozenset[str]:
    """The names of *protocols*."""
    return frozenset(protocol.name for protocol in protocols)
