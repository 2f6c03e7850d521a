"""Settings of brokers that may change while they run (KIP-226): which, and to what.

A value is set for one node, or under the empty name for all of them; the node's own counts more.
Kafka's ``DynamicBrokerConfig``. A key that nobody knows is kept as it comes, as Kafka does for
plugins; a key of brokers that cannot change while they run is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from broker.common.errors import ApiError
from broker.config import Config
from broker.config.group_keys import GROUP_KEYS
from broker.config.key import Change
from broker.config.kinds import ConfigType, Unfit
from broker.config.refusals import invalid_value
from broker.config.table import KEYS, known_key, may_change
from broker.config.thread_counts import check_thread_counts
from protocol.errors import ErrorCode

# The name of the settings that count for every node which has none of its own.
ALL_NODES = ""

# Kafka's words for words that are added to a broker's key which holds no list.
NOT_A_LIST = "Config value {operation} is not allowed for config key: {name}"

MIN_INSYNC_REPLICAS = "min.insync.replicas"

# The keys of listeners that Kafka changes while a node runs, and this broker does not.
FIXED_LISTENERS = ("listeners", "listener.security.protocol.map")


def check_broker_configs(
    config: Config, node: str, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Raise `ApiError` INVALID_REQUEST unless settings may change from *before* to *after*.

    *config* is what the node that checks them runs with. *node* is its id, or `ALL_NODES`.
    """
    changed = [name for name in after if after[name] != before.get(name)]
    fixed = [name for name in changed if _is_fixed(name)]
    if fixed:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Cannot update these configs dynamically: [{', '.join(fixed)}]",
        )
    for name in changed:
        _check_value(name, after[name])
    _check_listeners(node, changed)
    _check_bounds(config, {name: after[name] for name in changed})
    _check_addresses(config, {name: after[name] for name in changed})
    own, shared = (config.own, after) if node == ALL_NODES else (after, config.shared)
    check_thread_counts(config, own, shared)


def check_min_insync_replicas(
    node: str, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Raise `ApiError` INVALID_CONFIG unless min.insync.replicas stays one for the whole cluster.

    Eligible leader replicas need that (KIP-966).
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
    """Raise `ApiError` for keys of one node or of one listener that are set more widely."""
    keys = [(name, known_key(name)) for name in names]
    wide = [name for name, key in keys if key is not None and key.per_listener and name == key.name]
    if wide:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "These security configs can be dynamically updated only per-listener using the "
            f"listener prefix: [{', '.join(wide)}]",
        )
    own = [name for name, key in keys if key is not None and key.change is Change.PER_BROKER]
    if own and node == ALL_NODES:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs at default cluster level, broker id must be specified: "
            f"[{', '.join(own)}]",
        )


def _check_addresses(config: Config, changed: Mapping[str, str]) -> None:
    """Raise `ApiError` if a node would have to listen elsewhere, which Kafka's nodes can."""
    for name in FIXED_LISTENERS:
        if name in changed and KEYS[name].kind.parse(changed[name]) != config.value(name):
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"{name} cannot change while this broker runs: restart it with --host, --port and "
                "--advertise.",
            )


def _check_bounds(config: Config, changed: Mapping[str, str]) -> None:
    """Raise `ApiError` for an assignment interval of all groups that no group may have."""
    for key in GROUP_KEYS.values():
        if key.behind is None or key.lowest is None or key.highest is None:
            continue
        if key.behind not in changed:
            continue
        value = key.kind.parse(changed[key.behind])
        lowest, highest = config.value(key.lowest), config.value(key.highest)
        assert isinstance(value, int)
        assert isinstance(lowest, int)
        assert isinstance(highest, int)
        if value < lowest:
            words = f"{key.behind} must be greater than or equal to {key.lowest}"
            raise ApiError(ErrorCode.INVALID_REQUEST, words)
        if value > highest:
            words = f"{key.behind} must be less than or equal to {key.highest}"
            raise ApiError(ErrorCode.INVALID_REQUEST, words)


def list_value(config: Config, overrides: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    """The words of a list among *overrides*, or else as it is; None if it holds no list.

    Raises `ApiError` INVALID_CONFIG for a key that nobody knows.
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
    key = KEYS.get(name)
    if key is None:
        return
    try:
        key.kind.parse(text)
    except Unfit:
        raise ApiError(ErrorCode.INVALID_REQUEST, invalid_value(name, key.kind, text)) from None
