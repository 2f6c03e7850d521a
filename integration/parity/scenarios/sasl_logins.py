"""SASL: logins by each mechanism, and the response to each failed one."""

from __future__ import annotations

from integration.parity.logins import (
    PASSWORD,
    add_scram_user,
    authenticate,
    handshake,
    outcome,
    scram_outcome,
    started_handshake,
    token_outcome,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.sasl import PLAIN, SHA_256, SHA_512, Scram, plain
from integration.security.users import password_of
from protocol.messages.metadata import MetadataRequest


@scenario(on=SECURED)
def plain_logins(kafka: Kafka) -> Observations:
    """A correct password, in each version of SaslAuthenticate, with and without an identity."""
    user = kafka.new_user()
    for version in (0, 1, 2):
        for identity in ("", user):
            token = plain(user, password_of(user), identity)
            yield version, token_outcome(kafka, PLAIN, token, version=version)


@scenario(on=SECURED)
def plain_failures(kafka: Kafka) -> Observations:
    """Wrong names and passwords, and another identity; the response comes after the delay."""
    user, other = kafka.new_user(), kafka.new_user()
    right = password_of(user)
    tokens = {
        "wrong password": plain(user, "wrong"),
        "unknown user": plain("nobody", right),
        "user in another case": plain(user.upper(), right),
        "no user": plain("", right),
        "no password": plain(user, ""),
        "other identity": plain(user, right, other),
        "other identity, wrong password": plain(user, "wrong", other),
        "wrong length": plain(user, right + "x"),
    }
    for what, token in tokens.items():
        yield what, token_outcome(kafka, PLAIN, token)


@scenario(on=SECURED)
def plain_tokens_in_other_forms(kafka: Kafka) -> Observations:
    """Tokens that do not have three parts, or are not UTF-8."""
    for token in (b"", b"\0", b"a", b"\0a", b"\0a\0", b"a\0b\0c\0d", b"a\0b\0c\0d\0e", b"\0\0\0"):
        yield token, token_outcome(kafka, PLAIN, token)
    yield "not UTF-8", token_outcome(kafka, PLAIN, b"\0\xff\xfe\0\xff")


@scenario(on=SECURED)
def failures_in_each_version(kafka: Kafka) -> Observations:
    """A failed login has the same response in every version of SaslAuthenticate."""
    for version in (0, 1, 2):
        yield version, token_outcome(kafka, PLAIN, plain("a", "b"), version=version)


@scenario(on=SECURED)
def raw_plain_tokens(kafka: Kafka) -> Observations:
    """After SaslHandshake v0 the token and its response are frames without headers."""
    user = kafka.new_user()
    for password in (password_of(user), "wrong"):
        client = kafka.connect(listener="SASL")
        yield client.request(handshake(PLAIN), 0).error_code
        yield outcome(client, client.start_frame(plain(user, password)))
    client = kafka.connect(listener="SASL")
    client.request(handshake(PLAIN), 0)
    client.start_frame(plain(user, password_of(user))).frame()
    yield len(client.request(MetadataRequest(topics=[])).brokers)


@scenario(on=SECURED)
def raw_scram_tokens(kafka: Kafka) -> Observations:
    """SCRAM in frames without headers."""
    user = add_scram_user(kafka)
    client = kafka.connect(listener="SASL")
    yield client.request(handshake(SHA_256), 0).error_code
    scram = Scram(SHA_256, user, PASSWORD)
    first = client.start_frame(scram.first()).frame()
    final = client.start_frame(scram.final(first)).frame()
    yield "signed", scram.is_signed(final)
    yield len(client.request(MetadataRequest(topics=[])).brokers)


@scenario(on=SECURED)
def scram_logins(kafka: Kafka) -> Observations:
    """Both mechanisms, in each version, with the user's own identity and an unknown extension."""
    for mechanism in (SHA_256, SHA_512):
        user = add_scram_user(kafka, mechanism)
        for version in (0, 1, 2):
            client = started_handshake(kafka, mechanism)
            scram = Scram(mechanism, user, PASSWORD)
            yield mechanism, version, scram_outcome(client, scram, version=version)
        client = started_handshake(kafka, mechanism)
        own = Scram(mechanism, user, PASSWORD, gs2=f"n,a={user},")
        yield "identity", scram_outcome(client, own)
        client = started_handshake(kafka, mechanism)
        extended = Scram(mechanism, user, PASSWORD, extensions=",ext=1")
        yield "extension", scram_outcome(client, extended)


@scenario(on=SECURED)
def scram_failures(kafka: Kafka) -> Observations:
    """Wrong users, passwords, identities and nonces all have the same response.

    librdkafka before 2.6.1 sends its own nonce twice, as the last attempt does.
    """
    user = add_scram_user(kafka)
    attempts = {
        "wrong password": Scram(SHA_256, user, "wrong"),
        "unknown user": Scram(SHA_256, kafka.new_name("unknown"), PASSWORD),
        "user in another case": Scram(SHA_256, user.upper(), PASSWORD),
        "other identity": Scram(SHA_256, user, PASSWORD, gs2="n,a=other,"),
        "binding supported": Scram(SHA_256, user, PASSWORD, gs2="y,,"),
        "binding required": Scram(SHA_256, user, PASSWORD, gs2="p=tls-unique,,"),
        "reserved extension": Scram(SHA_256, user, PASSWORD, extensions=",m=1"),
        "no name": Scram(SHA_256, "", PASSWORD),
    }
    for what, scram in attempts.items():
        yield what, scram_outcome(started_handshake(kafka, SHA_256), scram)
    for nonce in ("other", "{}and more", "more and {}"):
        client = started_handshake(kafka, SHA_256)
        yield nonce, scram_outcome(client, Scram(SHA_256, user, PASSWORD), nonce=nonce)


@scenario(on=SECURED)
def scram_with_another_mechanism(kafka: Kafka) -> Observations:
    """A credential is valid for its own mechanism only."""
    user = add_scram_user(kafka, SHA_256)
    scram = Scram(SHA_512, user, PASSWORD)
    yield scram_outcome(started_handshake(kafka, SHA_512), scram)
    scram = Scram(SHA_256, user, PASSWORD)
    yield scram_outcome(started_handshake(kafka, SHA_256), scram)


@scenario(on=SECURED)
def scram_with_other_bindings(kafka: Kafka) -> Observations:
    """The channel binding of the final message is not compared with that of the first."""
    user = add_scram_user(kafka)
    for binding in ("y,,", "n,,", "anything"):
        client = started_handshake(kafka, SHA_256)
        scram = Scram(SHA_256, user, PASSWORD)
        yield binding, scram_outcome(client, scram, binding=binding)


@scenario(on=SECURED)
def malformed_scram_messages(kafka: Kafka) -> Observations:
    """First messages that are not of RFC 5802's form."""
    for token in (
        b"",
        b"n,,",
        b"n,,n=a",
        b"n,,r=abc",
        b"n,,r=abc,n=a",
        b"n,,n=a,r=",
        b"n=a,r=abc",
        b"n,,n=a=b,r=abc",
        b"n,,n=\xc3\xa4,r=abc",
        b"x,,n=a,r=abc",
    ):
        yield token, token_outcome(kafka, SHA_256, token)


@scenario(on=SECURED)
def malformed_final_messages(kafka: Kafka) -> Observations:
    """Final messages that are not of RFC 5802's form."""
    user = add_scram_user(kafka)
    for what in ("empty", "no proof", "junk", "short proof"):
        client = started_handshake(kafka, SHA_256)
        scram = Scram(SHA_256, user, PASSWORD)
        first = bytes(client.request(authenticate(scram.first()), 2).auth_bytes)
        whole = scram.final(first)
        token = {
            "empty": b"",
            "no proof": whole.partition(b",p=")[0],
            "junk": b"junk",
            "short proof": whole.partition(b",p=")[0] + b",p=YWJj",
        }[what]
        yield what, outcome(client, client.start(authenticate(token), 2))


@scenario(on=SECURED)
def iterations_of_credentials(kafka: Kafka) -> Observations:
    """The first message of the server has the iterations of the credential."""
    for iterations in (4096, 5000, 16384):
        user = add_scram_user(kafka, iterations=iterations)
        client = started_handshake(kafka, SHA_256)
        first = client.request(authenticate(Scram(SHA_256, user, PASSWORD).first()), 2)
        yield first.error_code, bytes(first.auth_bytes).rpartition(b",i=")[2]
