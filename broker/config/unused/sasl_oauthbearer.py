"""Keys of SASL with OAuth tokens, which have no effect here."""

from __future__ import annotations

from broker.config.key import no_effect
from broker.config.kinds import (
    AnyList,
    Boolean,
    ClassName,
    OneOfAnyCase,
    Secret,
    Text,
    int32,
    int64,
)

_sasl = no_effect("SASL is not supported", advice="SASL is not supported")

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
    _sasl("sasl.oauthbearer.clock.skew.seconds", int32(), 30),
    _sasl("sasl.oauthbearer.expected.audience", AnyList(), ()),
    _sasl("sasl.oauthbearer.expected.issuer", Text(), None),
    _sasl("sasl.oauthbearer.jwks.endpoint.refresh.ms", int64(), 3_600_000),
    _sasl("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", int64(), 10_000),
    _sasl("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", int64(), 100),
    _sasl("sasl.oauthbearer.jwks.endpoint.url", Text(), None),
    _sasl("sasl.oauthbearer.jwt.retriever.class", ClassName(_RETRIEVER), _RETRIEVER),
    _sasl("sasl.oauthbearer.jwt.validator.class", ClassName(_VALIDATOR), _VALIDATOR),
    _sasl("sasl.oauthbearer.scope", Text(), None),
    _sasl("sasl.oauthbearer.scope.claim.name", Text(), "scope"),
    _sasl("sasl.oauthbearer.sub.claim.name", Text(), "sub"),
    _sasl("sasl.oauthbearer.token.endpoint.url", Text(), None),
)
