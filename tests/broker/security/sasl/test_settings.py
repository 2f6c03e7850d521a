"""The SASL settings of a listener."""

from __future__ import annotations

import pytest

from broker.common.clock import TrioClock
from broker.common.errors import StartupError
from broker.config import Config, Setting
from broker.security.principal import user
from broker.security.sasl.mechanism import AuthenticationFailed, Login
from broker.security.sasl.settings import SaslSettings
from tests.broker.security.sasl.credential_store import FakeStore

pytestmark = pytest.mark.anyio

COMMON = "org.apache.kafka.common.security."
PLAIN = f'{COMMON}plain.PlainLoginModule required user_alice="secret" username="x" password="y";'
SCRAM = f"{COMMON}scram.ScramLoginModule required;"
BEARER = f"{COMMON}oauthbearer.OAuthBearerLoginModule required;"


def settings(given: dict[str, str], listener: str = "CLIENTS") -> SaslSettings:
    """The settings with these keys."""
    config = Config.from_settings(Setting(key, value, "test") for key, value in given.items())
    return SaslSettings.of(config, listener, FakeStore(), TrioClock(0))


async def test_the_users_of_plain_are_options_of_its_line() -> None:
    """``username`` is the node's own login."""
    found = settings(
        {
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.clients.plain.sasl.jaas.config": PLAIN,
            "connection.failed.authentication.delay.ms": "7",
            "sasl.server.max.receive.size": "8",
        }
    )

    assert list(found.mechanisms) == ["PLAIN"]
    assert (found.failed_authentication_delay_ms, found.receive_bytes_max) == (7, 8)
    server = found.mechanisms["PLAIN"].server()
    server.evaluate(b"\0alice\0secret")
    assert server.login == Login(user("alice"))
    with pytest.raises(AuthenticationFailed):
        found.mechanisms["PLAIN"].server().evaluate(b"\0x\0y")


async def test_each_listener_and_mechanism_has_its_own_values() -> None:
    """The most specific one applies."""
    given = {
        "listener.name.clients.sasl.enabled.mechanisms": "SCRAM-SHA-256,OAUTHBEARER",
        "listener.name.clients.scram-sha-256.sasl.jaas.config": SCRAM,
        "listener.name.clients.oauthbearer.sasl.jaas.config": BEARER,
        "listener.name.clients.connections.max.reauth.ms": "5",
        "listener.name.clients.oauthbearer.connections.max.reauth.ms": "6",
    }

    found = settings(given).mechanisms

    assert {name: each.max_reauth_ms for name, each in found.items()} == {
        "SCRAM-SHA-256": 5,
        "OAUTHBEARER": 6,
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "sasl.enabled.mechanisms: the listener CLIENTS has GSSAPI, which is Kerberos"),
        ({"sasl.enabled.mechanisms": ""}, "sasl.enabled.mechanisms: .* has no mechanism"),
        (
            {"listener.name.clients.sasl.enabled.mechanisms": "plain"},
            "listener.name.clients.sasl.enabled.mechanisms: .* has plain, which is not a known",
        ),
        (
            {"sasl.enabled.mechanisms": "SCRAM-SHA-256", "sasl.jaas.config": SCRAM},
            "listener.name.clients.scram-sha-256.sasl.jaas.config is missing",
        ),
        (
            {
                "sasl.enabled.mechanisms": "PLAIN",
                "listener.name.clients.plain.sasl.jaas.config": SCRAM,
            },
            "names the module .*ScramLoginModule; PLAIN needs .*PlainLoginModule",
        ),
        (
            {
                "sasl.enabled.mechanisms": "PLAIN",
                "listener.name.clients.plain.sasl.jaas.config": "M required user_a=123;",
            },
            "listener.name.clients.plain.sasl.jaas.config has no value of 'user_a'",
        ),
        (
            {
                "sasl.enabled.mechanisms": "OAUTHBEARER",
                "listener.name.clients.oauthbearer.sasl.jaas.config": BEARER.replace(
                    ";", ' unsecuredValidatorAllowableClockSkewMs="x";'
                ),
            },
            "oauthbearer.sasl.jaas.config: unsecuredValidatorAllowableClockSkewMs is not a whole",
        ),
    ],
)
async def test_a_start_with_invalid_settings_fails(given: dict[str, str], message: str) -> None:
    """In one line that names the key."""
    with pytest.raises(StartupError, match=message):
        settings(given)
