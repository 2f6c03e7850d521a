"""The listeners of a configuration: their names, protocols and addresses (``SocketServerConfigs``).

    listeners=INTERNAL://:9092,EXTERNAL://0.0.0.0:9094
    advertised.listeners=INTERNAL://broker:9092,EXTERNAL://localhost:9094
    listener.security.protocol.map=INTERNAL:PLAINTEXT,EXTERNAL:SASL_SSL
    inter.broker.listener.name=INTERNAL

Listeners of the controller (``controller.listener.names``) are left out: there are none here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from broker.config import Config, ConfigError
from broker.security.session import SecurityProtocol
from protocol.lazy_dataclass import dataclass

PORT_MAX = 65535
# The name by which the admin interface has TLS settings of its own; no listener may have it.
ADMIN_HTTP = "ADMIN-HTTP"

_ENTRY = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)")
_NONROUTABLE = "0.0.0.0"  # noqa: S104 - compared with, not bound to


class Endpoint(NamedTuple):
    """An address of a listener; port 0 is any free port, and an empty host all addresses."""

    listener: str
    protocol: SecurityProtocol
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Listeners:
    """The listeners of the first node.

    ``bound`` are the addresses to listen at. ``advertised`` are those that clients are given, by
    listener; a listener without one is not reported to clients. ``inter_broker`` is the listener by
    which nodes connect to each other.
    """

    bound: tuple[Endpoint, ...]
    advertised: Mapping[str, Endpoint]
    inter_broker: str


def configured_listeners(config: Config, nodes: int = 1) -> Listeners:
    """The listeners of *config*, for that number of nodes; raises `ConfigError`."""
    protocols = _protocols(config)
    controllers = _controller_listeners(config)
    bound = _endpoints("listeners", config.listeners, protocols, controllers)
    _check_ports(bound, nodes)
    advertised = bound
    if config.advertised_listeners is not None:
        given = config.advertised_listeners
        advertised = _endpoints("advertised.listeners", given, protocols, controllers)
    _check_advertised(bound, advertised)
    by_name = {endpoint.listener: endpoint for endpoint in advertised}
    return Listeners(bound, by_name, _inter_broker(config, protocols, by_name, controllers))


def protocol_of(config: Config, listener: str) -> SecurityProtocol | None:
    """The protocol of a listener; None if it has none. Raises `ConfigError`."""
    return _protocols(config).get(listener)


def _controller_listeners(config: Config) -> frozenset[str]:
    names = config.value("controller.listener.names")
    return frozenset(name.upper() for name in names) if isinstance(names, tuple) else frozenset()


def _protocols(config: Config) -> dict[str, SecurityProtocol]:
    """The protocol of each listener in the map."""
    key, protocols = "listener.security.protocol.map", dict[str, SecurityProtocol]()
    entries = dict.fromkeys(map(str.strip, config.listener_security_protocol_map.split(",")))
    for entry in filter(None, entries):
        name, _, protocol = (part.strip().upper() for part in entry.rpartition(":"))
        if not name:
            raise ConfigError(f"{key}: {entry!r} is not NAME:PROTOCOL")
        if protocol not in SecurityProtocol.__members__:
            known = ", ".join(SecurityProtocol)
            raise ConfigError(
                f"{key}: {entry!r} has no security protocol; give {name}: and one of {known}"
            )
        if name in protocols:
            raise ConfigError(f"{key}: {name} is given twice")
        protocols[name] = SecurityProtocol(protocol)
    return protocols


def _endpoints(
    key: str,
    entries: Sequence[str],
    protocols: Mapping[str, SecurityProtocol],
    controllers: frozenset[str],
) -> tuple[Endpoint, ...]:
    found: dict[str, Endpoint] = {}
    names: set[str] = set()
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        if match is None or not match[1]:
            raise ConfigError(f"{key}: {entry!r} is not NAME://HOST:PORT")
        name, host, port = match[1].upper(), match[2], int(match[3])
        if name in names:
            raise ConfigError(f"{key}: each listener has a name of its own, and {name} is twice")
        names.add(name)
        if name in controllers:
            continue
        if name == ADMIN_HTTP:
            raise ConfigError(f"{key}: {name} is the name of the admin interface; give another one")
        if name not in protocols:
            raise ConfigError(
                f"{key}: {name} has no security protocol; give it in listener.security.protocol.map"
            )
        if not 0 <= port <= PORT_MAX:
            raise ConfigError(f"{key}: {entry}: the port is not from 0 to {PORT_MAX}")
        found[name] = Endpoint(name, protocols[name], host, port)
    if not found:
        raise ConfigError(f"{key} has no listener for clients; give NAME://HOST:PORT")
    return tuple(found.values())


def _check_ports(endpoints: Sequence[Endpoint], nodes: int) -> None:
    """Raise `ConfigError` if two listeners need the same port of the same address."""
    for index, one in enumerate(endpoints):
        if one.port and one.port + nodes - 1 > PORT_MAX:
            raise ConfigError(
                f"listeners: {one.listener} needs the ports up to {one.port + nodes - 1} for "
                f"{nodes} brokers, and {PORT_MAX} is the last"
            )
        for other in endpoints[:index]:
            if not (one.port and other.port) or abs(one.port - other.port) >= nodes:
                continue
            if one.port == other.port and _have_both_families(one.host, other.host):
                continue
            raise ConfigError(
                f"listeners: {other.listener} and {one.listener} need the same port"
                f"{'' if nodes == 1 else f', since {nodes} brokers have {nodes} ports each'}"
            )


def _have_both_families(one: str, other: str) -> bool:
    """Whether one host is an IPv4 address, and the other an IPv6 address."""
    dotted = re.compile(r"[0-9.]+")
    hosts = {":" in host for host in (one, other)}
    return len(hosts) == 2 and any(dotted.fullmatch(host) for host in (one, other))


def _check_advertised(bound: Sequence[Endpoint], advertised: Sequence[Endpoint]) -> None:
    names = {endpoint.listener for endpoint in bound}
    for endpoint in advertised:
        if endpoint.listener not in names:
            raise ConfigError(
                f"advertised.listeners: {endpoint.listener} is not in listeners; "
                f"{', '.join(sorted(names))} is"
            )
        if endpoint.host == _NONROUTABLE:
            raise ConfigError(
                f"advertised.listeners: clients cannot connect to {_NONROUTABLE}; "
                f"give an address for {endpoint.listener}"
            )


def _inter_broker(
    config: Config,
    protocols: Mapping[str, SecurityProtocol],
    advertised: Mapping[str, Endpoint],
    controllers: frozenset[str],
) -> str:
    key, name = "inter.broker.listener.name", config.inter_broker_listener_name
    if name is None:
        key, name = "security.inter.broker.protocol", config.security_inter_broker_protocol
    elif "security.inter.broker.protocol" in config.given:
        raise ConfigError(f"{key}: security.inter.broker.protocol is set too; give one of them")
    name = name.upper()
    if name in controllers:
        raise ConfigError(f"{key}: {name} is a listener of the controller")
    if name not in protocols:
        raise _unusable(key, f"{name} is not in listener.security.protocol.map", advertised)
    if name not in advertised:
        raise _unusable(key, f"{name} is no advertised listener", advertised)
    return name


def _unusable(key: str, reason: str, advertised: Iterable[str]) -> ConfigError:
    names = ", ".join(advertised)
    return ConfigError(f"{key}: {reason}; set inter.broker.listener.name to one of {names}")
