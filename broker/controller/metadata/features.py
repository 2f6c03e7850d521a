"""The features of the cluster, which ApiVersions returns and UpdateFeatures changes.

The level of a feature states what clients may rely on: with ``eligible.leader.replicas.version``
that partitions have eligible leader replicas (KIP-966), with ``group.version`` that groups of the
consumer protocol exist (KIP-848), with ``transaction.version`` 2 that a transaction bumps the epoch
of its producer (KIP-890), with ``metadata.version`` which of Kafka's rules apply (30 is 4.3). The
levels are those of a new cluster of Kafka 4.3; those of the metadata and of the quorum cannot be
changed here. Which requests clients can use depends on the list in ApiVersions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from broker.common.errors import ApiError
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

ELR_VERSION = "eligible.leader.replicas.version"
GROUP_VERSION = "group.version"
METADATA_VERSION = "metadata.version"
SHARE_VERSION = "share.version"
STREAMS_VERSION = "streams.version"
TRANSACTION_VERSION = "transaction.version"
UPGRADE = 1
SAFE_DOWNGRADE = 2
# Upgrade, safe downgrade, unsafe downgrade.
_UPGRADE_TYPES = frozenset({UPGRADE, SAFE_DOWNGRADE, 3})


@dataclass(frozen=True, slots=True)
class Feature:
    """The levels that Kafka 4.3 supports, and that of a new cluster; 0 is not finalized."""

    lowest: int
    highest: int
    level: int
    is_changeable: bool = False


FEATURES: Mapping[str, Feature] = MappingProxyType(
    {
        ELR_VERSION: Feature(0, 1, 1, is_changeable=True),
        GROUP_VERSION: Feature(0, 1, 1, is_changeable=True),
        "kraft.version": Feature(0, 1, 0),
        METADATA_VERSION: Feature(7, 30, 30),
        SHARE_VERSION: Feature(0, 1, 1, is_changeable=True),
        STREAMS_VERSION: Feature(0, 1, 1, is_changeable=True),
        TRANSACTION_VERSION: Feature(0, 2, 2, is_changeable=True),
    }
)


class FeatureUpdate(NamedTuple):
    """The requested level of a feature, and the kind of the change."""

    feature: str
    level: int
    upgrade_type: int


def checked_levels(
    updates: Iterable[FeatureUpdate], present: Mapping[str, int], controller_id: int
) -> dict[str, int]:
    """Return the levels that change, by feature; *present* has the changed levels of before.

    Raises `ApiError` INVALID_UPDATE_VERSION if a feature cannot have the requested level. Where
    Kafka refuses as well, the message is that of ``FeatureControlManager.updateFeature``.
    """
    levels = {}
    for update in updates:
        known = FEATURES.get(update.feature)
        level = present.get(update.feature, known.level if known else 0)
        _check_level(update, known, level, controller_id)
        if update.level != level:
            levels[update.feature] = update.level
    return levels


def _check_level(
    update: FeatureUpdate, known: Feature | None, present: int, controller_id: int
) -> None:
    feature, level, upgrade_type = update
    prefix = f"Invalid update version {level} for feature {feature}. "
    if upgrade_type not in _UPGRADE_TYPES:
        reason = prefix + "The controller does not support the given upgrade type."
    elif level < 0:
        reason = prefix + "A feature version cannot be less than 0."
    elif known is None:
        reason = prefix + _unknown(feature, level, controller_id)
    elif level == present:
        return
    elif not known.lowest <= level <= known.highest:
        reason = prefix + (
            f"Local controller {controller_id} only supports versions "
            f"{known.lowest}-{known.highest}"
        )
    elif level < present and upgrade_type == UPGRADE:
        reason = prefix + (
            "Can't downgrade the version of this feature without setting the upgrade type to "
            "either safe or unsafe downgrade."
        )
    elif level > present and upgrade_type != UPGRADE:
        reason = prefix + "Can't downgrade to a newer version."
    elif feature == METADATA_VERSION:
        reason = _no_metadata_downgrade(present, level, upgrade_type)
    elif known.is_changeable:
        return
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
        if upgrade_type == SAFE_DOWNGRADE
        else "Unsafe metadata downgrade is not supported in this version."
    )
    return f"Unsupported metadata.version downgrade from {present} to {level}. {why}"
