"""Keys of data directories."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import AnyList
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class DirectoryKeys:
    """Keys of data directories, for which the command line has ``--data-dir``."""

    log_dir: tuple[str, ...] = key(
        "log.dir",
        AnyList(),
        # Kafka's default; this broker does not write there.
        ("/tmp/kafka-logs",),  # noqa: S108 - not used as a path
        "The directory of the logs, if it is set and neither log.dirs nor --data-dir is given.",
    )
    log_dirs: tuple[str, ...] | None = key(
        "log.dirs",
        AnyList(),
        None,
        "The directories of the logs, if --data-dir is not given; by default a temporary one.",
    )
