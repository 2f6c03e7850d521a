"""confluent-kafka's administration of ACLs and SCRAM credentials."""
# mypy: disable-error-code="attr-defined"
# confluent-kafka's type information does not export these names.

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from antechamber import Cluster
from integration.clients.api_uses import ApiUses

TIMEOUT_S = 60


@pytest.fixture(scope="module")
def secured(against: str, api_uses: ApiUses) -> Iterator[Cluster]:
    """Three nodes with an authorizer, whose clients are super users."""
    if against != "antechamber":
        pytest.skip("tests our own broker")
    config = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with Cluster(brokers=3, config=config, records=api_uses.records()) as running:
        yield running


@pytest.fixture
def admin(secured: Cluster) -> Any:
    """An `AdminClient` of the cluster; its results have no precise types."""
    return AdminClient({"bootstrap.servers": secured.bootstrap})


def everything(name: str) -> AclBindingFilter:
    """A filter for all ACLs of a name."""
    return AclBindingFilter(
        ResourceType.ANY,
        name,
        ResourcePatternType.ANY,
        None,  # type: ignore[arg-type]  # any principal
        None,  # type: ignore[arg-type]  # any host
        AclOperation.ANY,
        AclPermissionType.ANY,
    )


def test_acls_are_created_described_and_deleted(admin: Any) -> None:
    """A literal one and a prefix; each request may reach another node."""
    acls = [
        AclBinding(
            ResourceType.TOPIC,
            "orders",
            pattern_type,
            "User:alice",
            "*",
            operation,
            AclPermissionType.ALLOW,
        )
        for pattern_type, operation in (
            (ResourcePatternType.LITERAL, AclOperation.READ),
            (ResourcePatternType.PREFIXED, AclOperation.WRITE),
        )
    ]

    for future in admin.create_acls(acls, request_timeout=TIMEOUT_S).values():
        future.result()

    described = admin.describe_acls(everything("orders"), request_timeout=TIMEOUT_S).result()
    assert sorted(map(str, described)) == sorted(map(str, acls))
    [deletion] = admin.delete_acls([everything("orders")], request_timeout=TIMEOUT_S).values()
    assert sorted(map(str, deletion.result())) == sorted(map(str, acls))
    assert not admin.describe_acls(everything("orders"), request_timeout=TIMEOUT_S).result()


def test_scram_credentials_are_set_described_and_removed(admin: Any) -> None:
    """The client derives the salted password."""
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192)
    upsertion = UserScramCredentialUpsertion("alice", info, b"secret")
    for future in admin.alter_user_scram_credentials([upsertion]).values():
        future.result()

    described = admin.describe_user_scram_credentials(["alice"])["alice"].result()
    [found] = described.scram_credential_infos
    assert (found.mechanism, found.iterations) == (ScramMechanism.SCRAM_SHA_512, 8192)

    deletion = UserScramCredentialDeletion("alice", ScramMechanism.SCRAM_SHA_512)
    for future in admin.alter_user_scram_credentials([deletion]).values():
        future.result()
    with pytest.raises(KafkaException, match="does not exist"):
        admin.describe_user_scram_credentials(["alice"])["alice"].result()
