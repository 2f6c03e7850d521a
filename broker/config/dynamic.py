"""Validates dynamic changes of broker settings (KIP-226, Kafka's ``DynamicBrokerConfig``).

A value is set for one node or, under the empty name, for all nodes; a node's own value takes
precedence. An unknown key is stored unchecked, as Kafka does for plugins. A read-only key is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from broker.common.errors import ApiError
from broker.config import Config
from broker.config.connection_limits import check_connection_limits
from broker.config.group_keys import GROUP_KEYS
from broker.config.key import UpdateMode
from broker.config.kinds import ConfigType, InvalidValue
from broker.config.refusals import empty_entry, has_empty_entry, invalid_value
from broker.config.table import KEYS, dynamic_key, known_key, may_change
from broker.config.thread_counts import check_thread_counts
from protocol.errors import ErrorCode

# The resource name of the settings for all nodes.
ALL_NODES = ""

# Kafka's message for APPEND or SUBTRACT on a broker key that is not a list.
NOT_A_LIST = "Config value {operation} is not allowed for config key: {name}"

MIN_INSYNC_REPLICAS = "min.insync.replicas"

METRIC_REPORTERS = "metric.reporters"

# Listener keys that are dynamic in Kafka and fixed here.
FIXED_LISTENERS = ("listeners", "listener.security.protocol.map")


def check_broker_configs(
    config: Config, node: str, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Raise `ApiError` INVALID_REQUEST unless settings may change from *before* to *after*.

    *config* is the present configuration of the node that validates them. *node* is a node id, or
    `ALL_NODES`.
    """
    changed = [name for name in after if after[name] != before.get(name)]
    fixed = [name for name in changed if _is_fixed(name)]
    if fixed:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Cannot update these configs dynamically: [{', '.join(fixed)}]",
        )
    for name in changed:
        if name != METRIC_REPORTERS:
            _check_value(name, after[name])
    _check_listeners(node, changed)
    _check_bounds(config, {name: after[name] for name in changed})
    _check_addresses(config, {name: after[name] for name in changed})
    _check_reporters({name: after[name] for name in changed})
    dynamic_broker, dynamic_default = (
        (config.dynamic_broker, after) if node == ALL_NODES else (after, config.dynamic_default)
    )
    check_thread_counts(config, dynamic_broker, dynamic_default)
    check_connection_limits(
        config, {name: after[name] for name in changed}, dynamic_broker, dynamic_default
    )


def check_min_insync_replicas(
    node: str, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Raise `ApiError` INVALID_CONFIG unless min.insync.replicas stays cluster-wide.

    Eligible leader replicas require it (KIP-966).
    """
    changed = after.get(MIN_INSYNC_REPLICAS) != before.get(MIN_INSYNC_REPLICAS)
    if changed and MIN_INSYNC_REPLICAS in after and node != ALL_NODES:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
        )
    if MIN_INSYNC_REPLICAS in before and MIN_INSYNC_REPLICAS not in after:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
        )


def _is_fixed(name: str) -> bool:
    return not may_change(name)


def _check_listeners(node: str, names: Sequence[str]) -> None:
    """Raise `ApiError` for a listener's key without listener, or a node's key for all nodes."""
    keys = [(name, known_key(name)) for name in names]
    wide = [name for name, key in keys if key is not None and key.per_listener and name == key.name]
    if wide:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "These security configs can be dynamically updated only per-listener using the "
            f"listener prefix: [{', '.join(wide)}]",
        )
    single = [
        name for name, key in keys if key is not None and key.update_mode is UpdateMode.PER_BROKER
    ]
    if single and node == ALL_NODES:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs at default cluster level, broker id must be specified: "
            f"[{', '.join(single)}]",
        )


def _check_addresses(config: Config, changed: Mapping[str, str]) -> None:
    """Raise `ApiError` if a node would have to change its listeners, which Kafka's nodes can."""
    for name in FIXED_LISTENERS:
        if name in changed and KEYS[name].kind.parse(changed[name]) != config.value(name):
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"{name} cannot change while this broker runs: restart it with the new value.",
            )


def _check_reporters(changed: Mapping[str, str]) -> None:
    """Raise `ApiError` for a class that is no metrics reporter (``DynamicMetricsReporters``)."""
    if METRIC_REPORTERS not in changed:
        return
    kind, text = KEYS[METRIC_REPORTERS].kind, changed[METRIC_REPORTERS]
    try:
        kind.parse(text)
    except InvalidValue:
        if has_empty_entry(text):
            raise ApiError(ErrorCode.INVALID_REQUEST, empty_entry(METRIC_REPORTERS)) from None
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "Invalid value org.apache.kafka.common.config.ConfigException: Validation of dynamic "
            f"config update of Set({', '.join(changed)}) failed with class class "
            "kafka.server.DynamicMetricsReporters for configuration Invalid dynamic configuration",
        ) from None


def _check_bounds(config: Config, changed: Mapping[str, str]) -> None:
    """Raise `ApiError` for a default of groups outside of the bounds of groups."""
    for key in GROUP_KEYS.values():
        if key.broker_key is None or key.lowest is None or key.highest is None:
            continue
        if key.broker_key not in changed:
            continue
        value = key.kind.parse(changed[key.broker_key])
        lowest, highest = config.value(key.lowest), config.value(key.highest)
        assert isinstance(value, int)
        assert isinstance(lowest, int)
        assert isinstance(highest, int)
        if value < lowest:
            message = f"{key.broker_key} must be greater than or equal to {key.lowest}"
            raise ApiError(ErrorCode.INVALID_REQUEST, message)
        if value > highest:
            message = f"{key.broker_key} must be less than or equal to {key.highest}"
            raise ApiError(ErrorCode.INVALID_REQUEST, message)


def list_value(config: Config, overrides: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    """The elements of a list key, from *overrides* or else *config*; None if it is not a list.

    Raises `ApiError` INVALID_CONFIG for an unknown key.
    """
    key = KEYS.get(name)
    if key is None:
        raise ApiError(ErrorCode.INVALID_CONFIG, f"Unknown config name: {name}")
    if key.kind.config_type is not ConfigType.LIST:
        return None
    value = key.kind.parse(overrides[name]) if name in overrides else config.value(name)
    assert isinstance(value, tuple)
    return value


def _check_value(name: str, text: str) -> None:
    key = dynamic_key(name)
    if key is None:
        return
    try:
        key.kind.parse(text)
    except InvalidValue:
        raise ApiError(ErrorCode.INVALID_REQUEST, invalid_value(key.name, key.kind, text)) from None
