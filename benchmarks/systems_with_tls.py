"""The compared systems with a listener of TLS 1.3: the same certificate and cipher suite."""

from __future__ import annotations

from pathlib import Path

from benchmarks.systems import JVM_WARM_UP_ROUNDS, KEPT, System
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.real_kafka import RealKafka
from integration.processes.antechamber import Antechamber
from integration.processes.server_process import free_ports
from integration.security.certificates import certificates

_NAMES = ("PLAINTEXT", "TLS")


class AntechamberWithTls(Antechamber):
    """Ours."""

    def __init__(self, packages: Path | None = None) -> None:
        settings = _settings(dict.fromkeys(_NAMES, "127.0.0.1:0"))
        options = (f"-c{key}={value}" for key, value in settings.items())
        super().__init__(*options, packages=packages)
        self.listeners: dict[str, str] = self.ready["listeners"]


def available_with_tls(compiled: Path | None = None) -> list[System]:
    """The systems of one broker that this machine can run; *compiled* as of `available`."""
    systems = [System("ours", lambda: AntechamberWithTls(compiled), tls=True)]
    if compiled is not None:
        systems.append(System("pure", AntechamberWithTls, tls=True))
    if missing_for_a_jvm() is None:
        systems.append(System("Kafka", _kafka, tls=True, warm_up_rounds=JVM_WARM_UP_ROUNDS))
    return systems


def _kafka() -> RealKafka:
    ports = free_ports(len(_NAMES))
    listeners = {name: f"127.0.0.1:{port}" for name, port in zip(_NAMES, ports, strict=True)}
    at = ",".join(f"{name}://{address}" for name, address in listeners.items())
    return RealKafka(1, _settings(listeners) | {"advertised.listeners": at}, listeners=listeners)


def _settings(listeners: dict[str, str]) -> dict[str, str]:
    given = certificates()
    return {
        "listeners": ",".join(f"{name}://{address}" for name, address in listeners.items()),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,TLS:SSL",
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(given.server.path),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(given.authority.path),
        "ssl.enabled.protocols": "TLSv1.3",
        "ssl.cipher.suites": "TLS_AES_256_GCM_SHA384",
        **dict([KEPT]),
    }
