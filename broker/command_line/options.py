"""What a user asked for when starting the broker, checked and ready to use."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from broker.config import Config

PORT_MAX = 65535


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic to make before the broker is ready; -1 takes the broker's default."""

    name: str
    partitions: int = -1
    replication_factor: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of ``antechamber serve``."""

    host: str = "127.0.0.1"
    port: int = 9092
    # What clients are told, where they come by another address; None: the one that is served on.
    advertised_host: str | None = None
    advertised_port: int | None = None
    brokers: int = 1
    admin_host: str = "127.0.0.1"
    admin_port: int = 9644
    # The bearer token every admin request must carry; None on loopback, where none is needed.
    admin_token: str | None = None
    # None given: a temporary directory that is gone when the broker stops.
    data_dirs: tuple[Path, ...] = ()
    config: Config = field(default_factory=Config)
    topics: tuple[TopicSpec, ...] = ()
    # Wait records: kept in memory, and with these also in a file of JSON lines or a topic here.
    record: bool = False
    records: Path | None = None
    records_topic: str | None = None
    ready_file: Path | None = None
    # Stop when stdin ends, as it does when the process that started this one dies.
    stop_with_stdin: bool = False
    quiet: bool = False
    verbose: bool = False
