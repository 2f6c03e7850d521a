"""How far a number of threads may change at once while a broker runs.

Kafka resizes its thread pools, at most to half or double of their size (``DynamicThreadPool`` and
``LogCleaner.validateReconfiguration``). There are no such pools here; the numbers are checked all
the same, so that a program which changes them gets the responses it would get from Kafka.
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


def check_thread_counts(config: Config, own: Mapping[str, str], shared: Mapping[str, str]) -> None:
    """Raise `ApiError` INVALID_REQUEST if a number of threads would change too far.

    *config* is what the node runs with; *own* and *shared* are what is to be set on it and on all
    nodes. Also a number that is removed changes: to the value below it.
    """
    for name in (*_POOLS, _CLEANER):
        before, after = config.value(name), config.given_value(name, own, shared)
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
    """The exception with Kafka's message, which holds the text of an exception of Kafka."""
    return ApiError(
        ErrorCode.INVALID_REQUEST,
        f"Invalid value org.apache.kafka.common.config.ConfigException: {reason} "
        "for configuration Invalid dynamic configuration",
    )
