"""The checked options of ``antechamber serve``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from broker.config import Config
from broker.reset.given import GivenTopic
from broker.security.admin_tokens import NO_TOKENS, AdminTokens
from broker.security.sasl.scram_options import UserCredential
from protocol.lazy_dataclass import dataclass

PORT_MAX = 65535


@dataclass(frozen=True, slots=True)
class AdminOptions:
    """The address of the admin interface, and who may use it; without TLS it is HTTP."""

    host: str = "127.0.0.1"
    port: int = 9644
    has_tls: bool = False
    tokens: AdminTokens = NO_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of ``antechamber serve``."""

    host: str = "127.0.0.1"
    port: int = 9092
    # The address that clients are given; None: the address that the broker listens at.
    advertised_host: str | None = None
    advertised_port: int | None = None
    brokers: int = 1
    # The racks of the nodes in the order of their ids, in turn; without any: ``broker.rack``.
    racks: tuple[str, ...] = ()
    admin: AdminOptions = AdminOptions()
    # Without any: a temporary directory that is removed when the broker stops.
    data_dirs: tuple[Path, ...] = ()
    config: Config = field(default_factory=Config)
    # Make certificates for all TLS listeners; their files by name, as `make_certificates` returns.
    tls: bool = False
    tls_files: Mapping[str, str] = field(default_factory=dict)
    topics: tuple[GivenTopic, ...] = ()
    # Stored before the nodes start; an existing credential is replaced.
    credentials: tuple[UserCredential, ...] = ()
    # A schedule of fault rules to set before the broker is ready.
    faults: Path | None = None
    # Wait records are kept in memory, and optionally in a file of JSON lines, in a topic, in a file
    # in the form of Kafka's request log, and as spans at a collector's address.
    record: bool = False
    records: Path | None = None
    records_topic: str | None = None
    request_log: Path | None = None
    otlp: str | None = None
    ready_file: Path | None = None
    # Stop when stdin ends, as it does when the process that started this one ends.
    stop_with_stdin: bool = False
    quiet: bool = False
    verbose: bool = False

    @property
    def first_node_id(self) -> int:
        """The id of the first node; those of the others follow."""
        return 1 if self.config.node_id is None else self.config.node_id

    def rack(self, node_id: int) -> str | None:
        """The rack of a node; None if it has none."""
        if self.racks:
            return self.racks[(node_id - self.first_node_id) % len(self.racks)]
        return self.config.broker_rack
