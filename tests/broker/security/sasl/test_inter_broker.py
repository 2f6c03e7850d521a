"""The mechanism by which nodes log in to each other."""

from __future__ import annotations

import pytest

from broker.common.clock import TrioClock
from broker.common.errors import StartupError
from broker.config import Config, Setting
from broker.security.sasl.inter_broker import inter_broker_client
from broker.security.sasl.mechanism import SaslClient

pytestmark = pytest.mark.anyio

MODULES = {
    "PLAIN": "plain.PlainLoginModule",
    "SCRAM-SHA-512": "scram.ScramLoginModule",
    "OAUTHBEARER": "oauthbearer.OAuthBearerLoginModule",
}


def client(mechanism: str, options: str, enabled: str | None = None) -> SaslClient:
    """A login with the options of the mechanism's line."""
    prefix = f"listener.name.int.{mechanism.lower()}"
    module = f"org.apache.kafka.common.security.{MODULES[mechanism]}"
    given = {
        "sasl.enabled.mechanisms": enabled or mechanism,
        "sasl.mechanism.inter.broker.protocol": mechanism,
        f"{prefix}.sasl.jaas.config": f"{module} required {options};",
    }
    config = Config.from_settings(Setting(key, value, "test") for key, value in given.items())
    return inter_broker_client(config, "INT", TrioClock(0))()


@pytest.mark.parametrize(
    ("mechanism", "options", "beginning"),
    [
        ("PLAIN", 'username="node" password="secret"', b"\0node\0secret"),
        ("SCRAM-SHA-512", 'username="node" password="secret"', b"n,,n=node,r="),
        ("OAUTHBEARER", 'unsecuredLoginStringClaim_sub="node"', b"n,,\x01auth=Bearer ey"),
    ],
)
async def test_a_login_has_the_options_of_its_line(
    mechanism: str, options: str, beginning: bytes
) -> None:
    """Each login is a new one."""
    login = client(mechanism, options)

    assert login.mechanism == mechanism
    assert login.first().startswith(beginning)


@pytest.mark.parametrize(
    ("mechanism", "options", "enabled", "message"),
    [
        ("PLAIN", 'username="node"', None, "int.plain.sasl.jaas.config has no password"),
        ("SCRAM-SHA-512", "", None, "int.scram-sha-512.sasl.jaas.config has no username"),
        ("OAUTHBEARER", "", None, "unsecuredLoginStringClaim_sub is missing"),
        (
            "PLAIN",
            "",
            "SCRAM-SHA-256",
            "PLAIN is not enabled for the listener INT",
        ),
    ],
)
async def test_a_start_without_the_options_fails(
    mechanism: str, options: str, enabled: str | None, message: str
) -> None:
    """In one line that names the key."""
    with pytest.raises(StartupError, match=message):
        client(mechanism, options, enabled)
