"""Which topic names are valid (Kafka's ``Topic.validate``)."""

from __future__ import annotations

import re

from broker.common.errors import ApiError
from protocol.errors import ErrorCode

TOPIC_NAME_LENGTH_MAX = 249  # a directory name of 255, less "-", the partition and a suffix
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def check_topic_name(name: str) -> None:
    """Raise `ApiError` INVALID_TOPIC_EXCEPTION with the reason unless *name* is valid."""
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
    """Whether two names are equal after replacing '.' by '_', as in metric names."""
    return name.replace(".", "_") == existing.replace(".", "_")
