"""DescribeClientQuotas."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio


def describe(*components: tuple[str, int, str | None]) -> DescribeClientQuotasRequest:
    """The request."""
    return DescribeClientQuotasRequest(
        components=[
            ComponentData(entity_type=kind, match_type=match_type, match=match)
            for kind, match_type, match in components
        ],
        strict=False,
    )


@pytest.mark.parametrize("version", [0, 1])
async def test_matching_entities_are_described(tmp_path: Path, version: int) -> None:
    """With all of their quotas."""
    async with running_node(tmp_path) as node:
        both = (("client-id", None), ("user", "u"))
        rates = {"producer_byte_rate": 5.0, "request_percentage": 12.5}
        node.controller.client_quotas.alter(both, rates)
        node.controller.client_quotas.alter((("client-id", "a"),), {"consumer_byte_rate": 1.0})

        response = await node.client().send(describe(("user", 0, "u")), version)

        assert (response.error_code, response.error_message) == (ErrorCode.NONE, "")
        (entry,) = response.entries
        assert tuple((each.entity_type, each.entity_name) for each in entry.entity) == both
        assert {each.key: each.value for each in entry.values} == rates


async def test_without_quotas_the_entries_are_empty(tmp_path: Path) -> None:
    """Null is for errors."""
    async with running_node(tmp_path) as node:
        assert (await node.client().send(describe())).entries == []


async def test_an_invalid_filter_is_refused(tmp_path: Path) -> None:
    """With Kafka's messages, and without entries."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(describe(("user", 7, None)))

        assert response.error_code == ErrorCode.INVALID_REQUEST
        assert response.error_message == "Unknown match type 7"
        assert response.entries is None
