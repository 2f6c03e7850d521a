"""Keys of listeners."""

from __future__ import annotations

from broker.config.key import PER_BROKER, key
from broker.config.kinds import AnyList, OneOf, Text
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ListenerKeys:
    """Keys of listeners; `broker.security.listeners.endpoints` reads them together."""

    listeners: tuple[str, ...] = key(
        "listeners",
        AnyList(),
        ("PLAINTEXT://:9092",),
        "The listeners of a node, NAME://HOST:PORT. Node 1 has these ports, node 2 the next ones, "
        "and so on; port 0 is any free port. Not together with --host, --port and --advertise.",
        update_mode=PER_BROKER,
    )
    advertised_listeners: tuple[str, ...] | None = key(
        "advertised.listeners",
        AnyList(),
        None,
        "The addresses that clients of each listener are given, NAME://HOST:PORT; by default those "
        "of listeners.",
    )
    listener_security_protocol_map: str = key(
        "listener.security.protocol.map",
        Text(),
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        "The security protocol of each listener, NAME:PROTOCOL.",
        update_mode=PER_BROKER,
    )
    inter_broker_listener_name: str | None = key(
        "inter.broker.listener.name",
        Text(),
        None,
        "The listener by which nodes connect to each other; by default the one named after "
        "security.inter.broker.protocol.",
    )
    security_inter_broker_protocol: str = key(
        "security.inter.broker.protocol",
        OneOf(("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")),
        "PLAINTEXT",
        "The protocol of that listener, if inter.broker.listener.name is not set.",
    )
