"""Apache Kafka's jars, fetched once by Maven into a cache of the user.

`ANTECHAMBER_KAFKA_JARS` names a folder that has them or receives them; the default is
`antechamber/kafka-<version>` under XDG_CACHE_HOME. The folder is created atomically: Maven writes
beside it, and the result is renamed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

KAFKA_VERSION = "4.3.1"
LOG4J_VERSION = "2.25.5"  # the version of kafka-server 4.3.1, which the binding must match

_COORDINATES = (
    ("org.apache.kafka", "kafka_2.13", KAFKA_VERSION),
    ("org.apache.kafka", "kafka-tools", KAFKA_VERSION),
    ("org.apache.logging.log4j", "log4j-slf4j-impl", LOG4J_VERSION),
)
_STDERR = 2


def missing_for_a_jvm() -> str | None:
    """Return what is missing to run a real Kafka, or None."""
    if shutil.which("java") is None:
        return "no java on the PATH"
    if not _has_jars(_folder()) and shutil.which("mvn") is None:
        return "no mvn on the PATH to fetch Kafka's jars with"
    return None


def kafka_jars() -> Path:
    """Return the folder with Kafka's jars; fetches them the first time."""
    folder = _folder()
    if not _has_jars(folder):
        _fetch(folder)
    return folder


def _folder() -> Path:
    named = os.environ.get("ANTECHAMBER_KAFKA_JARS")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "antechamber" / f"kafka-{KAFKA_VERSION}"


def _has_jars(folder: Path) -> bool:
    return (folder / f"kafka_2.13-{KAFKA_VERSION}.jar").exists()


def _fetch(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as scratch:
        project, jars = Path(scratch, "pom.xml"), Path(scratch, "jars")
        project.write_text(_pom())
        goal = ["mvn", "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
        goal.append(f"-DoutputDirectory={jars}")
        # Its output goes to stderr: scripts read the folder from stdout.
        subprocess.run(goal, stdout=_STDERR, check=True, timeout=600)
        try:
            jars.rename(folder)
        except OSError:  # another run made it, or the folder is incomplete
            if not _has_jars(folder):
                raise


def _pom() -> str:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, artifact, version in _COORDINATES
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>antechamber</groupId><artifactId>kafka-jars</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )


if __name__ == "__main__":
    print(kafka_jars())
