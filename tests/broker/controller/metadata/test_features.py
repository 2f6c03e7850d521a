"""The features of the cluster."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.controller.metadata.features import FEATURES, FeatureUpdate, checked_levels
from protocol.errors import ErrorCode

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3


def changed(feature: str, level: int, kind: int = UPGRADE, **present: int) -> dict[str, int]:
    levels = {name.replace("_", "."): value for name, value in present.items()}
    return checked_levels([FeatureUpdate(feature, level, kind)], levels, 1)


def test_the_present_level_is_accepted() -> None:
    """Requesting it changes nothing."""
    for name, feature in FEATURES.items():
        assert changed(name, feature.level) == {}

    with pytest.raises(ApiError):
        changed("metadata.version", 29)


@pytest.mark.parametrize("kind", [SAFE_DOWNGRADE, UNSAFE_DOWNGRADE])
@pytest.mark.parametrize("level", [0, 1])
def test_the_level_of_transactions_can_be_lowered(level: int, kind: int) -> None:
    """By both kinds of downgrade."""
    assert changed("transaction.version", level, kind) == {"transaction.version": level}


def test_the_level_of_transactions_can_be_raised() -> None:
    """From a lower one, by an upgrade only."""
    assert changed("transaction.version", 2, transaction_version=1) == {"transaction.version": 2}

    with pytest.raises(ApiError, match="Can't downgrade to a newer version"):
        changed("transaction.version", 2, SAFE_DOWNGRADE, transaction_version=1)


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
        changed(feature, level)

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
        changed("metadata.version", 29, upgrade_type)


def test_the_level_of_the_quorum_cannot_be_changed_here() -> None:
    """Kafka can upgrade kraft.version."""
    with pytest.raises(ApiError, match="cannot be changed here"):
        changed("kraft.version", 1, UPGRADE)


@pytest.mark.parametrize("upgrade_type", [0, 4, -1])
def test_an_unknown_upgrade_type_is_refused(upgrade_type: int) -> None:
    """Even for the present level."""
    with pytest.raises(ApiError, match="The controller does not support the given upgrade type"):
        changed("group.version", 1, upgrade_type)
