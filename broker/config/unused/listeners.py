"""Keys of listeners, which have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, OneOf, Text

_no = no_effect("there is one listener", advice="use --host, --port and --advertise")
_security = no_effect("all listeners are PLAINTEXT", advice="all listeners are PLAINTEXT")

KEYS = (
    _no("advertised.listeners", AnyList(), None),
    _no("early.start.listeners", AnyList(), None),
    _no("inter.broker.listener.name", Text(), None),
    _no(
        "listener.security.protocol.map",
        Text(),
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        PER_BROKER,
    ),
    _no("listeners", AnyList(), ("PLAINTEXT://:9092",), PER_BROKER),
    _security(
        "security.inter.broker.protocol",
        OneOf(("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")),
        "PLAINTEXT",
    ),
)
