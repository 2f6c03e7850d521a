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

from broker.errors import ApiError
from protocol.errors import ErrorCode

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
    current: Mapping[str, str], changes: Sequence[ConfigChange], list_value: ListValue
) -> dict[str, str]:
    """*current* after *changes*, which `check_changes` has let pass.

    Raises `ApiError` INVALID_CONFIG for words that are given to a key that holds no list.
    """
    after = dict(current)
    for change in changes:
        if change.operation is Operation.DELETE:
            after.pop(change.name, None)
            continue
        assert change.value is not None, "checked before"
        if change.operation is Operation.SET:
            after[change.name] = change.value
        else:
            after[change.name] = _list_changed(change, change.value, list_value)
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


def _list_changed(change: ConfigChange, value: str, list_value: ListValue) -> str:
    present = list_value(change.name)
    if present is None:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"Can't {change.operation.name} to key {change.name} because its type is not LIST.",
        )
    given = [word.strip() for word in value.split(",")]
    if change.operation is Operation.APPEND:
        return ",".join((*present, *(word for word in given if word not in present)))
    return ",".join(word for word in present if word not in given)
