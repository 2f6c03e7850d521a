"""The checked options of ``antechamber serve``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from broker.config import Config

PORT_MAX = 65535


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic to create before the broker is ready; -1 is the broker's default."""

    name: str
    partitions: int = -1
    replication_factor: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of ``antechamber serve``."""

    host: str = "127.0.0.1"
    port: int = 9092
    # The address that clients are given; None: the address that the broker listens at.
    advertised_host: str | None = None
    advertised_port: int | None = None
    brokers: int = 1
    admin_host: str = "127.0.0.1"
    admin_port: int = 9644
    # The bearer token of admin requests; None: requests need none, on loopback.
    admin_token: str | None = None
    # Without any: a temporary directory that is removed when the broker stops.
    data_dirs: tuple[Path, ...] = ()
    config: Config = field(default_factory=Config)
    topics: tuple[TopicSpec, ...] = ()
    # Wait records are kept in memory, and optionally in a file of JSON lines and in a topic.
    record: bool = False
    records: Path | None = None
    records_topic: str | None = None
    ready_file: Path | None = None
    # Stop when stdin ends, as it does when the process that started this one ends.
    stop_with_stdin: bool = False
    quiet: bool = False
    verbose: bool = False
