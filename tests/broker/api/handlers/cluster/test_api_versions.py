"""ApiVersions."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.controller.metadata.features import FEATURES
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(5))
async def test_all_versions_have_the_same_ranges(tmp_path: Path, version: int) -> None:
    """Every version of the request gets the same ranges."""
    async with running_node(tmp_path) as node:
        request = ApiVersionsRequest(client_software_name="a", client_software_version="1.0")

        response = await node.client().send(request, version)

        ranges = {each.api_key: (each.min_version, each.max_version) for each in response.api_keys}
        assert ranges[1] == (4, 18)
        assert ranges[18] == (0, 4)


@pytest.mark.parametrize("name", ["", "-a", "a-", "a b", "ä"])
async def test_an_invalid_software_name_is_refused(tmp_path: Path, name: str) -> None:
    """Kafka uses the name in metrics (KIP-511)."""
    async with running_node(tmp_path) as node:
        request = ApiVersionsRequest(client_software_name=name, client_software_version="1.0")

        response = await node.client().send(request, 3)

        assert (response.error_code, response.api_keys) == (ErrorCode.INVALID_REQUEST, [])


@pytest.mark.parametrize("version", [3, 4])
async def test_the_features_of_the_cluster(tmp_path: Path, version: int) -> None:
    """Those of a new Kafka 4.3; v3 omits those that may have level 0 (KIP-584)."""
    async with running_node(tmp_path) as node:
        request = ApiVersionsRequest(client_software_name="me", client_software_version="1")

        response = await node.client().send(request, version)

        finalized = {each.name: each.max_version_level for each in response.finalized_features}
        assert finalized == {
            "eligible.leader.replicas.version": 1,
            "group.version": 1,
            "metadata.version": 30,
            "share.version": 1,
            "streams.version": 1,
            "transaction.version": 2,
        }
        supported = {each.name for each in response.supported_features}
        assert supported == ({"metadata.version"} if version == 3 else FEATURES.keys())
        assert response.finalized_features_epoch >= 0
