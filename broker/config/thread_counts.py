"""Validates changes of thread counts while a broker runs.

Kafka allows to resize a thread pool to between half and double its size (``DynamicThreadPool`` and
``LogCleaner.validateReconfiguration``). This broker has no such pools; it validates the numbers so
that a program that changes them gets the same responses as from Kafka.
"""

from __future__ import annotations

from collections.abc import Mapping

from broker.common.errors import ApiError
from broker.config.broker_config import Config
from protocol.errors import ErrorCode

_POOLS = (
    "num.network.threads",
    "num.io.threads",
    "num.replica.fetchers",
    "num.recovery.threads.per.data.dir",
    "background.threads",
)
_CLEANER = "log.cleaner.threads"


def check_thread_counts(
    config: Config, dynamic_broker: Mapping[str, str], dynamic_default: Mapping[str, str]
) -> None:
    """Raise `ApiError` INVALID_REQUEST if a thread count would change by more than a factor of 2.

    *config* is the present configuration of the node; *dynamic_broker* and *dynamic_default* are
    its new dynamic settings. Removing a setting changes the count to the value of the next source.
    """
    for name in (*_POOLS, _CLEANER):
        before, after = (
            config.value(name),
            config.given_value(name, dynamic_broker, dynamic_default),
        )
        assert isinstance(before, int)
        assert isinstance(after, int)
        if before == after:
            continue
        if name == _CLEANER and after == 0:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Log cleaner threads should be at least 1")
        if after < before // 2:
            raise _refused(_too_few(name, before, after))
        if after > before * 2:
            raise _refused(_too_many(name, before, after))


def _too_few(name: str, before: int, after: int) -> str:
    if name == _CLEANER:
        return f"Log cleaner threads cannot be reduced to less than half the current value {before}"
    return f"{_failed(name, after)}, value should be at least half the current value {before}"


def _too_many(name: str, before: int, after: int) -> str:
    if name == _CLEANER:
        return (
            "Log cleaner threads cannot be increased to more than double the current value "
            f"{before}"
        )
    return (
        f"{_failed(name, after)}, value should not be greater than double the current value "
        f"{before}"
    )


def _failed(name: str, after: int) -> str:
    return f"Dynamic thread count update validation failed for {name}={after}"


def _refused(reason: str) -> ApiError:
    """The exception with Kafka's message, which contains the name of a Java exception."""
    return ApiError(
        ErrorCode.INVALID_REQUEST,
        f"Invalid value org.apache.kafka.common.config.ConfigException: {reason} "
        "for configuration Invalid dynamic configuration",
    )
