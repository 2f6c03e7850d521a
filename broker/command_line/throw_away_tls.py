"""``--tls``: all TLS listeners use certificates that exist until the broker stops.

Without ``listeners``, the one listener of the short form is an SSL listener.
"""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from broker.command_line.options import ServeOptions
from broker.common.errors import StartupError
from broker.security.listeners.endpoints import configured_listeners
from broker.security.listeners.hosts import own_host, reachable
from broker.security.tls.throw_away import make_certificates

_STORES = ("ssl.keystore.location", "ssl.keystore.key", "ssl.truststore.location")


@contextmanager
def throw_away_tls(options: ServeOptions) -> Iterator[ServeOptions]:
    """The options with the settings of the certificates, which are removed in the end.

    *options* have their listeners already. Without ``--tls`` they are not changed.
    """
    if not options.tls:
        yield options
        return
    for key in _STORES:
        if key in options.config.given:
            raise StartupError(f"--tls: {key} is set too; --tls makes the certificates")
    with tempfile.TemporaryDirectory(prefix="antechamber-tls-") as folder:
        files = make_certificates(Path(folder), _hosts(options))
        config = options.config.also_given(
            {
                "ssl.keystore.type": "PEM",
                "ssl.keystore.location": files["key_store"],
                "ssl.truststore.type": "PEM",
                "ssl.truststore.location": files["ca"],
            }
        )
        yield replace(options, config=config, tls_files=files)


def _hosts(options: ServeOptions) -> set[str]:
    """The hosts by which clients and nodes may reach the listeners and the admin interface."""
    listeners = configured_listeners(options.config, options.brokers)
    endpoints = (*listeners.bound, *listeners.advertised.values())
    hosts = {options.admin.host, *(each.host for each in endpoints)}
    local = {"localhost", "127.0.0.1", "::1", socket.gethostname()}
    return local.union(*({reachable(host), own_host(host)} for host in hosts))
