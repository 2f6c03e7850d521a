"""A real client with three nodes whose only listener has TLS, a login and ACLs; one is stopped."""

from __future__ import annotations

from confluent_kafka import Consumer, KafkaError, Message, Producer

from antechamber import Cluster
from integration.machine.deadlines import eventually
from integration.security.certificates import certificates

_WITHIN_S = 120
RECORDS = 200  # in each state of the nodes


def properties() -> dict[str, str | int]:
    """Nodes log in to each other as ``broker``, a super user, and clients as ``alice``."""
    given = certificates()
    return {
        "listeners": "SECURE://127.0.0.1:0",
        "listener.security.protocol.map": "SECURE:SASL_SSL",
        "inter.broker.listener.name": "SECURE",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.secure.plain.sasl.jaas.config": (
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=broker "
            "password=word user_broker=word user_alice=secret;"
        ),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(given.server.path),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(given.authority.path),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:broker;User:alice",
        "min.insync.replicas": 2,
        "default.replication.factor": 3,
        "replica.lag.time.max.ms": 1000,
    }


def test_no_record_is_lost_while_each_node_is_stopped_once() -> None:
    """Nodes elect leaders, fetch, and join again over SASL_SSL."""
    acknowledged, errors = set[bytes | None](), list[KafkaError]()

    def delivered(error: KafkaError | None, message: Message) -> None:
        acknowledged.add(message.value()) if error is None else errors.append(error)

    with Cluster(3, topics=["t:3:3"], config=properties()) as kafka:
        client = {
            "bootstrap.servers": kafka.bootstrap,
            "security.protocol": "sasl_ssl",
            "ssl.ca.location": str(certificates().authority.path),
            "sasl.mechanism": "PLAIN",
            "sasl.username": "alice",
            "sasl.password": "secret",
        }
        producer = Producer({**client, "enable.idempotence": True})

        def produce(state: str) -> None:
            for number in range(RECORDS):
                producer.produce("t", f"{state} {number}".encode(), on_delivery=delivered)
            assert producer.flush(_WITHIN_S) == 0, state

        for node in (1, 2, 3):
            kafka.stop(node)
            produce(f"without {node}")
            kafka.start(node)
            produce(f"with {node}")
        consumer = Consumer({**client, "group.id": "g", "auto.offset.reset": "earliest"})
        consumer.subscribe(["t"])
        found = set[bytes | None]()

        def has_all() -> bool:
            found.update(each.value() for each in consumer.consume(1000, 0.5) if not each.error())
            return acknowledged <= found

        eventually(has_all, "all acknowledged records", within=_WITHIN_S)
        consumer.close()

    assert not errors
    assert len(acknowledged) == 6 * RECORDS
