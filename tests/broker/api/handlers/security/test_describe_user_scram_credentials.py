"""DescribeUserScramCredentials, as a Kafka 4.3.1 responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.security.sasl.credentials import ScramCredential
from protocol.errors import ErrorCode
from protocol.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
    UserName,
)
from tests.broker.api.handlers.security.acl_requests import secured_node
from tests.client import RunningNode, running_node

pytestmark = pytest.mark.anyio


def described(user: str, *infos: tuple[int, int]) -> DescribeUserScramCredentialsResult:
    """A user with mechanisms and iterations."""
    return DescribeUserScramCredentialsResult(
        user=user,
        error_message="",
        credential_infos=[
            CredentialInfo(mechanism=mechanism, iterations=iterations)
            for mechanism, iterations in infos
        ],
    )


def of_users(*names: str) -> DescribeUserScramCredentialsRequest:
    """A request for these users."""
    return DescribeUserScramCredentialsRequest(users=[UserName(name=name) for name in names])


def put_users(node: RunningNode) -> None:
    """The user a has both mechanisms, b one."""
    scram = node.controller.security.scram
    for user, mechanism, iterations in (
        ("a", "SCRAM-SHA-512", 8192),
        ("a", "SCRAM-SHA-256", 4096),
        ("b", "SCRAM-SHA-256", 5000),
    ):
        scram.put(user, mechanism, ScramCredential(b"s", b"k", b"k", iterations))


async def test_all_users_are_described(tmp_path: Path) -> None:
    """Null and an empty list mean all."""
    async with running_node(tmp_path) as node:
        put_users(node)

        null = await node.client().send(DescribeUserScramCredentialsRequest(users=None))
        empty = await node.client().send(of_users())

        assert null == empty
        assert null == DescribeUserScramCredentialsResponse(
            error_message="",
            results=[described("a", (1, 4096), (2, 8192)), described("b", (1, 5000))],
        )


async def test_users_that_cannot_be_described_have_errors(tmp_path: Path) -> None:
    """One without credentials, and one that occurs twice; all in the order of a hash table."""
    async with running_node(tmp_path) as node:
        put_users(node)

        response = await node.client().send(of_users("x", "a", "b", "a"))

        twice, known, unknown = response.results
        assert (unknown.user, unknown.error_code) == ("x", ErrorCode.RESOURCE_NOT_FOUND)
        assert unknown.error_message == (
            "Attempt to describe a user credential that does not exist: x"
        )
        assert (twice.user, twice.error_code) == ("a", ErrorCode.DUPLICATE_RESOURCE)
        assert twice.error_message == (
            "Cannot describe SCRAM credentials for the same user twice in a single request: a"
        )
        assert known == described("b", (1, 5000))


async def test_a_client_that_may_not_describe_the_cluster_is_refused(tmp_path: Path) -> None:
    """Each requested user has a result without name; a request for all users has none."""
    async with secured_node(tmp_path, "User:root") as node:
        put_users(node)

        named = await node.client().send(of_users("a", "b"))
        everybody = await node.client().send(DescribeUserScramCredentialsRequest(users=None))

        for response in (named, everybody):
            assert response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        assert [(each.user, each.error_code) for each in named.results] == [
            ("", ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
        ] * 2
        assert everybody.results == []
