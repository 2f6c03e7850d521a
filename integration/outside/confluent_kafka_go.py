"""confluent-kafka-go's integration tests, from the sources of its module."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.outside.go_suites import module_copy, run_package
from integration.outside.suite import Brokers, Results
from integration.processes.server_process import free_ports

_MODULE = "github.com/confluentinc/confluent-kafka-go/v2@v2.11.1"
# Not TestTransactionalProducer: it flushes with a timeout that is over at once, and passes only if
# the records are sent before that. Each test gets a broker of its own, because the names of topics
# are drawn from a seed, which is the current second.
_TESTS = ("TestIntegration", "TestTransactionalSendOffsets")
_USER, _PASSWORD = "testuser", "testpass"
_LISTENERS = ("PLAINTEXT", "SASL_PLAINTEXT")
_PROPERTIES = {
    "auto.create.topics.enable": "true",
    "inter.broker.listener.name": "PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl_plaintext.plain.sasl.jaas.config": (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        f'user_{_USER}="{_PASSWORD}";'
    ),
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "super.users": "User:ANONYMOUS",
}


class ConfluentKafkaGo:
    """The tests of its clients that need a broker; some log in to it."""

    name = "confluent-kafka-go"
    nodes = 0
    properties: Mapping[str, str] = {}
    racks: Sequence[str] = ()
    advertised: int | None = None

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        lacking = [each for each in ("go", "gcc") if not shutil.which(each)]
        return f"no {', '.join(lacking)}" if lacking else None

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        package = module_copy(self.name, _MODULE) / "kafka"
        results: Results = {}
        for test in _TESTS:
            with _broker(are_ours=brokers.are_ours) as listeners:
                _configure(package, listeners)
                results |= run_package(package, f"^{test}$", log)
        return results


@contextmanager
def _broker(*, are_ours: bool) -> Iterator[Mapping[str, str]]:
    """Start a broker that serves clients with and without a login; the addresses by listener."""
    listeners = {
        name: f"127.0.0.1:{port}"
        for name, port in zip(_LISTENERS, free_ports(len(_LISTENERS)), strict=True)
    }
    addresses = ",".join(f"{name}://{address}" for name, address in listeners.items())
    properties = {
        **_PROPERTIES,
        "listeners": addresses,
        "advertised.listeners": addresses,
        "listener.security.protocol.map": ",".join(f"{name}:{name}" for name in _LISTENERS),
    }
    if are_ours:
        with Cluster(config=properties):
            yield listeners
    else:
        with RealKafka(1, properties, heap="512M", quick=True, listeners=listeners):
            yield listeners


def _configure(package: Path, listeners: Mapping[str, str]) -> None:
    """Write the file from which the tests read the addresses."""
    configuration = {
        "Brokers": listeners["PLAINTEXT"],
        "BrokersSasl": listeners["SASL_PLAINTEXT"],
        "SaslUsername": _USER,
        "SaslPassword": _PASSWORD,
        "SaslMechanism": "PLAIN",
        "TopicName": "test",
        "GroupID": "testgroup",
    }
    (package / "testconf.json").write_text(json.dumps(configuration))
