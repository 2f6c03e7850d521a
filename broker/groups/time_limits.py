"""The time limits of groups that are being waited for, as the admin interface lists them."""

from __future__ import annotations

from typing import Final, NamedTuple

# The pause before the retry of a removal that the log has refused (Kafka's operation retry
# backoff).
EXPIRATION_RETRY_BACKOFF_MS: Final = 500


class RebalanceLimit(NamedTuple):
    """The longest duration of a phase of a rebalance, and when it ends at the latest.

    The time is in ms of the monotonic clock.
    """

    timeout_ms: int
    expiration_ms: float


class MemberTimeout(NamedTuple):
    """A timeout of a member, which is removed at ``expiration_ms`` of the monotonic clock.

    ``kind`` is ``session``; ``pending``: the member id has been issued and has not joined
    (KIP-394); ``rebalance`` in consumer and streams groups; ``join`` and ``sync`` in consumer
    groups.
    """

    group_id: str
    member_id: str
    kind: str
    timeout_ms: int
    expiration_ms: float
