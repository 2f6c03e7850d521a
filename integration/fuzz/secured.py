"""The listeners of the fuzzed broker: one of each security protocol, and the users that log in."""

from __future__ import annotations

from integration.security.certificates import certificates

LISTENERS = {
    "PLAINTEXT": "PLAINTEXT",
    "TLS": "SSL",
    "MUTUAL": "SSL",
    "SASL": "SASL_PLAINTEXT",
    "SASLTLS": "SASL_SSL",
}
USER, PASSWORD = "fuzz", "word-of-fuzz"
_MODULES = {
    "plain": f'plain.PlainLoginModule required user_{USER}="{PASSWORD}"',
    "scram-sha-256": "scram.ScramLoginModule required",
    "oauthbearer": "oauthbearer.OAuthBearerLoginModule required",
}
_REAUTHENTICATION_MS = 2000


def options() -> list[str]:
    """The options of `antechamber serve`."""
    given = certificates()
    settings = {
        "listeners": ",".join(f"{name}://127.0.0.1:0" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(map(":".join, LISTENERS.items())),
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(given.server.path),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(given.authority.path),
        "ssl.client.auth": "requested",
        "listener.name.mutual.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,OAUTHBEARER",
        "listener.name.sasl.connections.max.reauth.ms": str(_REAUTHENTICATION_MS),
        **{
            f"listener.name.{name}.{mechanism}.sasl.jaas.config": (
                f"org.apache.kafka.common.security.{module};"
            )
            for name in ("sasl", "sasltls")
            for mechanism, module in _MODULES.items()
        },
    }
    user = f"SCRAM-SHA-256=[name={USER},password={PASSWORD}]"
    return [*(f"-c{key}={value}" for key, value in settings.items()), "--add-scram", user]
