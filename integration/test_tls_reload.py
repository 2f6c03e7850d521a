"""The certificate of a listener is replaced while the broker runs."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme
from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # of its private modules
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from antechamber import Cluster

KEY = "listener.name.ssl.ssl.keystore.location"


def write(path: Path, authority: trustme.CA, name: str = "broker") -> str:
    """Write a new key store; returns its certificate."""
    certificate = authority.issue_cert(
        "127.0.0.1", common_name=name, organization_name="o", organization_unit_name="u"
    )
    key = load_pem_private_key(certificate.private_key_pem.bytes(), None)
    chain = certificate.cert_chain_pems[0].bytes()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + chain)
    return ssl.PEM_cert_to_DER_cert(chain.decode()).hex()


def alter(admin: AdminClient, value: str) -> None:
    """Set the location of the key store of node 1; raises `KafkaException`."""
    entry = ConfigEntry(KEY, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.BROKER, "1", incremental_configs=[entry])
    (result,) = admin.incremental_alter_configs([resource]).values()
    result.result(60)


def test_a_rewritten_key_store_is_read_when_its_location_is_set(tmp_path: Path) -> None:
    """Setting the same location again reads the file again; one with another name is refused."""
    authority, path = trustme.CA(), tmp_path / "broker.pem"
    write(path, authority)
    config = {
        "listeners": "SSL://127.0.0.1:0",
        "security.inter.broker.protocol": "SSL",
        "listener.name.ssl.ssl.keystore.type": "PEM",
        KEY: str(path),
    }
    ca = tmp_path / "ca.pem"
    ca.write_bytes(authority.cert_pem.bytes())
    with Cluster(config=config) as kafka:
        host, _, port = kafka.bootstrap.rpartition(":")

        def served() -> str:
            pem = ssl.get_server_certificate((host, int(port)))
            return ssl.PEM_cert_to_DER_cert(pem).hex()

        admin = AdminClient(
            {
                "bootstrap.servers": kafka.bootstrap,
                "security.protocol": "ssl",
                "ssl.ca.location": str(ca),
            }
        )
        alter(admin, str(path))
        for _ in range(2):
            new = write(path, authority)
            alter(admin, str(path))
            assert served() == new

        write(path, authority, "another")
        with pytest.raises(KafkaException, match="DistinguishedName does not match"):
            alter(admin, str(path))
        assert served() == new
