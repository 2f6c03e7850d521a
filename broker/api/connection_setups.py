"""How the connections of each listener of a node begin: with requests, TLS or a login."""

from __future__ import annotations

from collections.abc import Mapping

from broker.api.authentication.sasl_connection import SaslListener
from broker.api.authentication.sasl_setup import SaslSetup
from broker.api.dispatch import Dispatcher
from broker.api.services import Services
from broker.common.clock import Clock
from broker.config import Config
from broker.network.clients.connection_setup import ConnectionSetup, PlaintextSetup
from broker.network.clients.ssl_setup import SslSetup
from broker.network.inter_broker.inter_broker_connections import MakeLogin
from broker.network.inter_broker.sasl_login import NodeLogin
from broker.network.inter_broker.tls_connect import connect_with_tls
from broker.network.transports.transport import Connect
from broker.security.listeners.endpoints import Endpoint, configured_listeners
from broker.security.sasl.inter_broker import inter_broker_client
from broker.security.tls.listener_tls import ListenerTls
from broker.wait_records.recorder import Recorder
from purgatories.timer.system_timer import SystemTimer


def listeners_with_tls(config: Config) -> Mapping[str, ListenerTls]:
    """The TLS of each listener that has it; raises `StartupError`."""
    return {
        endpoint.listener: ListenerTls(config, endpoint.listener)
        for endpoint in configured_listeners(config).bound
        if endpoint.protocol.has_tls
    }


def connection_setups(
    services: Services,
    recorder: Recorder | None,
    timer: SystemTimer,
    tls: Mapping[str, ListenerTls],
) -> Mapping[str, ConnectionSetup]:
    """The setup of each listener of a node; raises `StartupError`."""
    dispatcher = Dispatcher(services, recorder)
    return {
        endpoint.listener: _setup(endpoint, services, dispatcher, timer, tls.get(endpoint.listener))
        for endpoint in configured_listeners(services.config).bound
    }


def _setup(
    endpoint: Endpoint,
    services: Services,
    dispatcher: Dispatcher,
    timer: SystemTimer,
    tls: ListenerTls | None,
) -> ConnectionSetup:
    config = services.config
    if endpoint.protocol.has_sasl:
        sasl = SaslListener.of(endpoint.listener, services, dispatcher, timer)
        return SaslSetup(endpoint, sasl, tls)
    if tls is None:
        return PlaintextSetup(endpoint.listener, config, dispatcher)
    return SslSetup(endpoint.listener, config, tls, dispatcher)


def connect_between_nodes(
    connect: Connect, config: Config, tls: Mapping[str, ListenerTls]
) -> Connect:
    """Opens connections to the inter-broker listener of other nodes."""
    of_listener = tls.get(configured_listeners(config).inter_broker)
    return connect if of_listener is None else connect_with_tls(connect, of_listener)


def login_between_nodes(config: Config, clock: Clock) -> MakeLogin | None:
    """Makes the logins at that listener; None if it has no SASL. Raises `StartupError`."""
    listeners = configured_listeners(config)
    name = listeners.inter_broker
    if not any(each.protocol.has_sasl for each in listeners.bound if each.listener == name):
        return None
    begin = inter_broker_client(config, name, clock)
    return lambda peer: NodeLogin(peer, begin, clock.now_ms)
