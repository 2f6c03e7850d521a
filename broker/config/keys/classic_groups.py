"""Keys of groups of the classic protocol."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import INT_MAX, int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ClassicGroupKeys:
    """Keys of groups of the classic protocol."""

    group_min_session_timeout_ms: int = key(
        "group.min.session.timeout.ms",
        int32(),
        6000,
        "The shortest session timeout that a member may request.",
    )
    group_max_session_timeout_ms: int = key(
        "group.max.session.timeout.ms",
        int32(),
        1_800_000,
        "The longest session timeout that a member may request.",
    )
    group_initial_rebalance_delay_ms: int = key(
        "group.initial.rebalance.delay.ms",
        int32(),
        0,
        "How long the first rebalance of an empty group waits for more members.",
        kafka_default=3000,
        reason="the delay avoids rebalances in production, but costs every test three seconds",
    )
    group_max_size: int = key(
        "group.max.size",
        int32(1),
        INT_MAX,
        "The largest number of members of a group of the classic protocol.",
    )
