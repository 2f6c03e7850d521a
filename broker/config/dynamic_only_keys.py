"""The rates of throttled replication, which are only set while the broker runs (``QuotaConfig``).

Kafka's definition of a broker's keys lacks them; they are described if they are set.
"""

from __future__ import annotations

from typing import Final

from broker.config.key import CLUSTER_WIDE, Key, no_effect
from broker.config.kinds import LONG_MAX, int64

LEADER_RATE: Final = "leader.replication.throttled.rate"
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"

_moves = no_effect("replicas are not moved between the directories of a node")

KEYS = (
    Key(
        name=LEADER_RATE,
        kind=int64(0),
        default=LONG_MAX,
        documentation="The bytes per second of throttled replicas above which a leader sends none "
        "to those that are not in sync.",
        update_mode=CLUSTER_WIDE,
    ),
    Key(
        name=FOLLOWER_RATE,
        kind=int64(0),
        default=LONG_MAX,
        documentation="The bytes per second of throttled replicas above which a follower does not "
        "fetch those that are not in sync.",
        update_mode=CLUSTER_WIDE,
    ),
    _moves("replica.alter.log.dirs.io.max.bytes.per.second", int64(0), LONG_MAX, CLUSTER_WIDE),
)
