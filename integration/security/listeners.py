"""The listeners of brokers with security, and their properties, equal for both systems.

The clients of PLAINTEXT are super users, so that tests can prepare topics, users and ACLs there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from integration.security.certificates import certificates
from integration.security.signed_tokens import AUDIENCE, ISSUER, key_set
from integration.security.users import ADMIN, OWN_PASSWORD, jaas_of_plain

FAILURE_DELAY_MS = 2000
REAUTHENTICATION_MS = 5000
SCRAM_REAUTHENTICATION_MS = 777_777
RECEIVE_SIZE_MAX = 524_288

_SCRAM_JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_BEARER_JAAS = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
_UNSECURED_JAAS = f'{_BEARER_JAAS} unsecuredLoginStringClaim_sub="broker";'
_VALIDATOR = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
_MECHANISMS = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER"


@dataclass(frozen=True)
class Listener:
    """A listener; its properties get its prefix. ``advertised`` replaces its own address."""

    name: str
    protocol: str
    properties: Mapping[str, str] = field(default_factory=dict)
    advertised: str = ""
    is_advertised: bool = True


def _sasl() -> dict[str, str]:
    return {
        "sasl.enabled.mechanisms": _MECHANISMS,
        "plain.sasl.jaas.config": jaas_of_plain(),
        "scram-sha-256.sasl.jaas.config": _SCRAM_JAAS,
        "scram-sha-512.sasl.jaas.config": _SCRAM_JAAS,
        "oauthbearer.sasl.jaas.config": _UNSECURED_JAAS,
    }


def _signed() -> dict[str, str]:
    return {
        "sasl.enabled.mechanisms": "OAUTHBEARER",
        "oauthbearer.sasl.jaas.config": f"{_BEARER_JAAS};",
        "oauthbearer.sasl.server.callback.handler.class": _VALIDATOR,
        "sasl.oauthbearer.jwks.endpoint.url": f"file:{key_set()}",
        "sasl.oauthbearer.expected.audience": AUDIENCE,
        "sasl.oauthbearer.expected.issuer": ISSUER,
    }


def listeners() -> tuple[Listener, ...]:
    """Return the listeners."""
    brief = {
        "connections.max.reauth.ms": str(REAUTHENTICATION_MS),
        "scram-sha-256.connections.max.reauth.ms": str(SCRAM_REAUTHENTICATION_MS),
    }
    rules = "RULE:^CN=(.*?),OU=Known.*$/mapped-$1/L"
    return (
        Listener("PLAINTEXT", "PLAINTEXT"),
        Listener("OTHER", "PLAINTEXT", advertised="other.example:4711"),
        Listener("HIDDEN", "PLAINTEXT", is_advertised=False),
        Listener("FEW", "PLAINTEXT", {"max.connections": "2"}),
        Listener("TLS", "SSL"),
        Listener("NEWEST", "SSL", {"ssl.enabled.protocols": "TLSv1.3"}),
        Listener("ASKED", "SSL", {"ssl.client.auth": "requested"}),
        Listener("MUTUAL", "SSL", {"ssl.client.auth": "required"}),
        Listener(
            "RULED", "SSL", {"ssl.client.auth": "required", "ssl.principal.mapping.rules": rules}
        ),
        Listener("SASL", "SASL_PLAINTEXT", _sasl()),
        Listener("SASLTLS", "SASL_SSL", _sasl()),
        Listener("BRIEF", "SASL_PLAINTEXT", {**_sasl(), **brief}),
        Listener("SIGNED", "SASL_PLAINTEXT", _signed()),
    )


def properties(ports: Mapping[str, int]) -> dict[str, str]:
    """Return the properties of one node whose listeners have these ports."""
    every = listeners()
    bound = {each.name: f"127.0.0.1:{ports[each.name]}" for each in every}
    named = [each for each in every if each.is_advertised]
    settings = {
        f"listener.name.{each.name.lower()}.{key}": value
        for each in every
        for key, value in each.properties.items()
    }
    return {
        "listeners": ",".join(f"{name}://{at}" for name, at in bound.items()),
        "advertised.listeners": ",".join(
            f"{each.name}://{each.advertised or bound[each.name]}" for each in named
        ),
        "listener.security.protocol.map": ",".join(
            f"{each.name}:{each.protocol}" for each in every
        ),
        "inter.broker.listener.name": "PLAINTEXT",
        **settings,
        **_stores(),
        "connection.failed.authentication.delay.ms": str(FAILURE_DELAY_MS),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:ANONYMOUS;User:{ADMIN}",
        "delegation.token.secret.key": OWN_PASSWORD,
    }


def _stores() -> dict[str, str]:
    given = certificates()
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(given.server.path),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(given.authority.path),
    }
