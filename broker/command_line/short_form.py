"""One listener, given by ``--host``, ``--port`` and ``--advertise`` instead of ``listeners``."""

from __future__ import annotations

from collections.abc import Mapping

from broker.command_line.options import ServeOptions
from broker.common.errors import StartupError
from broker.config import Config
from broker.config.node_settings import listener_entry
from broker.security.listeners.hosts import reachable
from broker.security.session import SecurityProtocol

# With one of these keys the listeners are those of the configuration.
LISTENER_KEYS = ("listeners", "advertised.listeners")


def config_of(options: ServeOptions) -> Config:
    """The configuration with the listener that the options determine."""
    if any(key in options.config.given for key in LISTENER_KEYS):
        return options.config
    listener = (SecurityProtocol.SSL if options.tls else SecurityProtocol.PLAINTEXT).value
    host = options.advertised_host or reachable(options.host)
    return options.config.of_node(
        {
            "listeners": listener_entry(listener, options.host, options.port),
            "advertised.listeners": listener_entry(listener, host, options.advertised_port or 0),
            "security.inter.broker.protocol": listener,
        }
    )


def check_alone(config: Config, given: Mapping[str, bool]) -> None:
    """Raise `StartupError` if an option of the short form is *given* beside a listener key."""
    keys = [key for key in LISTENER_KEYS if key in config.given]
    options = [option for option, is_given in given.items() if is_given]
    if keys and options:
        raise StartupError(f"{options[0]}: {keys[0]} is set too; give the address in one of them")
