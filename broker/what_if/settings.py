"""The settings of a replay."""

from __future__ import annotations

from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """What is changed; None: as recorded.

    ``min_bytes`` and ``max_wait_ms`` are those of the fetches of all consumers. ``linger_ms``: the
    produces of a producer that arrive within this time are sent as one, at its end.
    ``follower_delay_ms`` is that of each message between a leader and a follower.
    """

    min_bytes: int | None = None
    max_wait_ms: int | None = None
    linger_ms: int | None = None
    replication_factor: int | None = None
    follower_delay_ms: int | None = None


UNCHANGED = Settings()
