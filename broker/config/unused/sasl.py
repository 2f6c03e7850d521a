"""Keys of SASL that have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, ClassName, Decimal, Text, int16, int32, int64

_kerberos = no_effect(
    "Kerberos is not supported",
    advice="Kerberos is not supported; use PLAIN, SCRAM or OAUTHBEARER",
)
_class = no_effect("Java classes cannot be loaded", advice="Java classes cannot be loaded")
_builder = no_effect("Java classes cannot be loaded")
_login = no_effect("the nodes log in without a login thread")
_quorum = no_effect("there is no quorum: the controller is in the broker process")

_BUILDER = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"

KEYS = (
    _builder("principal.builder.class", ClassName(_BUILDER), _BUILDER, PER_BROKER),
    _class("sasl.client.callback.handler.class", ClassName(), None),
    _kerberos("sasl.kerberos.kinit.cmd", Text(), "/usr/bin/kinit", PER_BROKER),
    _kerberos("sasl.kerberos.min.time.before.relogin", int64(), 60_000, PER_BROKER),
    _kerberos("sasl.kerberos.principal.to.local.rules", AnyList(), ("DEFAULT",), PER_BROKER),
    _kerberos("sasl.kerberos.service.name", Text(), None, PER_BROKER),
    _kerberos("sasl.kerberos.ticket.renew.jitter", Decimal(), 0.05, PER_BROKER),
    _kerberos("sasl.kerberos.ticket.renew.window.factor", Decimal(), 0.8, PER_BROKER),
    _class("sasl.login.callback.handler.class", ClassName(), None),
    _class("sasl.login.class", ClassName(), None),
    _login("sasl.login.connect.timeout.ms", int32(), None),
    _login("sasl.login.read.timeout.ms", int32(), None),
    _login("sasl.login.refresh.buffer.seconds", int16(), 300, PER_BROKER),
    _login("sasl.login.refresh.min.period.seconds", int16(), 60, PER_BROKER),
    _login("sasl.login.refresh.window.factor", Decimal(), 0.8, PER_BROKER),
    _login("sasl.login.refresh.window.jitter", Decimal(), 0.05, PER_BROKER),
    _login("sasl.login.retry.backoff.max.ms", int64(), 10_000),
    _login("sasl.login.retry.backoff.ms", int64(), 100),
    _quorum("sasl.mechanism.controller.protocol", Text(), "GSSAPI"),
)
