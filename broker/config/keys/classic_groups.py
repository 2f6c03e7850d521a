"""Keys of groups of the classic protocol."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import key
from broker.config.kinds import INT_MAX, int32


@dataclass(kw_only=True)
class ClassicGroupKeys:
    """Keys of groups of the classic protocol."""

    group_min_session_timeout_ms: int = key(
        "group.min.session.timeout.ms",
        int32(),
        6000,
        "The shortest session timeout a member may ask.",
    )
    group_max_session_timeout_ms: int = key(
        "group.max.session.timeout.ms",
        int32(),
        1_800_000,
        "The longest session timeout a member may ask.",
    )
    group_initial_rebalance_delay_ms: int = key(
        "group.initial.rebalance.delay.ms",
        int32(),
        0,
        "How long the first rebalance of an empty group waits for more members to come.",
        kafka_default=3000,
        because="it saves restarts in production, and is three idle seconds for every test",
    )
    group_max_size: int = key(
        "group.max.size", int32(1), INT_MAX, "The most members of a group of the classic protocol."
    )
