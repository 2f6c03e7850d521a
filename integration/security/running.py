"""A secured node for tests of clients: our broker or a real Kafka, prepared for all users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from antechamber import Cluster
from broker.security.resource import CLUSTER_NAME, Operation, PatternType, ResourceType
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import eventually
from integration.parity.acls import acl_filter, creation, described
from integration.security.client_settings import SCRAM_PASSWORD, SCRAM_USER
from integration.security.sasl import ITERATIONS, SHA_256, SHA_512, salted
from integration.security.secured import Secured
from integration.wire.connection import Connection
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from protocol.messages.create_acls import CreateAclsRequest

PREFIX = "secure-"  # of the topics and groups that every user may use
_SALT = b"salt-of-scram"


class Running(NamedTuple):
    """``listeners`` has the address of each listener."""

    listeners: Mapping[str, str]
    node: Cluster | RealKafka


@contextmanager
def running_secured(
    against: str, others: Mapping[str, str] | None = None, *, records: Path | None = None
) -> Iterator[Running]:
    """Start a node whose users may use all topics and groups that begin with `PREFIX`.

    others: further properties; records: a file for wait records, of our broker only.
    """
    single = {
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "group.initial.rebalance.delay.ms": "0",
    }
    secured = Secured({**single, **(others or {})})
    started: Cluster | RealKafka
    if against == "kafka":
        started = RealKafka(
            1,
            secured.properties,
            quick=True,
            listeners=secured.listeners,
            jvm_options=secured.jvm_options,
        )
    else:
        started = Cluster(properties=secured.file, records=records)
    with started as node:
        _prepare(secured.listeners["PLAINTEXT"])
        yield Running(secured.listeners, node)


def _prepare(bootstrap: str) -> None:
    """Create the SCRAM user and the ACLs."""
    with Connection(bootstrap) as connection:
        for mechanism, code in ((SHA_256, 1), (SHA_512, 2)):
            upsertion = ScramCredentialUpsertion(
                name=SCRAM_USER,
                mechanism=code,
                iterations=ITERATIONS,
                salt=_SALT,
                salted_password=salted(mechanism, SCRAM_PASSWORD, _SALT),
            )
            request = AlterUserScramCredentialsRequest(deletions=[], upsertions=[upsertion])
            assert _sent(connection, request).results[0].error_code == 0
        every = Operation.ALL
        entries = [
            creation("User:*", every, kind, PREFIX, pattern=PatternType.PREFIXED)
            for kind in (ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID)
        ]
        idempotent = Operation.IDEMPOTENT_WRITE
        entries.append(creation("User:*", idempotent, ResourceType.CLUSTER, CLUSTER_NAME))
        _sent(connection, CreateAclsRequest(creations=entries))
        eventually(
            lambda: len(described(_sent(connection, acl_filter("User:*")))) == len(entries),
            "the ACLs",
        )


def _sent(connection: Connection, request: Any) -> Any:
    spec = request.__spec__
    version = spec.versions[-1]
    frame = connection.request(encode_request(request, version, 1, "tests"))
    return decode_response(RESPONSES[spec.key], version, frame)[1]
