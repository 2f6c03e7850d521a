"""A key that limits a config of groups, such as ``group.share.min.session.timeout.ms``."""

from __future__ import annotations

from typing import Any

from broker.config.key import key
from broker.config.kinds import Kind


def group_bound(name: str, kind: Kind, default: int, what: str) -> Any:
    """Declare a key as `key` does; its name contains the type of the groups."""
    groups = name.split(".")[1]
    return key(
        name, kind, default, f"The {what} that can be set, for all {groups} groups or for one."
    )
