"""The features of the cluster."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.features import FEATURES, check_level
from protocol.errors import ErrorCode

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3


def test_the_present_level_is_accepted() -> None:
    """Requesting it changes nothing."""
    for name, feature in FEATURES.items():
        check_level(name, feature.level, UPGRADE, 1)

    with pytest.raises(ApiError):
        check_level("metadata.version", 29, UPGRADE, 1)


@pytest.mark.parametrize(
    ("feature", "level", "reason"),
    [
        ("nope", 1, "Local controller 1 does not support this feature."),
        ("nope", 0, "Feature nope not found."),
        ("metadata.version", -1, "A feature version cannot be less than 0."),
        ("metadata.version", 99, "Local controller 1 only supports versions 7-30"),
    ],
)
def test_the_messages_are_kafkas(feature: str, level: int, reason: str) -> None:
    """Those of Kafka 4.3.1."""
    with pytest.raises(ApiError) as refused:
        check_level(feature, level, UPGRADE, 1)

    assert refused.value.code is ErrorCode.INVALID_UPDATE_VERSION
    assert refused.value.message == (
        f"Invalid update version {level} for feature {feature}. {reason}"
    )


@pytest.mark.parametrize(
    ("upgrade_type", "reason"),
    [
        (UPGRADE, "without setting the upgrade type to either safe or unsafe downgrade"),
        (SAFE_DOWNGRADE, "might delete metadata information"),
        (UNSAFE_DOWNGRADE, "Unsafe metadata downgrade is not supported"),
    ],
)
def test_the_metadata_version_cannot_be_downgraded(upgrade_type: int, reason: str) -> None:
    """As in Kafka, with a different reason for each upgrade type."""
    with pytest.raises(ApiError, match=reason):
        check_level("metadata.version", 29, upgrade_type, 1)


def test_other_levels_cannot_be_changed_here() -> None:
    """Kafka can downgrade them, and upgrade kraft.version."""
    with pytest.raises(ApiError, match="cannot be changed here"):
        check_level("group.version", 0, SAFE_DOWNGRADE, 1)
    with pytest.raises(ApiError, match="cannot be changed here"):
        check_level("kraft.version", 1, UPGRADE, 1)


@pytest.mark.parametrize("upgrade_type", [0, 4, -1])
def test_an_unknown_upgrade_type_is_refused(upgrade_type: int) -> None:
    """Even for the present level."""
    with pytest.raises(ApiError, match="The controller does not support the given upgrade type"):
        check_level("group.version", 1, upgrade_type, 1)
