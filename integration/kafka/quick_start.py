"""Two cached files with which a Kafka of the tests starts in one second instead of five.

`bootstrap.checkpoint` is what Kafka's StorageTool writes into a formatted log directory; it is the
same for every node. `classes.jsa` is the JVM's archive of the classes that a server has loaded
(class data sharing); an incompatible JVM ignores it. Both come from a server that is started, used
briefly, and stopped in order.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from integration.kafka.jars import kafka_jars
from integration.machine.deadlines import ENDS_WITHIN_S
from integration.processes.server_process import ServerProcess, free_ports, wait_for_listener
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce
from integration.wire.topics import make_topic

CHECKPOINT, CLASSES = "bootstrap.checkpoint", "classes.jsa"
# The first compiler starts fastest, which suits a server that runs for seconds.
_JVM_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xlog:disable")
_ANY_CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"


class QuickStart(NamedTuple):
    """The folder of the two files."""

    folder: Path

    @property
    def jvm_flags(self) -> list[str]:
        """Return the arguments of `java` before the class path."""
        return [*_JVM_FLAGS, f"-XX:SharedArchiveFile={self.folder / CLASSES}"]

    def format(self, directory: Path, cluster_id: str, node_id: int) -> None:
        """Make *directory* a formatted log directory of a node."""
        directory.mkdir(parents=True)
        shutil.copy(self.folder / CHECKPOINT, directory)
        facts = {"version": "1", "cluster.id": cluster_id, "node.id": str(node_id)}
        write_properties(directory / "meta.properties", facts)


def quick_start() -> QuickStart:
    """Return the two files for this JVM and these jars; makes them the first time."""
    folder = kafka_jars().parent / f"{kafka_jars().name}-started-{_jvm()}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="starting-") as scratch:
            made = _make(Path(scratch))
            try:
                made.rename(folder)
            except OSError:  # another run made it
                if not folder.exists():
                    raise
    return QuickStart(folder)


def class_path() -> str:
    """Kafka's jars in a fixed order, because an archive of classes depends on it."""
    return ":".join(str(jar) for jar in sorted(kafka_jars().glob("*.jar")))


def write_properties(path: Path, values: Mapping[str, str]) -> None:
    """Write a file of Java properties."""
    path.write_text("".join(f"{key}={value}\n" for key, value in values.items()))


def _jvm() -> str:
    """A short name of the JVM on the PATH and its version."""
    java = Path(shutil.which("java") or "java").resolve()
    release = java.parent.parent / "release"
    printed = release.read_bytes() if release.exists() else os.fsencode(java)
    return hashlib.sha256(printed).hexdigest()[:8]


def _make(scratch: Path) -> Path:
    made, data, properties = scratch / "made", scratch / "data", scratch / "server.properties"
    made.mkdir()
    port, controller = free_ports(2)
    write_properties(
        properties,
        {
            "process.roles": "broker,controller",
            "node.id": "1",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "log.dirs": str(data),
        },
    )
    java = ["java", *_JVM_FLAGS, "-cp", class_path()]
    formatting = ["kafka.tools.StorageTool", "format", "-t", _ANY_CLUSTER, "-c", str(properties)]
    subprocess.run([*java, *formatting], check=True, capture_output=True, timeout=ENDS_WITHIN_S)
    shutil.copy(data / CHECKPOINT, made)
    archiving = f"-XX:ArchiveClassesAtExit={made / CLASSES}"
    server = ServerProcess([*java[:-2], archiving, *java[-2:], "kafka.Kafka", properties], scratch)
    try:
        wait_for_listener(server, "127.0.0.1", port, within=60)
        _use(f"127.0.0.1:{port}")
        server.stop(within=60)
    finally:
        server.kill()
    return made


def _use(bootstrap: str) -> None:
    """Make the server load the classes that tests use most."""
    with Connection(bootstrap) as connection:
        make_topic(connection, "first")
        connection.request(produce("first", 0, batch([b"value"])))
        connection.request(fetch("first", 0, 0))
