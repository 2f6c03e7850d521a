"""Methods of kafka-python's KafkaAdminClient about the cluster, its features and its security."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
    ScramMechanism,
    UpdateFeatureType,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafka.admin import ACLResourcePatternType as PatternType

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import Method, called

_PRINCIPAL = "User:nobody"


def _acl(on: Fixtures) -> ACL:
    pattern = ResourcePattern(ResourceType.TOPIC, on.topic)
    return ACL(_PRINCIPAL, "*", ACLOperation.READ, ACLPermissionType.ALLOW, pattern)


def _acls(name: str | None = None) -> ACLFilter:
    pattern = ResourcePatternFilter(ResourceType.TOPIC, name, PatternType.ANY)
    return ACLFilter(_PRINCIPAL, "*", ACLOperation.ANY, ACLPermissionType.ANY, pattern)


def _upserted(admin: Any, on: Fixtures) -> Any:
    credential = UserScramCredentialUpsertion(
        on.named("user"), ScramMechanism.SCRAM_SHA_256, "secret"
    )
    return admin.alter_user_scram_credentials([credential])


def _resources(admin: Any, on: Fixtures, *types: Any) -> Any:
    listed = admin.list_config_resources(list(types) or None)
    brokers = {kind: names for kind, names in listed.items() if kind.startswith("broker")}
    return brokers | {
        kind: on.mine(names)
        for kind, names in listed.items()
        if kind not in brokers and on.mine(names)
    }


METHODS: Mapping[str, Method] = {
    "alter_user_scram_credentials": called(
        defaults=_upserted,
        deletion=lambda admin, on: admin.alter_user_scram_credentials(
            [UserScramCredentialDeletion(on.absent, ScramMechanism.SCRAM_SHA_512)]
        ),
    ),
    "api_versions": called(defaults=lambda admin, _: admin.api_versions()),
    "close": called(defaults=lambda admin, _: admin.close()),
    "create_acls": called(defaults=lambda admin, on: admin.create_acls([_acl(on)])),
    "delete_acls": called(defaults=lambda admin, on: admin.delete_acls([_acls(on.absent)])),
    "describe_acls": called(defaults=lambda admin, _: admin.describe_acls(_acls())),
    "describe_cluster": called(defaults=lambda admin, _: admin.describe_cluster()),
    "describe_features": called(
        defaults=lambda admin, _: admin.describe_features(),
        controller=lambda admin, _: admin.describe_features(send_request_to_controller=True),
    ).ignoring("finalized_epoch"),
    "describe_metadata_quorum": called(
        defaults=lambda admin, _: admin.describe_metadata_quorum()
    ).ignoring(
        *("listeners", "leader_epoch", "high_watermark", "log_end_offset", "replica_directory_id"),
        *("last_fetch_timestamp", "last_caught_up_timestamp"),
    ),
    "describe_user_scram_credentials": called(
        defaults=lambda admin, on: on.mine(admin.describe_user_scram_credentials()),
        users=lambda admin, on: admin.describe_user_scram_credentials([on.absent]),
    ),
    "get_broker_version_data": called(
        defaults=lambda admin, _: admin.get_broker_version_data(1),
        absent=lambda admin, _: admin.get_broker_version_data(77),
    ),
    "list_config_resources": called(
        defaults=_resources,
        topics=lambda admin, on: _resources(admin, on, "TOPIC"),
        brokers=lambda admin, on: _resources(admin, on, "BROKER", "BROKER_LOGGER"),
        others=lambda admin, on: _resources(admin, on, "CLIENT_METRICS"),
    ).given("topic"),
    "update_features": called(
        defaults=lambda admin, _: admin.update_features({}),
        unknown=lambda admin, _: admin.update_features({"no.feature": 1}),
        validate_only=lambda admin, _: admin.update_features(
            {"metadata.version": (UpdateFeatureType.UPGRADE, 30)},
            validate_only=True,
            timeout_ms=60_000,
        ),
    ),
}
