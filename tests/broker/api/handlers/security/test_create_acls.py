"""CreateAcls, as a Kafka 4.3.1 responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.security.principal import user
from broker.security.resource import Operation, ResourceType
from broker.security.session import Session
from protocol.errors import ErrorCode
from protocol.messages.create_acls import AclCreation, AclCreationResult
from tests.broker.api.handlers.security.acl_requests import creation, creations, secured_node
from tests.client import running_node

pytestmark = pytest.mark.anyio

CREATED = AclCreationResult(error_message="")


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_a_created_acl_decides_at_once(tmp_path: Path, version: int) -> None:
    """Alice may read the topic when the response is sent."""
    async with secured_node(tmp_path) as node:
        authorizer = node.node.services.authorizer
        assert authorizer is not None
        alice = Session(user("alice"))
        assert not authorizer.authorize(alice, Operation.READ, ResourceType.TOPIC, "t")

        response = await node.client().send(creations(creation()), version)

        assert response.results == [CREATED]
        assert authorizer.authorize(alice, Operation.READ, ResourceType.TOPIC, "t")


async def test_acls_survive_a_restart(tmp_path: Path) -> None:
    """They are in the image of the restarted node."""
    async with secured_node(tmp_path, kept=True) as first:
        await first.client().send(creations(creation("a"), creation("b")))

    async with secured_node(tmp_path, kept=True) as second:
        assert {acl.name for acl in second.node.image.acls} == {"a", "b"}


async def test_an_invalid_entry_does_not_stop_the_others(tmp_path: Path) -> None:
    """Each has its own result."""
    async with secured_node(tmp_path) as node:
        response = await node.client().send(
            creations(creation(), creation(resource_type=99), creation())
        )

        invalid = AclCreationResult(
            error_code=ErrorCode.INVALID_REQUEST, error_message="Invalid resourceType UNKNOWN"
        )
        assert response.results == [CREATED, invalid, CREATED]


@pytest.mark.parametrize(
    "entry",
    [
        creation(resource_type=1),
        creation(pattern_type=1),
        creation(pattern_type=2),
        creation(operation=1),
        creation(permission=1),
    ],
)
async def test_a_value_of_filters_fails_the_request(tmp_path: Path, entry: AclCreation) -> None:
    """No entry is created, and there is no message."""
    async with secured_node(tmp_path) as node:
        response = await node.client().send(creations(creation(), entry))

        failed = AclCreationResult(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)
        assert response.results == [failed, failed]
        assert not len(node.node.image.acls)


async def test_the_code_0_closes_the_connection(tmp_path: Path) -> None:
    """No entry is created."""
    async with secured_node(tmp_path) as node:
        client = node.client()
        client.start(creations(creation(), creation(operation=0)))

        assert await client.closed()
        assert not len(node.node.image.acls)


async def test_without_an_authorizer_there_are_no_acls(tmp_path: Path) -> None:
    """An empty request is not refused."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(creations(creation()))
        empty = await node.client().send(creations())

        [result] = response.results
        assert result.error_code == ErrorCode.SECURITY_DISABLED
        assert result.error_message == "No Authorizer is configured."
        assert empty.results == []


async def test_a_client_that_may_not_alter_the_cluster_is_refused(tmp_path: Path) -> None:
    """Each entry has the error."""
    async with secured_node(tmp_path, "User:root") as node:
        response = await node.client().send(creations(creation(), creation(operation=1)))

        codes = [result.error_code for result in response.results]
        assert codes == [ErrorCode.CLUSTER_AUTHORIZATION_FAILED] * 2
        assert not len(node.node.image.acls)
