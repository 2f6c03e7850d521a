"""The TLS of connections to the server with the keys of signed tokens (``JaasOptionsUtils``).

Its settings are options ``ssl.*`` of the login module, because the ``ssl.*`` keys of the listener
are for the clients and nodes of the broker.
"""

from __future__ import annotations

import ssl

from broker.config import Config, Setting
from broker.security.sasl.jaas import JaasModule
from broker.security.tls.contexts import client_context
from broker.security.tls.settings import TlsSettings

_PREFIX = "ssl."


def key_server_tls(listener: str, module: JaasModule) -> ssl.SSLContext | None:
    """The context of *module*; None if it has no option, and the system's is to be used.

    Raises `StartupError`.
    """
    options = {name: value for name, value in module.options.items() if name.startswith(_PREFIX)}
    if not options:
        return None
    origin = f"sasl.jaas.config of the listener {listener}"
    settings = [Setting(name, value, origin) for name, value in options.items()]
    settings.append(Setting("listener.security.protocol.map", f"{listener}:SSL", origin))
    return client_context(TlsSettings.of(Config.from_settings(settings), listener))
