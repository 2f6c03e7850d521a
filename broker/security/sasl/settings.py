"""The SASL settings of one listener, from its keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from broker.common.clock import Clock
from broker.common.errors import StartupError
from broker.config import Config
from broker.config.keys.sasl import SIGNED_VALIDATOR
from broker.config.listener_keys import listener_names
from broker.security.sasl.bearer import BearerServer, Validator
from broker.security.sasl.credentials import CredentialStore
from broker.security.sasl.jaas import InvalidJaas, JaasModule, parse_jaas
from broker.security.sasl.json_web_keys import JsonWebKeys, NoKeys
from broker.security.sasl.key_server import key_server_tls
from broker.security.sasl.mechanism import (
    GSSAPI,
    OAUTHBEARER,
    PLAIN,
    SCRAM_SHA_256,
    SCRAM_SHA_512,
    SaslServer,
)
from broker.security.sasl.plain import PlainServer
from broker.security.sasl.scram import ScramServer
from broker.security.sasl.signed_token import SignedTokens
from broker.security.sasl.unsecured_token import InvalidOption, UnsecuredTokens
from protocol.lazy_dataclass import dataclass

_ENABLED: Final = "sasl.enabled.mechanisms"
_MODULES: Final = {
    PLAIN: "org.apache.kafka.common.security.plain.PlainLoginModule",
    SCRAM_SHA_256: "org.apache.kafka.common.security.scram.ScramLoginModule",
    SCRAM_SHA_512: "org.apache.kafka.common.security.scram.ScramLoginModule",
    OAUTHBEARER: "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
}
_SUPPORTED: Final = ", ".join(_MODULES)
# The options of PlainLoginModule with the passwords of accepted users.
_USER_PREFIX: Final = "user_"


@dataclass(frozen=True)
class MechanismSettings:
    """``server`` begins a login; ``max_reauth_ms`` bounds its session unless it is 0 or less."""

    server: Callable[[], SaslServer]
    max_reauth_ms: int


@dataclass(frozen=True)
class SaslSettings:
    """What logins of a listener need; ``mechanisms`` are those enabled, by name."""

    mechanisms: Mapping[str, MechanismSettings]
    failed_authentication_delay_ms: int
    receive_bytes_max: int
    # The keys of signed tokens, which are to be refreshed.
    keys: JsonWebKeys | None = None

    @classmethod
    def of(
        cls, config: Config, listener: str, credentials: CredentialStore, clock: Clock
    ) -> SaslSettings:
        """The settings of *listener*; raises `StartupError`."""
        mechanisms = {}
        found = _Validators(config, listener, clock)
        for mechanism in enabled_mechanisms(config, listener):
            max_reauth_ms: Any = config.for_listener(
                listener, "connections.max.reauth.ms", mechanism
            )
            server = _server(config, listener, mechanism, credentials, found)
            mechanisms[mechanism] = MechanismSettings(server, max_reauth_ms)
        return cls(
            mechanisms,
            config.connection_failed_authentication_delay_ms,
            config.sasl_server_max_receive_size,
            found.keys,
        )


def enabled_mechanisms(config: Config, listener: str) -> Sequence[str]:
    """The mechanisms of a listener; raises `StartupError`."""
    enabled: Any = config.for_listener(listener, "sasl.enabled.mechanisms")
    if not enabled:
        raise StartupError(
            f"{_ENABLED}: the listener {listener} has no mechanism; give some of {_SUPPORTED}"
        )
    for mechanism in enabled:
        _check_supported(mechanism, config, listener)
    found: Sequence[str] = enabled
    return found


def jaas_key(listener: str, mechanism: str) -> str:
    """The key of the JAAS line of a mechanism of a listener."""
    return listener_names(listener, "sasl.jaas.config", mechanism)[0]


def jaas_module(config: Config, listener: str, mechanism: str) -> JaasModule:
    """The login module of a mechanism of a listener; raises `StartupError`.

    Only a line with the prefix of both has an effect, as in Kafka.
    """
    key = jaas_key(listener, mechanism)
    lines = (level[key] for _, level in config.levels() if key in level)
    line = next(lines, None)
    expected = _MODULES[mechanism]
    if line is None:
        raise StartupError(
            f"{key} is missing: {mechanism} is enabled for the listener {listener}; "
            f"set it to {expected} required;"
        )
    try:
        module = parse_jaas(line)
    except InvalidJaas as error:
        raise StartupError(f"{key} {error}") from None
    if module.name != expected:
        raise StartupError(f"{key} names the module {module.name}; {mechanism} needs {expected}")
    return module


def _check_supported(mechanism: str, config: Config, listener: str) -> None:
    if mechanism in _MODULES:
        return
    prefixed = listener_names(listener, _ENABLED)[0]
    key = prefixed if any(prefixed in level for _, level in config.levels()) else _ENABLED
    what = "Kerberos, which is not supported" if mechanism == GSSAPI else "not a known mechanism"
    raise StartupError(
        f"{key}: the listener {listener} has {mechanism}, which is {what}; "
        f"give some of {_SUPPORTED}"
    )


def _server(
    config: Config,
    listener: str,
    mechanism: str,
    credentials: CredentialStore,
    validators: _Validators,
) -> Callable[[], SaslServer]:
    """What begins a login by *mechanism*; raises `StartupError`."""
    module = jaas_module(config, listener, mechanism)
    if mechanism == PLAIN:
        passwords = {
            option.removeprefix(_USER_PREFIX): password
            for option, password in module.options.items()
            if option.startswith(_USER_PREFIX)
        }
        return lambda: PlainServer(passwords)
    if mechanism == OAUTHBEARER:
        validate = validators.make(module)
        return lambda: BearerServer(validate)
    return lambda: ScramServer(mechanism, credentials)


class _Validators:
    """Makes the validator of tokens; ``keys`` are those of signed ones."""

    def __init__(self, config: Config, listener: str, clock: Clock) -> None:
        self.keys: JsonWebKeys | None = None
        self._config = config
        self._listener = listener
        self._clock = clock

    def make(self, module: JaasModule) -> Validator:
        """How tokens of OAUTHBEARER are validated; raises `StartupError`."""
        config, listener = self._config, self._listener
        handler = config.for_listener(listener, "sasl.server.callback.handler.class", OAUTHBEARER)
        if handler == SIGNED_VALIDATOR:
            return self._signed(module)
        try:
            return UnsecuredTokens.of(module.options, self._clock.wall_ms)
        except InvalidOption as error:
            raise StartupError(f"{jaas_key(listener, OAUTHBEARER)}: {error}") from None

    def _signed(self, module: JaasModule) -> Validator:
        config, listener = self._config, self._listener
        url: Any = config.for_listener(listener, "sasl.oauthbearer.jwks.endpoint.url")
        if not url:
            raise StartupError(
                "sasl.oauthbearer.jwks.endpoint.url is missing: the listener "
                f"{listener} validates signed tokens; give the URL of their keys"
            )
        try:
            self.keys = JsonWebKeys(url, self._clock.now_ms, key_server_tls(listener, module))
        except NoKeys as error:
            raise StartupError(f"sasl.oauthbearer.jwks.endpoint.url: {error}") from None
        audiences: Any = config.for_listener(listener, "sasl.oauthbearer.expected.audience")
        issuer: Any = config.for_listener(listener, "sasl.oauthbearer.expected.issuer")
        skew_s: Any = config.for_listener(listener, "sasl.oauthbearer.clock.skew.seconds")
        scope: Any = config.for_listener(listener, "sasl.oauthbearer.scope.claim.name")
        principal: Any = config.for_listener(listener, "sasl.oauthbearer.sub.claim.name")
        return SignedTokens(
            self.keys,
            self._clock.wall_ms,
            frozenset(audiences),
            issuer,
            skew_s * 1000,
            scope,
            principal,
        )
