"""UpdateFeatures."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.client import RunningNode, running_node

TRANSACTIONS = "transaction.version"

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(3))
async def test_the_present_level_is_accepted(tmp_path: Path, version: int) -> None:
    """Up to v1 each feature has a result."""
    async with running_node(tmp_path) as node:
        update = FeatureUpdateKey(feature="metadata.version", max_version_level=30)

        response = await node.client().send(
            UpdateFeaturesRequest(feature_updates=[update]), version
        )

        assert (response.error_code, response.error_message) == (0, None)
        results = [(each.feature, each.error_code) for each in response.results]
        assert results == ([("metadata.version", 0)] if version < 2 else [])


async def test_one_invalid_level_fails_all_features(tmp_path: Path) -> None:
    """With the message of Kafka 4.3.1."""
    async with running_node(tmp_path) as node:
        updates = [
            FeatureUpdateKey(feature="metadata.version", max_version_level=30),
            FeatureUpdateKey(feature="nope", max_version_level=1),
        ]

        response = await node.client().send(UpdateFeaturesRequest(feature_updates=updates))

        assert response.error_code == ErrorCode.INVALID_UPDATE_VERSION
        assert response.error_message == (
            "The update failed for all features since the following feature had an error: Invalid "
            "update version 1 for feature nope. Local controller 1 does not support this feature."
        )


async def test_the_level_of_transactions_is_changed(tmp_path: Path) -> None:
    """ApiVersions returns the new level, also after a restart; a validation changes nothing."""
    update = FeatureUpdateKey(feature=TRANSACTIONS, max_version_level=1, upgrade_type=2)
    async with running_node(tmp_path, kept=True) as node:
        for validate_only, level in ((True, 2), (False, 1)):
            requested = UpdateFeaturesRequest(feature_updates=[update], validate_only=validate_only)

            response = await node.client().send(requested)

            assert response.error_code == ErrorCode.NONE
            assert await _level(node) == level
    async with running_node(tmp_path, kept=True) as node:
        assert await _level(node) == 1


async def test_a_level_of_0_is_not_finalized(tmp_path: Path) -> None:
    """Version 0 of the request allows downgrades by a flag."""
    async with running_node(tmp_path) as node:
        update = FeatureUpdateKey(feature=TRANSACTIONS, max_version_level=0, allow_downgrade=True)

        response = await node.client().send(UpdateFeaturesRequest(feature_updates=[update]), 0)

        assert response.error_code == ErrorCode.NONE
        assert await _level(node) is None


async def _level(node: RunningNode) -> int | None:
    response = await node.client().send(
        ApiVersionsRequest(client_software_name="test", client_software_version="1")
    )
    levels = {each.name: each.max_version_level for each in response.finalized_features}
    return levels.get(TRANSACTIONS)
