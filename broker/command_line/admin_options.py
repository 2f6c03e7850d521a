"""The options of the admin interface: ``--admin-host``, ``--admin-port`` and ``--admin-protocol``.

On loopback it is HTTP without a token. Other machines can reach another address, so a token is
required there, and HTTP without TLS must be requested.
"""

from __future__ import annotations

import argparse
import ipaddress
import os

from broker.command_line.admin_tokens import add_token_options, admin_tokens
from broker.command_line.options import PORT_MAX, AdminOptions
from broker.command_line.whole_number import whole_number
from broker.common.errors import StartupError
from broker.config import Config
from broker.security.listeners.endpoints import ADMIN_HTTP
from broker.security.listeners.hosts import without_brackets

_KEY_STORE = ("ssl.keystore.location", "ssl.keystore.key")


def add_admin_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of ``antechamber serve``."""
    default = AdminOptions()
    add = parser.add_argument
    add(
        "--admin-host",
        default=default.host,
        metavar="HOST",
        help="address of the admin interface; another one than loopback needs a token, and a "
        "certificate or --admin-protocol http (%(default)s)",
    )
    add(
        "--admin-port",
        type=whole_number("--admin-port", 0, PORT_MAX),
        default=default.port,
        metavar="PORT",
        help="port of the admin interface, 0: any free port (%(default)s)",
    )
    add(
        "--admin-protocol",
        choices=("http", "https"),
        metavar="http|https",
        help="https: with the certificate of ssl.keystore.location, of "
        f"listener.name.{ADMIN_HTTP.lower()}.ssl.keystore.location, or of --tls; by default http "
        "on loopback, and https on other addresses or with the second of these keys",
    )
    add_token_options(parser)


def admin_options(given: argparse.Namespace, config: Config) -> AdminOptions:
    """The checked options; raises `StartupError`."""
    host = without_brackets(given.admin_host)
    tokens = admin_tokens(given, os.environ)
    is_loopback = _is_loopback(host)
    if not (is_loopback or tokens.are_required):
        raise StartupError(
            f"--admin-host: {host} can be reached from other machines; "
            "give --admin-token-file as well, or a loopback address"
        )
    has_tls = not is_loopback or _has_own_key_store(config)
    if given.admin_protocol is not None:
        has_tls = given.admin_protocol == "https"
    return AdminOptions(host, given.admin_port, has_tls, tokens)


def _has_own_key_store(config: Config) -> bool:
    return any(config.for_listener_alone(ADMIN_HTTP, key) is not None for key in _KEY_STORE)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
