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
        reason = f"'{name}' is not allowed"
    elif len(name) > TOPIC_NAME_LENGTH_MAX:
        longest = TOPIC_NAME_LENGTH_MAX
        reason = f"the length of '{name}' is longer than the max allowed length {longest}"
    elif not _LEGAL.fullmatch(name):
        reason = (
            f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' "
            "and '-'"
        )
    else:
        return
    raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {reason}")


def is_valid_topic_name(name: str) -> bool:
    """Whether `check_topic_name` accepts *name*."""
    try:
        check_topic_name(name)
    except ApiError:
        return False
    return True


def may_collide(name: str) -> bool:
    """Whether another name can be equal to *name* after `unified`."""
    return "." in name or "_" in name


def unified(name: str) -> str:
    """The name with '_' for '.', as in metric names; topics with equal ones collide."""
    return name.replace(".", "_")
