"""Valid topic names."""

from __future__ import annotations

import re

import pytest

from broker.common.errors import ApiError
from broker.controller.metadata.topic_names import TOPIC_NAME_LENGTH_MAX, check_topic_name
from protocol.errors import ErrorCode


@pytest.mark.parametrize("name", ["a", "orders.v1", "A_b-9", "x" * 249, "...", "__internal"])
def test_valid_names(name: str) -> None:
    """Letters, digits, '.', '_' and '-', at most 249 characters."""
    check_topic_name(name)

    assert len(name) <= TOPIC_NAME_LENGTH_MAX


@pytest.mark.parametrize("name", ["", ".", "..", "x" * 250, "a b", "a/b", "ä", "a\n", "a\x00"])
def test_invalid_names(name: str) -> None:
    """All others are refused with Kafka's error code."""
    with pytest.raises(ApiError) as refusal:
        check_topic_name(name)

    assert refusal.value.code is ErrorCode.INVALID_TOPIC_EXCEPTION


def test_the_reason_of_a_long_name() -> None:
    """The words of Kafka 4.3.1."""
    name = "x" * 250
    with pytest.raises(ApiError) as refusal:
        check_topic_name(name)

    reason = f"the length of '{name}' is longer than the max allowed length 249"
    assert refusal.value.message == f"Topic name is invalid: {reason}"


@pytest.mark.parametrize("name", [".", ".."])
def test_the_reason_names_the_dots(name: str) -> None:
    """As in ``Topic.validate``."""
    with pytest.raises(ApiError, match=re.escape(f"Topic name is invalid: '{name}' is not")):
        check_topic_name(name)
