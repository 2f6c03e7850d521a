"""DescribeAcls, as a Kafka 4.3.1 responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_acls import (
    AclDescription,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from tests.broker.api.handlers.security.acl_requests import (
    creation,
    creations,
    description,
    secured_node,
)
from tests.client import running_node

pytestmark = pytest.mark.anyio


def described(*operations: int) -> list[AclDescription]:
    """Entries of alice."""
    return [
        AclDescription(principal="User:alice", host="*", operation=each, permission_type=3)
        for each in operations
    ]


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_entries_are_grouped_by_pattern(tmp_path: Path, version: int) -> None:
    """A literal pattern and a prefix of the same name are two."""
    async with secured_node(tmp_path) as node:
        client = node.client()
        await client.send(
            creations(creation(), creation(pattern_type=4), creation(operation=4), creation("u"))
        )

        response = await client.send(description("t"), version)

        assert response == DescribeAclsResponse(
            error_message="",
            resources=[
                DescribeAclsResource(
                    resource_type=2, resource_name="t", pattern_type=3, acls=described(3, 4)
                ),
                DescribeAclsResource(
                    resource_type=2, resource_name="t", pattern_type=4, acls=described(3)
                ),
            ],
        )


async def test_an_unknown_code_matches_nothing(tmp_path: Path) -> None:
    """ANY matches all entries, and 0 closes the connection."""
    async with secured_node(tmp_path) as node:
        client = node.client()
        await client.send(creations(creation()))

        unknown = await client.send(description(resource_type=99))
        everything = await client.send(description())
        client.start(description(operation=0))

        assert unknown == DescribeAclsResponse(error_message="", resources=[])
        assert len(everything.resources) == 1
        assert await client.closed()


async def test_without_an_authorizer_there_are_no_acls(tmp_path: Path) -> None:
    """The message differs from that of the other requests about ACLs."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(description())

        assert response == DescribeAclsResponse(
            error_code=ErrorCode.SECURITY_DISABLED,
            error_message="No Authorizer is configured on the broker",
            resources=[],
        )


async def test_a_client_that_may_not_describe_the_cluster_is_refused(tmp_path: Path) -> None:
    """It does not see entries of its own either."""
    async with secured_node(tmp_path, "User:root") as node:
        response = await node.client().send(description())

        assert response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        assert response.resources == []
