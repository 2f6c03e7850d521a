"""Changes of thread counts, with Kafka's messages."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.config.thread_counts import check_thread_counts
from protocol.errors import ErrorCode

FAILED = "Dynamic thread count update validation failed for"
TOO_MANY = "should not be greater than double"


@pytest.mark.parametrize(
    "name",
    [
        "num.io.threads",
        "num.network.threads",
        "num.replica.fetchers",
        "num.recovery.threads.per.data.dir",
        "background.threads",
        "log.cleaner.threads",
    ],
)
@pytest.mark.parametrize(("value", "allowed"), [(2, False), (3, True), (14, True), (15, False)])
def test_half_and_double_are_the_limits(name: str, value: int, allowed: bool) -> None:
    """Half of an odd number is rounded down, as in Java."""
    config = parse_config({name: "7"})

    if allowed:
        check_thread_counts(config, {name: str(value)}, {})
        return
    with pytest.raises(ApiError) as refused:
        check_thread_counts(config, {name: str(value)}, {})
    assert refused.value.code is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        (
            "num.io.threads",
            "3",
            f"{FAILED} num.io.threads=3, value should be at least half the current value 8",
        ),
        (
            "num.network.threads",
            "7",
            f"{FAILED} num.network.threads=7, value {TOO_MANY} the current value 3",
        ),
        (
            "log.cleaner.threads",
            "3",
            "Log cleaner threads cannot be increased to more than double the current value 1",
        ),
    ],
)
def test_the_messages_are_kafkas(name: str, value: str, reason: str) -> None:
    """They contain the text of the exception that Kafka's validation throws."""
    with pytest.raises(ApiError) as refused:
        check_thread_counts(parse_config({}), {name: value}, {})

    assert refused.value.message == (
        f"Invalid value org.apache.kafka.common.config.ConfigException: {reason} "
        "for configuration Invalid dynamic configuration"
    )


def test_the_cleaner_keeps_a_thread() -> None:
    """Zero is valid at the start, but not for a running broker."""
    with pytest.raises(ApiError, match="at least 1"):
        check_thread_counts(parse_config({}), {"log.cleaner.threads": "0"}, {})


def test_a_removed_number_is_validated_as_a_change() -> None:
    """The value of the next source applies then.

    A value that another overrides is not validated.
    """
    config = parse_config({"num.io.threads": "8"})
    config.reconfigure({"num.io.threads": "32"}, {})

    check_thread_counts(config, {"num.io.threads": "32"}, {"num.io.threads": "1"})
    check_thread_counts(config, {}, {"num.io.threads": "16"})
    with pytest.raises(ApiError, match="=8, value should be at least half the current value 32"):
        check_thread_counts(config, {}, {})
