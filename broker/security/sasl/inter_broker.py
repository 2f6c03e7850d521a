"""How nodes log in to each other (``sasl.mechanism.inter.broker.protocol``)."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.clock import Clock
from broker.common.errors import StartupError
from broker.config import Config
from broker.security.sasl.bearer import BearerClient
from broker.security.sasl.jaas import JaasModule
from broker.security.sasl.mechanism import OAUTHBEARER, PLAIN, SaslClient
from broker.security.sasl.plain import PlainClient
from broker.security.sasl.scram import ScramClient
from broker.security.sasl.settings import enabled_mechanisms, jaas_key, jaas_module
from broker.security.sasl.unsecured_token import InvalidOption, unsecured_token


def inter_broker_client(config: Config, listener: str, clock: Clock) -> Callable[[], SaslClient]:
    """Returns what begins a login at *listener*; raises `StartupError`.

    Name and password are ``username`` and ``password`` in the JAAS line of the mechanism.
    """
    mechanism = config.sasl_mechanism_inter_broker_protocol
    enabled = enabled_mechanisms(config, listener)
    if mechanism not in enabled:
        raise StartupError(
            f"sasl.mechanism.inter.broker.protocol={mechanism} is not enabled for the listener "
            f"{listener} of the nodes; give one of {', '.join(enabled)}"
        )
    module, key = jaas_module(config, listener, mechanism), jaas_key(listener, mechanism)
    if mechanism == OAUTHBEARER:
        return _bearer(module, key, clock)
    name, password = (_option(module, key, option) for option in ("username", "password"))
    if mechanism == PLAIN:
        return lambda: PlainClient(name, password)
    return lambda: ScramClient(mechanism, name, password)


def _bearer(module: JaasModule, key: str, clock: Clock) -> Callable[[], SaslClient]:
    try:
        unsecured_token(module.options, clock.wall_ms())
    except InvalidOption as error:
        raise StartupError(f"{key}: {error}; the nodes log in with it") from None
    return lambda: BearerClient(unsecured_token(module.options, clock.wall_ms()))


def _option(module: JaasModule, key: str, name: str) -> str:
    if not module.options.get(name):
        raise StartupError(f"{key} has no {name}; the nodes log in to each other with it")
    return module.options[name]
