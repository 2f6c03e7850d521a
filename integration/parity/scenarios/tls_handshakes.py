"""TLS: protocols, client certificates, principals of certificates, and bytes that are not TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

from cryptography import x509
from cryptography.x509.oid import NameOID

from integration.parity.client import Client, Closed
from integration.parity.logins import log_in_again, trusting, with_certificate
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.certificates import Attributes, certificates, client_subject
from integration.security.tls_socket import TlsSocket, client_context
from protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from protocol.messages.metadata import MetadataRequest

_REFUSED = "refused"
_BROKERS = MetadataRequest(topics=[])


def _connected(kafka: Kafka, listener: str, context: ssl.SSLContext) -> Client | None:
    """A connection that serves requests; None if the broker refuses it.

    With TLS 1.3 a client learns only after the handshake that its certificate is refused.
    """
    try:
        client = kafka.connect(listener=listener, context=context)
        client.request(_BROKERS)
    except (ssl.SSLError, OSError, Closed):
        return None
    return client


def _version(kafka: Kafka, listener: str, context: ssl.SSLContext) -> str:
    client = _connected(kafka, listener, context)
    if client is None:
        return _REFUSED
    assert isinstance(client.socket, TlsSocket)
    return str(client.socket.version)


def _principal(kafka: Kafka, listener: str, certificate: Path | None) -> object:
    """The principal of a client with a certificate, from a delegation token that it creates."""
    context = client_context(certificates().authority.path, certificate)
    client = _connected(kafka, listener, context)
    if client is None:
        return _REFUSED
    requested = CreateDelegationTokenRequest(renewers=[], max_lifetime_ms=-1)
    response = client.request(requested, 1)
    return response.error_code, response.principal_type, response.principal_name


@scenario(on=SECURED)
def tls_versions(kafka: Kafka) -> Observations:
    """Each listener negotiates the protocols of ssl.enabled.protocols."""
    for highest in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = client_context(certificates().authority.path, highest=highest)
        for listener in ("TLS", "NEWEST", "ASKED"):
            yield highest.name, listener, _version(kafka, listener, context)


@scenario(on=SECURED)
def tls_before_1_2(kafka: Kafka) -> Observations:
    """TLS 1.1 is refused."""
    context = client_context(certificates().authority.path, highest=ssl.TLSVersion.TLSv1_1)
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    yield _version(kafka, "TLS", context)


@scenario(on=SECURED)
def untrusted_brokers(kafka: Kafka) -> Observations:
    """A client that does not trust the broker ends the handshake; others are served."""
    yield _version(kafka, "TLS", client_context(certificates().stranger.path))
    yield _version(kafka, "TLS", trusting())


@scenario(on=SECURED)
def client_certificates(kafka: Kafka) -> Observations:
    """Certificates on listeners that need none, request one and require one, and the principals."""
    given = certificates()
    paths = {
        "none": None,
        "valid": given.client.path,
        "expired": given.expired.path,
        "untrusted": given.untrusted.path,
    }
    for listener in ("TLS", "ASKED", "MUTUAL"):
        for kind, path in paths.items():
            yield listener, kind, _principal(kafka, listener, path)


@scenario(on=SECURED)
def client_certificates_with_tls_1_2(kafka: Kafka) -> Observations:
    """With TLS 1.2 the same clients are served and refused."""
    given = certificates()
    for listener in ("TLS", "ASKED", "MUTUAL"):
        for certificate in (None, given.client, given.expired, given.untrusted):
            path = certificate and certificate.path
            highest = ssl.TLSVersion.TLSv1_2
            context = client_context(given.authority.path, path, highest=highest)
            yield listener, _version(kafka, listener, context)


@scenario(on=SECURED)
def names_of_certificates(kafka: Kafka) -> Observations:
    """The distinguished name of a certificate, as RFC 2253 writes it, is the principal's name."""
    country = (NameOID.COUNTRY_NAME, "DE")
    subjects: list[Attributes] = [
        client_subject("alice"),
        [(NameOID.EMAIL_ADDRESS, "bob@example.org"), (NameOID.COMMON_NAME, "bob")],
        [(NameOID.SERIAL_NUMBER, "12"), (NameOID.TITLE, "dr"), (NameOID.COMMON_NAME, "c")],
        [(NameOID.COMMON_NAME, 'q"uo+te<d>;,=\\')],
        [(NameOID.COMMON_NAME, "#hash"), (NameOID.ORGANIZATION_NAME, "in#side")],
        [(NameOID.COMMON_NAME, " blanks "), (NameOID.ORGANIZATION_NAME, "a  b")],
        [(NameOID.COMMON_NAME, "Jürgen"), (NameOID.LOCALITY_NAME, "Köln")],
        [
            country,
            (NameOID.STATE_OR_PROVINCE_NAME, "NRW"),
            (NameOID.STREET_ADDRESS, "Weg 1"),
            (NameOID.USER_ID, "u1"),
            (NameOID.DOMAIN_COMPONENT, "example"),
        ],
        [(NameOID.GIVEN_NAME, "Given"), (NameOID.SURNAME, "Sur"), (NameOID.COMMON_NAME, "x")],
        [(x509.ObjectIdentifier("1.2.3.4"), "unknown"), (NameOID.COMMON_NAME, "y")],
        [(NameOID.COMMON_NAME, "first"), (NameOID.COMMON_NAME, "second")],
    ]
    for number, subject in enumerate(subjects):
        name = f"{kafka.new_name('certificate')}-{number}"
        issued = certificates().authority.issue(name, subject)
        yield number, _principal(kafka, "MUTUAL", issued.path)


@scenario(on=SECURED)
def mapped_names(kafka: Kafka) -> Observations:
    """ssl.principal.mapping.rules; a name without a rule closes at the first request."""
    yield "mapped", _principal(kafka, "RULED", certificates().client.path)
    other = [(NameOID.COMMON_NAME, "other")]
    path = certificates().authority.issue(kafka.new_name("certificate"), other).path
    context = client_context(certificates().authority.path, path)
    client = kafka.connect(listener="RULED", context=context)
    try:
        yield "no rule", client.request(_BROKERS)
    except Closed:
        yield "no rule", "closed"


@scenario(on=SECURED)
def certificates_on_sasl_listeners(kafka: Kafka) -> Observations:
    """The principal of a SASL_SSL listener is the user, with and without a certificate."""
    for context in (trusting(), with_certificate()):
        client = kafka.connect(listener="SASLTLS", context=context)
        yield log_in_again(client, kafka.new_user())
        requested = CreateDelegationTokenRequest(renewers=[], max_lifetime_ms=-1)
        yield client.request(requested, 1).principal_name


@scenario(on=SECURED)
def bytes_that_are_not_tls(kafka: Kafka) -> Observations:
    """Plaintext on a TLS listener closes the connection."""
    for what, data in (
        ("a frame", b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff"),
        ("HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("zeros", bytes(64)),
    ):
        for listener in ("TLS", "SASLTLS"):
            client = kafka.connect(listener=listener)
            client.write(data)
            yield what, listener, client.is_closed()


@scenario(on=SECURED)
def tls_on_plaintext_listeners(kafka: Kafka) -> Observations:
    """A ClientHello on a listener without TLS closes the connection."""
    for listener in ("PLAINTEXT", "SASL"):
        try:
            kafka.connect(listener=listener, context=trusting())
        except (ssl.SSLError, OSError):
            yield listener, "closed"


@scenario(on=SECURED)
def incomplete_handshakes_stay_open(kafka: Kafka) -> Observations:
    """A handshake that does not continue is not closed soon; other clients are served."""
    client = kafka.connect(listener="TLS")
    client.write(b"\x16\x03\x01")
    yield "open", not client.is_closed(1.0)
    yield "others", _version(kafka, "TLS", trusting())


@scenario(on=SECURED)
def server_names_are_ignored(kafka: Kafka) -> Observations:
    """Every server name gets the same certificate."""
    context = trusting()
    context.check_hostname = False
    client = kafka.connect(listener="TLS", context=context)
    assert isinstance(client.socket, TlsSocket)
    expected = certificates().server.certificate
    found = client.socket.certificate
    assert found is not None
    yield x509.load_der_x509_certificate(found) == expected


@scenario(on=SECURED)
def large_records_over_tls(kafka: Kafka) -> Observations:
    """Requests and responses that are longer than a TLS record."""
    topic = kafka.topic()
    user = kafka.connect(listener="TLS", context=trusting())
    large = batch("x" * 300_000, "y" * 300_000)
    yield user.request(produce(topic, large))
    yield user.request(fetch(topic, max_wait_ms=0))


@scenario(on=SECURED)
def pipelined_requests_over_tls(kafka: Kafka) -> Observations:
    """Requests in one TLS record get their responses in order; a fetch waits and is woken."""
    topic = kafka.topic()
    client = kafka.connect(listener="TLS", context=trusting())
    pending = [client.start(produce(topic, batch(value))) for value in "abc"]
    yield from pending
    waiting = client.start(fetch(topic, 3))
    yield "waits", waiting.waits()
    kafka.request(produce(topic, batch("d")))
    yield waiting
