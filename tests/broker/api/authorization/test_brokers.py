"""Clusters with the StandardAuthorizer: requests of clients, and of brokers to each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trio.testing

from broker.security.acl.binding import AclBinding
from broker.security.principal import user
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest
from tests.batches import batch
from tests.broker.api.handlers.transactions.transactional_producer import transactional_producer
from tests.client import Client, RunningCluster, running_cluster, running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
# The principal of brokers that connect by a PLAINTEXT listener.
BROKERS = "User:ANONYMOUS"


def alice(client: Client) -> Client:
    """The client after alice has logged in."""
    session = client.connection.session
    client.connection.session = replace(session, principal=user("alice"))
    return client


def allow(cluster: RunningCluster, operation: Operation, prefix: str) -> None:
    """Allow alice an operation on the topics with a prefix."""
    binding = AclBinding(
        resource_type=ResourceType.TOPIC,
        pattern_type=PatternType.PREFIXED,
        name=prefix,
        principal="User:alice",
        host="*",
        operation=operation,
        permission=Permission.ALLOW,
    )
    assert finish(cluster.controller.security.acls.create([binding])) == [None]


@pytest.mark.parametrize(
    ("super_users", "error"),
    [(BROKERS, ErrorCode.NONE), ("User:root", ErrorCode.REQUEST_TIMED_OUT)],
)
async def test_followers_must_be_authorized(
    tmp_path: Path, super_users: str, error: ErrorCode
) -> None:
    """Otherwise they do not replicate, and a produce with acks=all times out."""
    async with running_cluster(
        tmp_path, 2, authorizer_class_name=AUTHORIZER, super_users=super_users
    ) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        allow(cluster, Operation.WRITE, "t")
        client = alice(cluster.client(1))
        request = produce_request("t", batch(b"x"), timeout_ms=1000)

        response = await client.send(request, PRODUCE_VERSION)

        assert response.responses[0].partition_responses[0].error_code == error


async def test_new_acls_apply_to_the_next_request(tmp_path: Path) -> None:
    """To connections that exist as well."""
    async with running_node(tmp_path, authorizer_class_name=AUTHORIZER) as node:
        node.controller.create_topic("orders")
        node.controller.create_topic("other")
        client = alice(node.client())

        before = await client.send(MetadataRequest(topics=None))
        allow(node, Operation.READ, "or")
        after = await client.send(MetadataRequest(topics=None))

    assert [topic.name for topic in before.topics] == []
    assert [topic.name for topic in after.topics] == ["orders"]


async def test_transactions_of_brokers_that_are_super_users(tmp_path: Path) -> None:
    """The partition is added, the decision is replicated, and the marker is written."""
    async with running_node(
        tmp_path, authorizer_class_name=AUTHORIZER, super_users=BROKERS
    ) as node:
        producer = await transactional_producer(node)
        assert await producer.add(("a", [0])) == [("a", 0, 0)]

        error, _, _ = await producer.end()

        assert error == 0
        await trio.testing.wait_all_tasks_blocked()
        log = next(log for log in node.node.logs if log.topic_partition == ("a", 0))
        assert log.log_end_offset == 1  # the marker
