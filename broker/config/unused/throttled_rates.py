"""The rates of throttled replication, which have no effect here (``QuotaConfig``).

They are set while the broker runs; a start does not have them.
"""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import LONG_MAX, int64

_rates = no_effect("replication is not throttled")

KEYS = (
    _rates("leader.replication.throttled.rate", int64(0), LONG_MAX, CLUSTER_WIDE),
    _rates("follower.replication.throttled.rate", int64(0), LONG_MAX, CLUSTER_WIDE),
    _rates("replica.alter.log.dirs.io.max.bytes.per.second", int64(0), LONG_MAX, CLUSTER_WIDE),
)
