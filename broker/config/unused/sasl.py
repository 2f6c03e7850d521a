"""Keys of SASL and delegation tokens, which have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, ClassName, Decimal, Secret, Text, int16, int32, int64

_sasl = no_effect("SASL is not supported", advice="SASL is not supported")
_tokens = no_effect(
    "delegation tokens are not supported", advice="delegation tokens are not supported"
)

_BUILDER = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"

KEYS = (
    _sasl("connection.failed.authentication.delay.ms", int32(0), 100),
    _sasl("connections.max.reauth.ms", int64(), 0),
    _sasl("principal.builder.class", ClassName(_BUILDER), _BUILDER, PER_BROKER),
    _sasl("sasl.client.callback.handler.class", ClassName(), None),
    _sasl("sasl.enabled.mechanisms", AnyList(), ("GSSAPI",), PER_BROKER),
    _sasl("sasl.jaas.config", Secret(), None, PER_BROKER),
    _sasl("sasl.kerberos.kinit.cmd", Text(), "/usr/bin/kinit", PER_BROKER),
    _sasl("sasl.kerberos.min.time.before.relogin", int64(), 60_000, PER_BROKER),
    _sasl("sasl.kerberos.principal.to.local.rules", AnyList(), ("DEFAULT",), PER_BROKER),
    _sasl("sasl.kerberos.service.name", Text(), None, PER_BROKER),
    _sasl("sasl.kerberos.ticket.renew.jitter", Decimal(), 0.05, PER_BROKER),
    _sasl("sasl.kerberos.ticket.renew.window.factor", Decimal(), 0.8, PER_BROKER),
    _sasl("sasl.login.callback.handler.class", ClassName(), None),
    _sasl("sasl.login.class", ClassName(), None),
    _sasl("sasl.login.connect.timeout.ms", int32(), None),
    _sasl("sasl.login.read.timeout.ms", int32(), None),
    _sasl("sasl.login.refresh.buffer.seconds", int16(), 300, PER_BROKER),
    _sasl("sasl.login.refresh.min.period.seconds", int16(), 60, PER_BROKER),
    _sasl("sasl.login.refresh.window.factor", Decimal(), 0.8, PER_BROKER),
    _sasl("sasl.login.refresh.window.jitter", Decimal(), 0.05, PER_BROKER),
    _sasl("sasl.login.retry.backoff.max.ms", int64(), 10_000),
    _sasl("sasl.login.retry.backoff.ms", int64(), 100),
    _sasl("sasl.mechanism.controller.protocol", Text(), "GSSAPI"),
    _sasl("sasl.mechanism.inter.broker.protocol", Text(), "GSSAPI", PER_BROKER),
    _sasl("sasl.server.callback.handler.class", ClassName(), None),
    _sasl("sasl.server.max.receive.size", int32(), 524_288),
    _tokens("delegation.token.expiry.check.interval.ms", int64(1), 3_600_000),
    _tokens("delegation.token.expiry.time.ms", int64(1), 86_400_000),
    _tokens("delegation.token.max.lifetime.ms", int64(1), 604_800_000),
    _tokens("delegation.token.secret.key", Secret(), None),
)
