"""The features of the cluster."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.features import FEATURES, check_level
from protocol.errors import ErrorCode

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3


def test_a_feature_is_at_its_level() -> None:
    """To ask for what is there changes nothing, and is allowed."""
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
def test_the_words_are_kafkas(feature: str, level: int, reason: str) -> None:
    """What Kafka 4.3.1 answers."""
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
def test_the_metadata_version_stays(upgrade_type: int, reason: str) -> None:
    """As in Kafka, each kind of downgrade for its own reason."""
    with pytest.raises(ApiError, match=reason):
        check_level("metadata.version", 29, upgrade_type, 1)


def test_other_levels_cannot_be_changed_here() -> None:
    """Kafka lets them go back, and kraft.version go up."""
    with pytest.raises(ApiError, match="cannot be changed here"):
        check_level("group.version", 0, SAFE_DOWNGRADE, 1)
    with pytest.raises(ApiError, match="cannot be changed here"):
        check_level("kraft.version", 1, UPGRADE, 1)


@pytest.mark.parametrize("upgrade_type", [0, 4, -1])
def test_it_is_an_upgrade_or_a_downgrade(upgrade_type: int) -> None:
    """What is neither is refused, even where nothing would change."""
    with pytest.raises(ApiError, match="The controller does not support the given upgrade type"):
        check_level("group.version", 1, upgrade_type, 1)
