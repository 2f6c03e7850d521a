"""Which topic names are legal (Kafka's ``Topic.validate``)."""

from __future__ import annotations

import re

from broker.common.errors import ApiError
from protocol.errors import ErrorCode

TOPIC_NAME_LENGTH_MAX = 249  # a folder name of 255, less "-", the partition and a suffix
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def check_topic_name(name: str) -> None:
    """Raise INVALID_TOPIC_EXCEPTION, with the reason, unless *name* may be a topic's name."""
    if not name:
        reason = "the empty string is not allowed"
    elif name in (".", ".."):
        reason = "'.' or '..' is not allowed"
    elif len(name) > TOPIC_NAME_LENGTH_MAX:
        reason = f"the length of '{name}' is longer than the max allowed {TOPIC_NAME_LENGTH_MAX}"
    elif not _LEGAL.fullmatch(name):
        reason = (
            f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' "
            "and '-'"
        )
    else:
        return
    raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {reason}")


def collides(name: str, existing: str) -> bool:
    """Whether two names are the same once '.' is written '_', as metric names would be."""
    return name.replace(".", "_") == existing.replace(".", "_")
