"""The features of the cluster, as ApiVersions tells them and UpdateFeatures would change them.

Each has the one level that this broker is made for, so what is supported is what is finalized. A
level tells clients what they may rely on: ``eligible.leader.replicas.version`` that partitions have
eligible leader replicas (KIP-966), ``group.version`` that there are groups of the consumer protocol
(KIP-848), ``metadata.version`` which Kafka's rules those of the cluster
are (30 is 4.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from broker.errors import ApiError
from protocol.errors import ErrorCode

LEVELS: Mapping[str, int] = MappingProxyType(
    {"metadata.version": 30, "group.version": 1, "eligible.leader.replicas.version": 1}
)

# An upgrade, a downgrade that loses nothing, and one that may.
_UPGRADE_TYPES = frozenset({1, 2, 3})


def check_level(feature: str, level: int, upgrade_type: int, controller_id: int) -> None:
    """Raise `ApiError` INVALID_UPDATE_VERSION, in Kafka's words, unless *level* is the feature's.

    Kafka's ``FeatureControlManager.updateFeature``.
    """
    known = LEVELS.get(feature)
    if upgrade_type not in _UPGRADE_TYPES:
        reason = "The controller does not support the given upgrade type."
    elif known == level:
        return
    elif level < 0:
        reason = "A feature version cannot be less than 0."
    elif known is not None:
        reason = f"Local controller {controller_id} only supports versions {known}-{known}"
    elif level == 0:
        reason = f"Feature {feature} not found."
    else:
        reason = f"Local controller {controller_id} does not support this feature."
    raise ApiError(
        ErrorCode.INVALID_UPDATE_VERSION,
        f"Invalid update version {level} for feature {feature}. {reason}",
    )
