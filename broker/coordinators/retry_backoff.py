"""The back-off of requests to other nodes (Kafka's ``ExponentialBackoffManager``, without jitter).

It is that of ``PersisterStateManager`` and of ``NetworkPartitionMetadataClient``.
"""

from __future__ import annotations

from typing import Final

RETRIES_MAX: Final = 5
_BACKOFF_MS: Final = 1000
_BACKOFF_MAX_MS: Final = 30_000


def backoff_ms(retries: int) -> int:
    """The milliseconds until the next retry of a request that was retried so often before."""
    return min(_BACKOFF_MS << retries, _BACKOFF_MAX_MS)
