"""AlterUserScramCredentials, as a Kafka 4.3.1 responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.security.sasl.credentials import derive, salted_password
from protocol.errors import ErrorCode
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResult,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from tests.broker.api.handlers.security.acl_requests import secured_node
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio

SHA_256 = "SCRAM-SHA-256"
DERIVED = derive(SHA_256, "p", b"salt", 4096)


def upsertion(name: str, mechanism: int = 1) -> ScramCredentialUpsertion:
    """The password of a user is p."""
    return ScramCredentialUpsertion(
        name=name,
        mechanism=mechanism,
        iterations=4096,
        salt=b"salt",
        salted_password=salted_password(SHA_256, "p", b"salt", 4096),
    )


async def test_a_credential_is_used_by_logins_on_all_nodes(tmp_path: Path) -> None:
    """And not after it is removed."""
    async with running_cluster(tmp_path) as cluster:
        client = cluster.client(1)
        stores = [node.services.credentials for node in cluster.cluster.nodes]
        assert len(stores) == 3

        response = await client.send(
            AlterUserScramCredentialsRequest(deletions=[], upsertions=[upsertion("a")])
        )
        assert response.results == [AlterUserScramCredentialsResult(user="a")]
        assert [store.scram(SHA_256, "a") for store in stores] == [DERIVED] * 3

        deletion = ScramCredentialDeletion(name="a", mechanism=1)
        await client.send(AlterUserScramCredentialsRequest(deletions=[deletion], upsertions=[]))
        assert [store.scram(SHA_256, "a") for store in stores] == [None] * 3


async def test_each_user_has_its_own_result(tmp_path: Path) -> None:
    """The refused changes are in the order of a hash table."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(
            AlterUserScramCredentialsRequest(
                deletions=[ScramCredentialDeletion(name="x", mechanism=1)],
                upsertions=[upsertion("b"), upsertion("c", 3), upsertion("b", 2)],
            )
        )

        assert [(each.user, each.error_code) for each in response.results] == [
            ("b", ErrorCode.DUPLICATE_RESOURCE),
            ("c", ErrorCode.UNSUPPORTED_SASL_MECHANISM),
            ("x", ErrorCode.RESOURCE_NOT_FOUND),
        ]
        assert response.results[1].error_message == "Unknown SCRAM mechanism"


async def test_results_are_ordered_by_the_kind_of_change(tmp_path: Path) -> None:
    """Deletions, other changes, and errors, each in the order of a hash table."""
    async with running_node(tmp_path) as node:
        client = node.client()
        await client.send(
            AlterUserScramCredentialsRequest(
                deletions=[], upsertions=[upsertion("d"), upsertion("e")]
            )
        )
        deletions = [ScramCredentialDeletion(name=name, mechanism=1) for name in ("e", "a", "d")]
        upsertions = [upsertion("c"), upsertion("b")]
        response = await client.send(
            AlterUserScramCredentialsRequest(deletions=deletions, upsertions=upsertions)
        )

        assert [each.user for each in response.results] == ["d", "e", "b", "c", "a"]


async def test_a_client_that_may_not_alter_the_cluster_is_refused(tmp_path: Path) -> None:
    """Each user has one result."""
    async with secured_node(tmp_path, "User:root") as node:
        response = await node.client().send(
            AlterUserScramCredentialsRequest(
                deletions=[ScramCredentialDeletion(name="b", mechanism=1)],
                upsertions=[upsertion("a"), upsertion("b")],
            )
        )

        assert [(each.user, each.error_code) for each in response.results] == [
            ("a", ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
            ("b", ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        ]
        assert not node.node.image.scram
