"""Why a client is throttled, and for how long."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from broker.quotas.entity import CLIENT_ID, USER, Entity

# Kafka's name of the entity whose quota applies to all that have none of their own.
DEFAULT: Final = "<default>"
# In the place of a quota: a fault rule throttles the client; then there is no entity and no rate.
FAULT_RULE: Final = "fault_rule"


class Throttle(NamedTuple):
    """A client has exceeded the quota *key*, which *entity* has.

    ``rate`` is what was measured, and ``limit`` what is allowed, both in the unit of the quota:
    bytes per second, percent of a processor, or partitions per second.
    """

    time_ms: int
    key: str
    entity: Entity
    rate: float
    limit: float

    def facts(self) -> dict[str, Any]:
        """The value in a wait record; a type of entity that the quota does not name is None."""
        names = {kind: DEFAULT if name is None else name for kind, name in self.entity}
        return {
            "quota": self.key,
            "user": names.get(USER),
            "client_id": names.get(CLIENT_ID),
            "rate": round(self.rate, 3),
            "limit": self.limit,
            "ms": self.time_ms,
        }
