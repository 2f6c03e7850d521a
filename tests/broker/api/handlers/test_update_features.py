"""UpdateFeatures."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.client import running_node

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
