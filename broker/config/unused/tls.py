"""Keys of TLS, which have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, Boolean, ClassName, OneOf, Secret, Text

_tls = no_effect("TLS is not supported", advice="TLS is not supported")

KEYS = (
    _tls("ssl.allow.dn.changes", Boolean(), default=False),
    _tls("ssl.allow.san.changes", Boolean(), default=False),
    _tls("ssl.cipher.suites", AnyList(), (), PER_BROKER),
    _tls("ssl.client.auth", OneOf(("required", "requested", "none")), "none", PER_BROKER),
    _tls("ssl.enabled.protocols", AnyList(), ("TLSv1.2", "TLSv1.3"), PER_BROKER),
    _tls("ssl.endpoint.identification.algorithm", Text(), "https", PER_BROKER),
    _tls("ssl.engine.factory.class", ClassName(), None, PER_BROKER),
    _tls("ssl.key.password", Secret(), None, PER_BROKER, per_listener=True),
    _tls("ssl.keymanager.algorithm", Text(), "SunX509", PER_BROKER),
    _tls("ssl.keystore.certificate.chain", Secret(), None, PER_BROKER, per_listener=True),
    _tls("ssl.keystore.key", Secret(), None, PER_BROKER, per_listener=True),
    _tls("ssl.keystore.location", Text(), None, PER_BROKER, per_listener=True),
    _tls("ssl.keystore.password", Secret(), None, PER_BROKER, per_listener=True),
    _tls("ssl.keystore.type", Text(), "JKS", PER_BROKER, per_listener=True),
    _tls("ssl.principal.mapping.rules", Text(), "DEFAULT"),
    _tls("ssl.protocol", Text(), "TLSv1.3", PER_BROKER),
    _tls("ssl.provider", Text(), None, PER_BROKER),
    _tls("ssl.secure.random.implementation", Text(), None, PER_BROKER),
    _tls("ssl.trustmanager.algorithm", Text(), "PKIX", PER_BROKER),
    _tls("ssl.truststore.certificates", Secret(), None, PER_BROKER, per_listener=True),
    _tls("ssl.truststore.location", Text(), None, PER_BROKER, per_listener=True),
    _tls("ssl.truststore.password", Secret(), None, PER_BROKER, per_listener=True),
    _tls("ssl.truststore.type", Text(), "JKS", PER_BROKER, per_listener=True),
)
