"""Listeners on the loopback address of IPv6: clients, addresses, ACLs and nodes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, Producer
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # of its private modules
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from kafka import KafkaProducer

from antechamber import Cluster

_WITHIN_S = 30
# Hosts of ACLs are texts of Java, which writes all groups.
_LOOPBACK = "0:0:0:0:0:0:0:1"


def has_ipv6() -> bool:
    """Whether this machine has the loopback address of IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


pytestmark = pytest.mark.skipif(not has_ipv6(), reason="the machine has no IPv6")


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """Two nodes that reach each other by IPv6; anonymous clients are super users."""
    config = {
        "listeners": "NODES://[::1]:0,CLIENTS://[::1]:0",
        "listener.security.protocol.map": "NODES:PLAINTEXT,CLIENTS:SASL_PLAINTEXT",
        "inter.broker.listener.name": "NODES",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.clients.plain.sasl.jaas.config": (
            'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="secret";'
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with Cluster(
        brokers=2, topics=["t:1:2", "here:1:1", "elsewhere:1:1"], config=config
    ) as cluster:
        yield cluster


def test_clients_are_given_addresses_of_ipv6(kafka: Cluster) -> None:
    """Also those of the other node."""
    metadata = AdminClient({"bootstrap.servers": kafka.bootstrap}).list_topics(timeout=_WITHIN_S)

    assert {each.host for each in metadata.brokers.values()} == {"::1"}
    assert len(metadata.brokers) == 2


def test_a_record_is_replicated(kafka: Cluster) -> None:
    """Followers fetch from the address of the leader."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "acks": "all"})
    errors: list[KafkaError | None] = []
    producer.produce("t", b"a", on_delivery=lambda error, _: errors.append(error))

    assert producer.flush(_WITHIN_S) == 0
    assert errors == [None]


def test_kafka_python_connects(kafka: Cluster) -> None:
    """By the address in brackets."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap.split(","))

    assert producer.send("t", b"a").get(_WITHIN_S).topic == "t"

    producer.close()


def test_the_host_of_an_acl_is_javas_text(kafka: Cluster) -> None:
    """An ACL for the loopback address allows, and one for another host does not."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for topic, host in (("here", _LOOPBACK), ("elsewhere", "0:0:0:0:0:0:0:2")):
        who = ("User:alice", host, AclOperation.WRITE, AclPermissionType.ALLOW)
        binding = AclBinding(ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, *who)
        for created in admin.create_acls([binding]).values():
            created.result(_WITHIN_S)
    producer = Producer(
        {
            "bootstrap.servers": kafka.listeners["CLIENTS"],
            "security.protocol": "sasl_plaintext",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "alice",
            "sasl.password": "secret",
        }
    )
    errors: dict[str | None, str | None] = {}
    for topic in ("here", "elsewhere"):
        producer.produce(
            topic,
            b"a",
            on_delivery=lambda error, message: errors.update(
                {message.topic(): None if error is None else error.name()}
            ),
        )
    producer.flush(_WITHIN_S)

    assert errors == {"here": None, "elsewhere": "TOPIC_AUTHORIZATION_FAILED"}
