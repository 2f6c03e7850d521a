"""DeleteAcls, as a Kafka 4.3.1 responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.security.principal import user
from broker.security.resource import Operation, ResourceType
from broker.security.session import Session
from protocol.errors import ErrorCode
from protocol.messages.delete_acls import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
)
from tests.broker.api.handlers.security.acl_requests import (
    creation,
    creations,
    deletion,
    deletions,
    secured_node,
)
from tests.client import running_node

pytestmark = pytest.mark.anyio


def removed(name: str) -> DeleteAclsMatchingAcl:
    """A removed entry of alice."""
    return DeleteAclsMatchingAcl(
        resource_type=2,
        resource_name=name,
        pattern_type=3,
        principal="User:alice",
        host="*",
        operation=3,
        permission_type=3,
    )


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_each_filter_has_its_removed_entries(tmp_path: Path, version: int) -> None:
    """They decide nothing any more; a filter without matches has an empty result."""
    async with secured_node(tmp_path) as node:
        client = node.client()
        await client.send(creations(creation("a"), creation("b"), creation("c")))

        filters = [deletion("a"), deletion("x"), deletion("a"), deletion("b")]
        response = await client.send(deletions(*filters), version)

        assert response.filter_results == [
            DeleteAclsFilterResult(matching_acls=[removed("a")]),
            DeleteAclsFilterResult(matching_acls=[]),
            DeleteAclsFilterResult(matching_acls=[removed("a")]),
            DeleteAclsFilterResult(matching_acls=[removed("b")]),
        ]
        assert [acl.name for acl in node.node.image.acls] == ["c"]
        authorizer = node.node.services.authorizer
        assert authorizer is not None
        alice = Session(user("alice"))
        assert not authorizer.authorize(alice, Operation.READ, ResourceType.TOPIC, "a")


async def test_an_unknown_filter_does_not_stop_the_others(tmp_path: Path) -> None:
    """Each has its own result."""
    async with secured_node(tmp_path) as node:
        client = node.client()
        await client.send(creations(creation("a")))

        response = await client.send(deletions(deletion(resource_type=99), deletion()))

        refused, matched = response.filter_results
        assert refused.error_code == ErrorCode.INVALID_REQUEST
        assert refused.error_message == "Unknown patternFilter."
        assert matched.matching_acls == [removed("a")]


async def test_without_an_authorizer_there_are_no_acls(tmp_path: Path) -> None:
    """An empty request is not refused."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(deletions(deletion()))
        empty = await node.client().send(deletions())

        [result] = response.filter_results
        assert result.error_code == ErrorCode.SECURITY_DISABLED
        assert result.error_message == "No Authorizer is configured."
        assert empty.filter_results == []


async def test_a_client_that_may_not_alter_the_cluster_is_refused(tmp_path: Path) -> None:
    """Each filter has the error."""
    async with secured_node(tmp_path, "User:root") as node:
        response = await node.client().send(deletions(deletion(), deletion("a")))

        codes = [result.error_code for result in response.filter_results]
        assert codes == [ErrorCode.CLUSTER_AUTHORIZATION_FAILED] * 2
