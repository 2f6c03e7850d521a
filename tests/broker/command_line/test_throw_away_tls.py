"""``--tls`` gives all TLS listeners certificates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from broker.command_line.arguments import parse_arguments
from broker.command_line.options import ServeOptions
from broker.command_line.short_form import config_of
from broker.command_line.throw_away_tls import throw_away_tls
from broker.common.errors import StartupError
from broker.security.listeners.endpoints import configured_listeners
from broker.security.session import SecurityProtocol


def options(*arguments: str) -> ServeOptions:
    """The options with their listeners."""
    parsed = parse_arguments(arguments)
    return replace(parsed, config=config_of(parsed))


def test_the_one_listener_uses_tls() -> None:
    """Nodes connect to each other by it, too. The files are removed in the end."""
    with throw_away_tls(options("--tls")) as with_tls:
        listeners = configured_listeners(with_tls.config)
        assert [each.protocol for each in listeners.bound] == [SecurityProtocol.SSL]
        assert listeners.inter_broker == "SSL"
        key_store = Path(with_tls.tls_files["key_store"])
        assert with_tls.config.ssl_keystore_location == str(key_store)
        assert key_store.exists()

    assert not key_store.exists()


def test_listeners_of_the_configuration_keep_their_protocols() -> None:
    """A listener without TLS is not changed."""
    given = options("--tls", "-c", "listeners=PLAINTEXT://:0,SSL://:0")

    with throw_away_tls(given) as with_tls:
        protocols = {each.protocol for each in configured_listeners(with_tls.config).bound}

    assert protocols == {SecurityProtocol.PLAINTEXT, SecurityProtocol.SSL}


def test_without_the_option_nothing_changes() -> None:
    """No files are made."""
    given = options()

    with throw_away_tls(given) as same:
        assert same is given


def test_a_key_store_beside_the_option_is_refused() -> None:
    """The message names both."""
    given = options("--tls", "-c", "ssl.keystore.location=/k")

    with (
        pytest.raises(StartupError, match=r"--tls: ssl\.keystore\.location is set too"),
        throw_away_tls(given),
    ):
        pass
