"""Listeners with SASL of running nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.security.principal import user
from broker.security.sasl.credentials import derive
from broker.security.sasl.plain import PlainClient
from broker.security.sasl.scram import ScramClient
from broker.security.session import SecurityProtocol
from tests.batches import batch
from tests.broker.api.authentication.sasl_node import log_in
from tests.client import running_cluster, running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

COMMON = "org.apache.kafka.common.security."
LISTENER = {
    "listener_security_protocol_map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl_enabled_mechanisms": "PLAIN,SCRAM-SHA-256",
    "listener_name_plaintext_plain_sasl_jaas_config": (
        f'{COMMON}plain.PlainLoginModule required user_alice="secret" username="alice" '
        'password="secret";'
    ),
    "listener_name_plaintext_scram-sha-256_sasl_jaas_config": (
        f"{COMMON}scram.ScramLoginModule required;"
    ),
    "sasl_mechanism_inter_broker_protocol": "PLAIN",
}


async def test_the_users_of_the_cluster_log_in(tmp_path: Path) -> None:
    """With the credentials in its image; the session has the listener and its protocol."""
    async with running_node(tmp_path, **LISTENER) as node:  # type: ignore[arg-type]  # only texts
        credential = derive("SCRAM-SHA-256", "pencil", b"salt")
        node.controller.security.scram.put("bob", "SCRAM-SHA-256", credential)
        client = node.client()

        response = await log_in(client, ScramClient("SCRAM-SHA-256", "bob", "pencil"))

        session = client.connection.session
        assert response.error_code == 0
        assert (session.principal, session.listener) == (user("bob"), "PLAINTEXT")
        assert session.protocol is SecurityProtocol.SASL_PLAINTEXT


async def test_followers_log_in_at_leaders(tmp_path: Path) -> None:
    """A record is replicated by nodes whose only listener has SASL."""
    async with running_cluster(tmp_path, 3, **LISTENER) as cluster:  # type: ignore[arg-type]  # only texts
        cluster.controller.create_topic("t", partitions=1, replication_factor=3)
        topic = cluster.controller.image.topic("t")
        assert topic is not None
        client = cluster.client(topic.partitions[0].leader)
        await log_in(client, PlainClient("alice", "secret"))

        written = await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        assert written.responses[0].partition_responses[0].error_code == 0
        principals = [
            connection.session.principal
            for node_id in (1, 2, 3)
            for connection in cluster.node(node_id).connections
        ]

        assert len(principals) > 2
        assert set(principals) == {user("alice")}


async def test_a_listener_without_a_login_module_ends_the_start(tmp_path: Path) -> None:
    """The message names the key."""
    given = LISTENER | {"sasl_enabled_mechanisms": "PLAIN,SCRAM-SHA-512"}
    with pytest.raises(StartupError, match=r"plaintext.scram-sha-512.sasl.jaas.config is missing"):
        async with running_node(tmp_path, **given):  # type: ignore[arg-type]  # only texts
            pass
