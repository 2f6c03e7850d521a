"""Spark's Kafka connector: where its jars are had, and what is said when they cannot be.

Spark does not bring it. Four jars are asked for by name, and nothing else: whatever they depend on
is among Spark's own. They are fetched once, by Maven, into a cache of the user.
``SPARK_KAFKA_JARS`` names a folder that has them already.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pipeline.errors import PipelineError

FOLDER_VARIABLE = "SPARK_KAFKA_JARS"
COORDINATES = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    # Delegation tokens, unused here but referred to; newer ones are not published.
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.13.1"),
)
FETCH_WITHIN_S = 300


def connector_jars() -> list[Path]:
    """The connector's jars, fetched if need be; raises `PipelineError` that says what to do."""
    given = os.environ.get(FOLDER_VARIABLE)
    folder = Path(given) if given else _cache()
    if missing := _missing(folder):
        if given:
            raise PipelineError(
                f"{FOLDER_VARIABLE}: {given} has no {missing[0]}; it takes all of "
                + ", ".join(_names())
            )
        _fetch(folder)
    return [folder / name for name in _names()]


def _names() -> list[str]:
    return [f"{artifact}-{version}.jar" for _, artifact, version in COORDINATES]


def _missing(folder: Path) -> list[str]:
    return [name for name in _names() if not (folder / name).is_file()]


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "antechamber" / f"spark-kafka-{COORDINATES[0][2]}"


def _fetch(folder: Path) -> None:
    maven = shutil.which("mvn")
    remedy = f"put {', '.join(_names())} into a folder and name it in {FOLDER_VARIABLE}"
    if maven is None:
        raise PipelineError(f"Spark's Kafka connector is not here, nor mvn to fetch it; {remedy}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as scratch:
        project, jars = Path(scratch, "pom.xml"), Path(scratch, "jars")
        project.write_text(_pom())
        goal = [maven, "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
        goal += ["-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
        try:
            subprocess.run(goal, check=True, timeout=FETCH_WITHIN_S, capture_output=True)  # noqa: S603 - Maven, with a project of ours
        except (subprocess.SubprocessError, OSError):
            raise PipelineError(
                f"Maven could not fetch Spark's Kafka connector; {remedy}"
            ) from None
        try:
            jars.rename(folder)
        except OSError:  # another run was faster, or an unfinished folder was made by hand
            if _missing(folder):
                raise PipelineError(f"{folder} is unfinished; remove it and try again") from None


def _pom() -> str:
    # Excluding everything else spares a search through repositories that Spark's own pom names.
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version><exclusions><exclusion><groupId>*</groupId>"
        "<artifactId>*</artifactId></exclusion></exclusions></dependency>"
        for group, artifact, version in COORDINATES
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>antechamber</groupId><artifactId>spark-kafka-jars</artifactId>"
        f"<version>1</version><dependencies>{dependencies}</dependencies></project>"
    )
