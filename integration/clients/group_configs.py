"""Sets configurations of groups."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # imported from here by its users
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

_WITHIN_SECONDS = 60


def set_group_configs(bootstrap: str, group: str, configs: Mapping[str, str | int]) -> None:
    """Set configurations of a group, which need not exist."""
    entries = [
        ConfigEntry(key, str(value), incremental_operation=AlterConfigOpType.SET)
        for key, value in configs.items()
    ]
    resource = ConfigResource(ResourceType.GROUP, group, incremental_configs=entries)
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    [done] = admin.incremental_alter_configs([resource]).values()
    done.result(_WITHIN_SECONDS)
