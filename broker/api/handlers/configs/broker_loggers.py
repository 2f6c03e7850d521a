"""The loggers of this process and their levels, as requests describe and alter them (KIP-412).

Behaviour: a logger without a level of its own has that of the nearest logger above it; DELETE
removes its own level. Nothing is stored: after a restart all levels are those of the start. The
node checks and changes levels, and not the controller (``ConfigAdminManager``,
``Log4jController``).

Deviations: the loggers are those of Python's ``logging`` in this process, which all nodes share.
FATAL is Python's CRITICAL, and TRACE is a level below DEBUG.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from broker.common.errors import ApiError
from broker.config.changes import ConfigChange, Operation
from protocol.errors import ErrorCode

ROOT = "root"
_TRACE = 5
_LEVELS: Mapping[str, int] = MappingProxyType(
    {
        "TRACE": _TRACE,
        "DEBUG": logging.DEBUG,
        "INFO": logging.INFO,
        "WARN": logging.WARNING,
        "ERROR": logging.ERROR,
        "FATAL": logging.CRITICAL,
    }
)


def logger_levels() -> Iterator[tuple[str, str]]:
    """The name and the level of each logger."""
    for name, logger in _loggers().items():
        yield name, _level_name(logger.getEffectiveLevel())


def alter_levels(changes: Sequence[ConfigChange], *, validate_only: bool) -> None:
    """Change levels, at once, or raise `ApiError` for the first change that is not allowed."""
    loggers = _loggers()
    for change in changes:
        _check(change, loggers)
    if not validate_only:
        for change in changes:
            level = logging.NOTSET
            if change.operation == Operation.SET:
                assert change.value is not None, "checked before"
                level = _LEVELS[change.value]
            loggers[change.name].setLevel(level)


def _loggers() -> dict[str, logging.Logger]:
    """The loggers by name; names that only loggers below them have are none."""
    known = logging.Logger.manager.loggerDict.items()
    return {ROOT: logging.getLogger()} | {
        name: each for name, each in known if isinstance(each, logging.Logger)
    }


def _level_name(level: int) -> str:
    """The name of the lowest level that is logged."""
    return next((name for name, known in _LEVELS.items() if level <= known), "FATAL")


def _check(change: ConfigChange, loggers: Mapping[str, logging.Logger]) -> None:
    name, operation = change.name, change.operation
    if operation in (Operation.APPEND, Operation.SUBTRACT):
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"{Operation(operation).name} operation is not allowed for the BROKER_LOGGER resource",
        )
    if operation not in (Operation.SET, Operation.DELETE):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    if name not in loggers:
        raise ApiError(ErrorCode.INVALID_CONFIG, f"Logger {name} does not exist!")
    if operation == Operation.DELETE and name == ROOT:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Removing the log level of the {ROOT} logger is not allowed",
        )
    if operation == Operation.SET and change.value not in _LEVELS:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"Cannot set the log level of {name} to {change.value} as it is not a supported log "
            f"level. Valid log levels are {', '.join(sorted(_LEVELS))}",
        )
