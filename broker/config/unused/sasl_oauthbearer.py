"""Keys of SASL with OAuth tokens that have no effect here."""

from __future__ import annotations

from broker.config.key import no_effect
from broker.config.kinds import (
    Boolean,
    ClassName,
    OneOfAnyCase,
    Secret,
    Text,
    int32,
)

_sasl = no_effect(
    "the nodes log in with unsecured tokens",
    advice="it is a key of clients that fetch tokens; the nodes log in with unsecured tokens",
)
_validator = no_effect("Java classes cannot be loaded")

_RETRIEVER = "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"
_VALIDATOR = "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator"
KEYS = (
    _sasl(
        "sasl.oauthbearer.assertion.algorithm",
        OneOfAnyCase(("ES256", "RS256"), lowered=False),
        "RS256",
    ),
    _sasl("sasl.oauthbearer.assertion.claim.aud", Text(), None),
    _sasl("sasl.oauthbearer.assertion.claim.exp.seconds", int32(0, 86_400), 300),
    _sasl("sasl.oauthbearer.assertion.claim.iss", Text(), None),
    _sasl("sasl.oauthbearer.assertion.claim.jti.include", Boolean(), default=False),
    _sasl("sasl.oauthbearer.assertion.claim.nbf.seconds", int32(0, 3600), 60),
    _sasl("sasl.oauthbearer.assertion.claim.sub", Text(), None),
    _sasl("sasl.oauthbearer.assertion.file", Text(), None),
    _sasl("sasl.oauthbearer.assertion.private.key.file", Text(), None),
    _sasl("sasl.oauthbearer.assertion.private.key.passphrase", Secret(), None),
    _sasl("sasl.oauthbearer.assertion.template.file", Text(), None),
    _sasl("sasl.oauthbearer.client.credentials.client.id", Text(), None),
    _sasl("sasl.oauthbearer.client.credentials.client.secret", Secret(), None),
    _validator("sasl.oauthbearer.jwt.retriever.class", ClassName(_RETRIEVER), _RETRIEVER),
    _validator("sasl.oauthbearer.jwt.validator.class", ClassName(_VALIDATOR), _VALIDATOR),
    _sasl("sasl.oauthbearer.scope", Text(), None),
    _sasl("sasl.oauthbearer.token.endpoint.url", Text(), None),
)
