"""The settings of a resource after an alter request (KIP-339), for every type of resource.

    {"cleanup.policy": "compact"}, APPEND cleanup.policy=delete  ->  {"cleanup.policy": ...both}

Changes are made in the order of Java's ``HashMap``; the first one that is invalid is reported.

Kafka's ``ConfigAdminManager`` and ``ConfigurationControlManager``. The caller validates the result
for its resource and stores it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum

from broker.common.errors import ApiError
from broker.common.java_hash import in_checked_order
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.string_limits import STRING_BYTES_MAX

# Maps a key to the elements of its present value; None for a key whose type is not LIST.
ListValue = Callable[[str], tuple[str, ...] | None]


class Operation(IntEnum):
    """The operation on a key (``AlterConfigOp.OpType``)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


OPERATIONS = frozenset(Operation)
_OF_LISTS = (Operation.APPEND, Operation.SUBTRACT)


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One key of a request; ``value`` may be None only for DELETE.

    The ``operation`` of a request may be unknown.
    """

    name: str
    value: str | None
    operation: int = Operation.SET


def altered(
    current: Mapping[str, str],
    changes: Sequence[ConfigChange],
    list_value: ListValue,
    not_a_list: str,
) -> dict[str, str]:
    """*current* after *changes*, whose operations are known and which `check_changes` accepted.

    Raises `ApiError` INVALID_CONFIG for APPEND or SUBTRACT on a key that is not a list, with the
    message ``not_a_list`` formatted with name, OPERATION and operation (in lower case); and for a
    list that would be longer than a string of the protocol.
    """
    after = dict(current)
    for change in _in_order(changes):
        if change.operation == Operation.DELETE:
            after.pop(change.name, None)
            continue
        if change.operation == Operation.SET:
            assert change.value is not None, "checked before"
            after[change.name] = change.value
        else:
            after[change.name] = _list_changed(change, list_value, not_a_list)
    return after


def reaches_unknown(changes: Sequence[ConfigChange], list_value: ListValue) -> bool:
    """Whether an operation is unknown, and none before it is on a key that is not a list."""
    for change in _in_order(changes):
        if change.operation not in OPERATIONS:
            return True
        if change.operation in _OF_LISTS and list_value(change.name) is None:
            return False
    return False


def check_changes(changes: Sequence[ConfigChange]) -> None:
    """Raise `ApiError` INVALID_REQUEST for a duplicate key or a missing value."""
    if max(Counter(change.name for change in changes).values(), default=0) > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    nulls = [c.name for c in changes if c.value is None and c.operation != Operation.DELETE]
    if nulls:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(nulls)}"
        )


def _in_order(changes: Sequence[ConfigChange]) -> Iterator[ConfigChange]:
    by_name = {change.name: change for change in changes}
    return (by_name[name] for name in in_checked_order(by_name))


def _list_changed(change: ConfigChange, list_value: ListValue, not_a_list: str) -> str:
    present = list_value(change.name)
    if present is None:
        operation = Operation(change.operation).name
        reason = not_a_list.format(
            name=change.name, OPERATION=operation, operation=operation.lower()
        )
        raise ApiError(ErrorCode.INVALID_CONFIG, reason)
    assert change.value is not None, "checked before"
    given = [entry.strip() for entry in change.value.split(",")]
    if change.operation == Operation.APPEND:
        known = set(present)
        return _describable(",".join((*present, *(entry for entry in given if entry not in known))))
    taken = set(given)
    return ",".join(entry for entry in present if entry not in taken)


def _describable(value: str) -> str:
    """Return *value*; raise `ApiError` INVALID_CONFIG if it is too long for DescribeConfigs."""
    if len(value.encode()) > STRING_BYTES_MAX:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "The configuration value cannot be added because it exceeds the maximum value size of "
            f"{STRING_BYTES_MAX} bytes.",
        )
    return value
