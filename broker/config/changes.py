"""What a request to alter settings makes of those there are (KIP-339), whatever they belong to.

    {"cleanup.policy": "compact"}, APPEND cleanup.policy=delete  ->  {"cleanup.policy": ...both}

Kafka's ``ConfigAdminManager`` and ``ConfigurationControlManager``. Nothing is stored here, and
whether the result may be is for whoever knows the resource.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from broker.common.errors import ApiError
from protocol.errors import ErrorCode
from protocol.string_limits import STRING_BYTES_MAX

# The words of a list by its key as they are now, set or not; None for a key that holds no list.
ListValue = Callable[[str], tuple[str, ...] | None]


class Operation(IntEnum):
    """What to do with a key (``AlterConfigOp.OpType``)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One key of a request; ``value`` is None where there is none to give."""

    name: str
    value: str | None
    operation: Operation = Operation.SET


def altered(
    current: Mapping[str, str],
    changes: Sequence[ConfigChange],
    list_value: ListValue,
    not_a_list: str,
) -> dict[str, str]:
    """*current* after *changes*, which `check_changes` has let pass.

    Raises `ApiError` INVALID_CONFIG for words that are given to a key that holds no list, in the
    words of ``not_a_list``: what is to be done stands in for OPERATION or, in small, for operation;
    and for a list that would become longer than a string of the protocol.
    """
    after = dict(current)
    for change in changes:
        if change.operation is Operation.DELETE:
            after.pop(change.name, None)
            continue
        if change.operation is Operation.SET:
            assert change.value is not None, "checked before"
            after[change.name] = change.value
        else:
            after[change.name] = _list_changed(change, list_value, not_a_list)
    return after


def check_changes(changes: Sequence[ConfigChange]) -> None:
    """Raise `ApiError` INVALID_REQUEST for a key that comes twice, or without its value."""
    if max(Counter(change.name for change in changes).values(), default=0) > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    nulls = [c.name for c in changes if c.value is None and c.operation is not Operation.DELETE]
    if nulls:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"Null value not supported for : {','.join(nulls)}"
        )


def _list_changed(change: ConfigChange, list_value: ListValue, not_a_list: str) -> str:
    present = list_value(change.name)
    if present is None:
        asked = change.operation.name
        reason = not_a_list.format(name=change.name, OPERATION=asked, operation=asked.lower())
        raise ApiError(ErrorCode.INVALID_CONFIG, reason)
    assert change.value is not None, "checked before"
    given = [word.strip() for word in change.value.split(",")]
    if change.operation is Operation.APPEND:
        known = set(present)
        return _describable(",".join((*present, *(word for word in given if word not in known))))
    taken = set(given)
    return ",".join(word for word in present if word not in taken)


def _describable(value: str) -> str:
    """The value, unless it has become too long to be described."""
    if len(value.encode()) > STRING_BYTES_MAX:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "The configuration value cannot be added because it exceeds the maximum value size of "
            f"{STRING_BYTES_MAX} bytes.",
        )
    return value
