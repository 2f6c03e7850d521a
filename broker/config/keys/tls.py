"""Keys of TLS; a listener may have a value of its own for each of them."""

from __future__ import annotations

from broker.config.key import PER_BROKER, key
from broker.config.kinds import AnyList, Boolean, OneOf, Secret, Text
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class TlsKeys:
    """Keys of TLS; a listener may have a value of its own for each of them."""

    ssl_keystore_type: str = key(
        "ssl.keystore.type",
        Text(),
        "JKS",
        "The format of the key store: PEM, PKCS12 or JKS. The last two are recognized by the file.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_keystore_location: str | None = key(
        "ssl.keystore.location",
        Text(),
        None,
        "The file with the private key and the certificate chain of the broker.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_keystore_password: str | None = key(
        "ssl.keystore.password",
        Secret(),
        None,
        "The password of the key store; PEM has none.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_keystore_key: str | None = key(
        "ssl.keystore.key",
        Secret(),
        None,
        "The private key as PEM text, instead of a file.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_keystore_certificate_chain: str | None = key(
        "ssl.keystore.certificate.chain",
        Secret(),
        None,
        "The certificate chain as PEM text, instead of a file.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_key_password: str | None = key(
        "ssl.key.password",
        Secret(),
        None,
        "The password of the private key in a PEM or JKS key store.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_truststore_type: str = key(
        "ssl.truststore.type",
        Text(),
        "JKS",
        "The format of the trust store: PEM, PKCS12 or JKS.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_truststore_location: str | None = key(
        "ssl.truststore.location",
        Text(),
        None,
        "The file with the certificates that are trusted; without one, those of the system are.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_truststore_password: str | None = key(
        "ssl.truststore.password",
        Secret(),
        None,
        "The password of the trust store; without one, its integrity is not checked.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_truststore_certificates: str | None = key(
        "ssl.truststore.certificates",
        Secret(),
        None,
        "The trusted certificates as PEM text, instead of a file.",
        update_mode=PER_BROKER,
        per_listener=True,
    )
    ssl_client_auth: str = key(
        "ssl.client.auth",
        OneOf(("required", "requested", "none")),
        "none",
        "Whether clients must have a certificate, may have one, or are not asked for one.",
        update_mode=PER_BROKER,
    )
    ssl_principal_mapping_rules: str = key(
        "ssl.principal.mapping.rules",
        Text(),
        "DEFAULT",
        "How the distinguished name of a client's certificate becomes the name of its principal.",
    )
    ssl_enabled_protocols: tuple[str, ...] = key(
        "ssl.enabled.protocols",
        AnyList(),
        ("TLSv1.2", "TLSv1.3"),
        "The versions of TLS; those between the lowest and the highest are enabled, too.",
        update_mode=PER_BROKER,
    )
    ssl_cipher_suites: tuple[str, ...] = key(
        "ssl.cipher.suites",
        AnyList(),
        (),
        "The cipher suites by their IANA names; empty: those of OpenSSL. Suites of TLS 1.3 are "
        "enabled together.",
        update_mode=PER_BROKER,
    )
    ssl_endpoint_identification_algorithm: str = key(
        "ssl.endpoint.identification.algorithm",
        Text(),
        "https",
        "How a node verifies the host name of another node: https, or empty for not at all.",
        update_mode=PER_BROKER,
    )
    ssl_allow_dn_changes: bool = key(
        "ssl.allow.dn.changes",
        Boolean(),
        False,
        "Whether a new key store may have another distinguished name.",
    )
    ssl_allow_san_changes: bool = key(
        "ssl.allow.san.changes",
        Boolean(),
        False,
        "Whether a new key store may have other subject alternative names.",
    )
