"""Finds or fetches the jars of Spark's Kafka connector.

Spark does not contain it. Maven fetches four jars once into a cache of the user; their dependencies
are part of Spark. ``SPARK_KAFKA_JARS`` names a folder that contains the jars already.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pipeline.errors import PipelineError

FOLDER_VARIABLE = "SPARK_KAFKA_JARS"
COORDINATES = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    # Delegation tokens: unused here, but referenced; no newer version is published.
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.13.1"),
)
FETCH_WITHIN_S = 300


def connector_jars() -> list[Path]:
    """Return the connector's jars, fetched if necessary; raises `PipelineError` with a remedy."""
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


def connector_source() -> str:
    """Where the connector's jars come from; raises `PipelineError` if they cannot be had."""
    if given := os.environ.get(FOLDER_VARIABLE):
        connector_jars()
        return f"in {given}"
    if not _missing(_cache()):
        return f"in {_cache()}"
    return f"fetched by {_maven()} on first use"


def _names() -> list[str]:
    return [f"{artifact}-{version}.jar" for _, artifact, version in COORDINATES]


def _missing(folder: Path) -> list[str]:
    return [name for name in _names() if not (folder / name).is_file()]


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "antechamber" / f"spark-kafka-{COORDINATES[0][2]}"


def _remedy() -> str:
    return f"put {', '.join(_names())} into a folder and name it in {FOLDER_VARIABLE}"


def _maven() -> str:
    maven = shutil.which("mvn")
    if maven is None:
        raise PipelineError(f"neither Spark's Kafka connector nor mvn is installed; {_remedy()}")
    return maven


def _fetch(folder: Path) -> None:
    maven = _maven()
    sys.stderr.write("antechamber analyze: Maven fetches Spark's Kafka connector ...\n")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as scratch:
        project, jars = Path(scratch, "pom.xml"), Path(scratch, "jars")
        project.write_text(_pom(), encoding="utf-8")
        goal = [maven, "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
        goal += ["-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
        try:
            subprocess.run(goal, check=True, timeout=FETCH_WITHIN_S, capture_output=True)  # noqa: S603 - Maven, with our own project
        except (subprocess.SubprocessError, OSError):
            raise PipelineError(
                f"Maven could not fetch Spark's Kafka connector; {_remedy()}"
            ) from None
        try:
            jars.rename(folder)
        except OSError:  # another run made it, or the folder is incomplete
            if _missing(folder):
                raise PipelineError(f"{folder} is incomplete; remove it and retry") from None


def _pom() -> str:
    # Excluding all dependencies avoids searches in the repositories that Spark's pom names.
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
