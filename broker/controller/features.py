"""The features of the cluster, which ApiVersions returns and UpdateFeatures would change.

The level of a feature states what clients may rely on: with ``eligible.leader.replicas.version``
that partitions have eligible leader replicas (KIP-966), with ``group.version`` that groups of the
consumer protocol exist (KIP-848), with ``transaction.version`` 2 that a transaction bumps the epoch
of its producer (KIP-890), with ``metadata.version`` which of Kafka's rules apply (30 is
4.3). The levels are those of a new cluster of Kafka 4.3 and cannot be changed here. Which requests
clients can use depends on the list in ApiVersions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from broker.common.errors import ApiError
from protocol.errors import ErrorCode

METADATA_VERSION = "metadata.version"
TRANSACTION_VERSION = "transaction.version"
_UPGRADE = 1
_SAFE_DOWNGRADE = 2
# Upgrade, safe downgrade, unsafe downgrade.
_UPGRADE_TYPES = frozenset({_UPGRADE, _SAFE_DOWNGRADE, 3})


@dataclass(frozen=True, slots=True)
class Feature:
    """The levels that Kafka 4.3 supports, and the present one; 0 is not finalized."""

    lowest: int
    highest: int
    level: int


FEATURES: Mapping[str, Feature] = MappingProxyType(
    {
        "eligible.leader.replicas.version": Feature(0, 1, 1),
        "group.version": Feature(0, 1, 1),
        "kraft.version": Feature(0, 1, 0),
        METADATA_VERSION: Feature(7, 30, 30),
        "share.version": Feature(0, 1, 1),
        "streams.version": Feature(0, 1, 1),
        TRANSACTION_VERSION: Feature(0, 2, 2),
    }
)


def check_level(feature: str, level: int, upgrade_type: int, controller_id: int) -> None:
    """Raise `ApiError` INVALID_UPDATE_VERSION unless *level* is the feature's present level.

    Where Kafka refuses as well, the message is that of ``FeatureControlManager.updateFeature``.
    """
    known = FEATURES.get(feature)
    prefix = f"Invalid update version {level} for feature {feature}. "
    if upgrade_type not in _UPGRADE_TYPES:
        reason = prefix + "The controller does not support the given upgrade type."
    elif level < 0:
        reason = prefix + "A feature version cannot be less than 0."
    elif known is None:
        reason = prefix + _unknown(feature, level, controller_id)
    elif known.level == level:
        return
    elif not known.lowest <= level <= known.highest:
        reason = prefix + (
            f"Local controller {controller_id} only supports versions "
            f"{known.lowest}-{known.highest}"
        )
    elif level > known.level:
        reason = prefix + "The level of a feature cannot be changed here."
    elif upgrade_type == _UPGRADE:
        reason = prefix + (
            "Can't downgrade the version of this feature without setting the upgrade type to "
            "either safe or unsafe downgrade."
        )
    elif feature == METADATA_VERSION:
        reason = _no_metadata_downgrade(known.level, level, upgrade_type)
    else:
        reason = prefix + "The level of a feature cannot be changed here."
    raise ApiError(ErrorCode.INVALID_UPDATE_VERSION, reason)


def _unknown(feature: str, level: int, controller_id: int) -> str:
    if level == 0:
        return f"Feature {feature} not found."
    return f"Local controller {controller_id} does not support this feature."


def _no_metadata_downgrade(present: int, level: int, upgrade_type: int) -> str:
    why = (
        "Refusing to perform the requested downgrade because it might delete metadata information."
        if upgrade_type == _SAFE_DOWNGRADE
        else "Unsafe metadata downgrade is not supported in this version."
    )
    return f"Unsupported metadata.version downgrade from {present} to {level}. {why}"
