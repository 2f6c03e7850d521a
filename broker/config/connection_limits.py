"""Validates limits of connections: a limit of 0 would shut out the clients that could change it.

At the start a node accepts such a limit, except for ``max.connections.per.ip`` without exceptions
(Kafka's ``ConnectionQuotas.ListenerConnectionQuota.validateReconfiguration`` and ``KafkaConfig``).
"""

from __future__ import annotations

from collections.abc import Mapping

from broker.common.errors import ApiError
from broker.config.broker_config import Config
from broker.config.listener_keys import split_listener_key
from protocol.errors import ErrorCode

_OF_LISTENERS = ("max.connections", "max.connection.creation.rate")
_PER_IP = "max.connections.per.ip"
_OVERRIDES = "max.connections.per.ip.overrides"


def check_connection_limits(
    config: Config,
    changed: Mapping[str, str],
    dynamic_broker: Mapping[str, str],
    dynamic_default: Mapping[str, str],
) -> None:
    """Raise `ApiError` INVALID_REQUEST if a limit changes to 0.

    *config* is the present configuration of the node; *dynamic_broker* and *dynamic_default* are
    its new dynamic settings. Limits of listeners that the node does not have are not checked.
    """
    listeners = {entry.partition("://")[0].lower() for entry in config.listeners}
    for name, text in changed.items():
        of_listener = split_listener_key(name, _OF_LISTENERS)
        if of_listener is not None and of_listener.owner not in listeners:
            continue
        key = name if of_listener is None else of_listener.key
        if key in _OF_LISTENERS and int(text) == 0:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"Invalid value org.apache.kafka.common.config.ConfigException: Invalid {key} 0 "
                "for configuration Invalid dynamic configuration",
            )
    given = {
        key: config.given_value(key, dynamic_broker, dynamic_default)
        for key in (_PER_IP, _OVERRIDES)
    }
    if given[_PER_IP] == 0 and not given[_OVERRIDES]:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"requirement failed: {_PER_IP} can be set to zero only if {_OVERRIDES} property is "
            "set.",
        )
