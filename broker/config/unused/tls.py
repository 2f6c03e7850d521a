"""Keys of TLS that have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import ClassName, Text

_java = no_effect("Java's implementation of TLS is not used")

KEYS = (
    _java("ssl.engine.factory.class", ClassName(), None, PER_BROKER),
    _java("ssl.keymanager.algorithm", Text(), "SunX509", PER_BROKER),
    _java("ssl.protocol", Text(), "TLSv1.3", PER_BROKER),
    _java("ssl.provider", Text(), None, PER_BROKER),
    _java("ssl.secure.random.implementation", Text(), None, PER_BROKER),
    _java("ssl.trustmanager.algorithm", Text(), "PKIX", PER_BROKER),
)
