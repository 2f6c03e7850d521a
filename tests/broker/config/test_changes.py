"""The settings of a resource after an alter request."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config.changes import ConfigChange, Operation, altered, check_changes
from protocol.errors import ErrorCode


def after(current: dict[str, str], *changes: ConfigChange) -> dict[str, str]:
    def words(name: str) -> tuple[str, ...] | None:
        text = current.get(name, "a,b")
        return tuple(filter(None, text.split(","))) if name == "list" else None

    return altered(current, changes, words, "no list: {OPERATION} {operation} {name}")


def test_a_key_is_set_and_unset() -> None:
    """The other keys are unchanged; deleting a key that is not set has no effect."""
    changes = (
        ConfigChange("x", "2"),
        ConfigChange("y", None, Operation.DELETE),
        ConfigChange("n", None, Operation.DELETE),
    )

    assert after({"x": "1", "y": "1", "z": "1"}, *changes) == {"x": "2", "z": "1"}


def test_the_first_invalid_operation_is_reported() -> None:
    """The first in the order of Java's hash table."""
    changes = [ConfigChange(name, "x", Operation.APPEND) for name in ("b", "a", "c")]

    with pytest.raises(ApiError, match=r"^no list: APPEND append a$"):
        after({}, *changes)


@pytest.mark.parametrize(
    ("current", "operation", "words", "result"),
    [
        ({"list": "a"}, Operation.APPEND, "c", "a,c"),
        ({"list": "a"}, Operation.APPEND, "a,c", "a,c"),
        ({}, Operation.APPEND, "c", "a,b,c"),
        ({"list": "a,c"}, Operation.SUBTRACT, "c", "a"),
        ({"list": "a"}, Operation.SUBTRACT, "c", "a"),
        ({"list": "a"}, Operation.SUBTRACT, "a", ""),
        ({}, Operation.SUBTRACT, "a", "b"),
    ],
)
def test_elements_of_a_list_are_appended_and_subtracted(
    current: dict[str, str], operation: Operation, words: str, result: str
) -> None:
    """The change applies to the value that is set or else to the default.

    No element is duplicated.
    """
    assert after(current, ConfigChange("list", words, operation)) == {"list": result}


def test_a_list_grows_up_to_the_length_of_a_string() -> None:
    """A longer value could be set with one request and not be returned with another."""
    half, rest = "x" * 16_383, "y" * 16_383

    fits = after({"list": half}, ConfigChange("list", rest, Operation.APPEND))
    assert len(fits["list"]) == 32_767
    with pytest.raises(ApiError, match="maximum value size of 32767 bytes") as refusal:
        after({"list": half}, ConfigChange("list", rest + "y", Operation.APPEND))
    assert refusal.value.code == ErrorCode.INVALID_CONFIG


def test_append_to_a_key_that_is_not_a_list_is_refused() -> None:
    """INVALID_CONFIG with the message of the caller."""
    with pytest.raises(ApiError) as refused:
        after({}, ConfigChange("x", "1", Operation.APPEND))

    assert refused.value.code is ErrorCode.INVALID_CONFIG
    assert refused.value.message == "no list: APPEND append x"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([ConfigChange("x", "1"), ConfigChange("x", "2")], "Error due to duplicate config keys"),
        ([ConfigChange("x", None), ConfigChange("y", None)], "Null value not supported for : x, y"),
    ],
)
def test_duplicate_keys_and_null_values_are_refused(
    changes: list[ConfigChange], message: str
) -> None:
    """INVALID_REQUEST for every type of resource."""
    with pytest.raises(ApiError) as refused:
        check_changes(changes)

    assert (refused.value.code, refused.value.message) == (ErrorCode.INVALID_REQUEST, message)
