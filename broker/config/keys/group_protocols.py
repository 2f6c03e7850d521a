"""Keys of groups of all protocols."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import ListOf
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class GroupProtocolKeys:
    """Keys of groups of all protocols."""

    group_coordinator_rebalance_protocols: tuple[str, ...] = key(
        "group.coordinator.rebalance.protocols",
        ListOf(("consumer", "classic", "share", "streams")),
        ("classic", "consumer", "streams"),
        "The protocols of groups. Requests of consumer and streams groups are refused if their "
        "protocol is not in the list; the other two protocols are always served.",
    )
