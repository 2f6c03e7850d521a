"""Keys of logins by SASL."""

from __future__ import annotations

from broker.config.key import PER_BROKER, key
from broker.config.kinds import AnyList, ConfigType, OneOf, Secret, Text, int32, int64
from protocol.lazy_dataclass import dataclass

_HANDLERS = "org.apache.kafka.common.security.oauthbearer."
UNSECURED_VALIDATOR = f"{_HANDLERS}internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler"
SIGNED_VALIDATOR = f"{_HANDLERS}OAuthBearerValidatorCallbackHandler"


@dataclass(kw_only=True)
class SaslKeys:
    """Keys of logins by SASL."""

    connection_failed_authentication_delay_ms: int = key(
        "connection.failed.authentication.delay.ms",
        int32(0),
        100,
        "How long the response to a failed login is delayed; then the connection is closed.",
    )
    connections_max_reauth_ms: int = key(
        "connections.max.reauth.ms",
        int64(),
        0,
        "The longest time after which clients log in again on the same connection; 0 or less: no "
        "limit (KIP-368).",
    )
    sasl_enabled_mechanisms: tuple[str, ...] = key(
        "sasl.enabled.mechanisms",
        AnyList(),
        ("GSSAPI",),
        "The mechanisms of a listener: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER. The "
        "default is not supported.",
        update_mode=PER_BROKER,
    )
    sasl_jaas_config: str | None = key(
        "sasl.jaas.config",
        Secret(),
        None,
        "The login module of a mechanism, with the prefix of a listener and the mechanism: "
        "listener.name.LISTENER.MECHANISM.sasl.jaas.config, in lower case.",
        update_mode=PER_BROKER,
    )
    sasl_server_max_receive_size: int = key(
        "sasl.server.max.receive.size",
        int32(),
        524_288,
        "The largest request of a client that has not logged in.",
    )
    sasl_mechanism_inter_broker_protocol: str = key(
        "sasl.mechanism.inter.broker.protocol",
        Text(),
        "GSSAPI",
        "The mechanism by which nodes log in to each other.",
        update_mode=PER_BROKER,
    )
    sasl_server_callback_handler_class: str | None = key(
        "sasl.server.callback.handler.class",
        OneOf((SIGNED_VALIDATOR, UNSECURED_VALIDATOR), config_type=ConfigType.CLASS),
        None,
        "How OAUTHBEARER validates tokens: signed ones, or, by default, unsecured ones.",
    )
    sasl_oauthbearer_clock_skew_seconds: int = key(
        "sasl.oauthbearer.clock.skew.seconds",
        int32(),
        30,
        "By how much the clock of the issuer of signed tokens may differ.",
    )
    sasl_oauthbearer_expected_audience: tuple[str, ...] = key(
        "sasl.oauthbearer.expected.audience",
        AnyList(),
        (),
        "The audiences of which a signed token must have one; empty: any token.",
    )
    sasl_oauthbearer_expected_issuer: str | None = key(
        "sasl.oauthbearer.expected.issuer",
        Text(),
        None,
        "The issuer of signed tokens; not set: any issuer.",
    )
    sasl_oauthbearer_jwks_endpoint_refresh_ms: int = key(
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        int64(),
        3_600_000,
        "How often the keys of signed tokens are fetched again.",
    )
    sasl_oauthbearer_jwks_endpoint_retry_backoff_max_ms: int = key(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        int64(),
        10_000,
        "How long keys that cannot be fetched are tried again; then they are fetched when due.",
    )
    sasl_oauthbearer_jwks_endpoint_retry_backoff_ms: int = key(
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        int64(),
        100,
        "The time until keys that cannot be fetched are fetched again; it doubles each time.",
    )
    sasl_oauthbearer_jwks_endpoint_url: str | None = key(
        "sasl.oauthbearer.jwks.endpoint.url",
        Text(),
        None,
        "The JSON web keys that verify signed tokens: a URL with file, http or https.",
    )
    sasl_oauthbearer_scope_claim_name: str = key(
        "sasl.oauthbearer.scope.claim.name",
        Text(),
        "scope",
        "The claim of signed tokens with their scopes.",
    )
    sasl_oauthbearer_sub_claim_name: str = key(
        "sasl.oauthbearer.sub.claim.name",
        Text(),
        "sub",
        "The claim of signed tokens with the name of the principal.",
    )
