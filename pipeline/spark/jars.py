"""Finds or fetches jars that pyspark does not contain: Spark's Kafka connector, and Delta Lake.

Maven fetches each set of jars once into a cache of the user; their dependencies are part of Spark.
An environment variable names a folder that contains the jars of a set already.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import PipelineError

FETCH_WITHIN_S = 300


@dataclass(frozen=True)
class JarSet:
    """Jars that are used together.

    ``variable`` is the environment variable, ``cache`` the name of the folder in the cache, and
    ``coordinates`` are groups, artifacts and versions.
    """

    name: str
    variable: str
    cache: str
    coordinates: tuple[tuple[str, str, str], ...]

    def jars(self) -> list[Path]:
        """Return the jars, fetched if necessary; raises `PipelineError` with a remedy."""
        given = os.environ.get(self.variable)
        folder = Path(given) if given else self._cached()
        if missing := self._missing(folder):
            if given:
                raise PipelineError(
                    f"{self.variable}: {given} has no {missing[0]}; it takes all of "
                    + ", ".join(self.file_names())
                )
            self._fetch(folder)
        return [folder / name for name in self.file_names()]

    def source(self) -> str:
        """Where the jars come from; raises `PipelineError` if they cannot be had."""
        if given := os.environ.get(self.variable):
            self.jars()
            return f"in {given}"
        if not self._missing(self._cached()):
            return f"in {self._cached()}"
        return f"fetched by {self._maven()} on first use"

    def file_names(self) -> list[str]:
        """The names of the jars."""
        return [f"{artifact}-{version}.jar" for _, artifact, version in self.coordinates]

    def _missing(self, folder: Path) -> list[str]:
        return [name for name in self.file_names() if not (folder / name).is_file()]

    def _cached(self) -> Path:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(base) / "antechamber" / f"{self.cache}-{self.coordinates[0][2]}"

    def _remedy(self) -> str:
        return f"put {', '.join(self.file_names())} into a folder and name it in {self.variable}"

    def _maven(self) -> str:
        maven = shutil.which("mvn")
        if maven is None:
            raise PipelineError(f"neither {self.name} nor mvn is installed; {self._remedy()}")
        return maven

    def _fetch(self, folder: Path) -> None:
        maven = self._maven()
        sys.stderr.write(f"antechamber analyze: Maven fetches {self.name} ...\n")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as scratch:
            project, jars = Path(scratch, "pom.xml"), Path(scratch, "jars")
            project.write_text(self._pom(), encoding="utf-8")
            goal = [maven, "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
            goal += ["-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
            try:
                subprocess.run(goal, check=True, timeout=FETCH_WITHIN_S, capture_output=True)  # noqa: S603 - Maven, with our own project
            except (subprocess.SubprocessError, OSError):
                raise PipelineError(
                    f"Maven could not fetch {self.name}; {self._remedy()}"
                ) from None
            try:
                jars.rename(folder)
            except OSError:  # another run made it, or the folder is incomplete
                if self._missing(folder):
                    raise PipelineError(f"{folder} is incomplete; remove it and retry") from None

    def _pom(self) -> str:
        # Excluding all dependencies avoids searches in the repositories that Spark's pom names.
        dependencies = "".join(
            f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version><exclusions><exclusion><groupId>*</groupId>"
            "<artifactId>*</artifactId></exclusion></exclusions></dependency>"
            for group, artifact, version in self.coordinates
        )
        return (
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            f"<groupId>antechamber</groupId><artifactId>{self.cache}-jars</artifactId>"
            f"<version>1</version><dependencies>{dependencies}</dependencies></project>"
        )


KAFKA = JarSet(
    name="Spark's Kafka connector",
    variable="SPARK_KAFKA_JARS",
    cache="spark-kafka",
    coordinates=(
        ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
        # Delegation tokens: unused here, but referenced; no newer version is published.
        ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
        ("org.apache.kafka", "kafka-clients", "3.9.2"),
        ("org.apache.commons", "commons-pool2", "2.13.1"),
    ),
)
DELTA = JarSet(
    name="Delta Lake",
    variable="SPARK_DELTA_JARS",
    cache="spark-delta",
    # The newest version for Spark 4.2. Its other dependencies are for Unity Catalog.
    coordinates=(
        ("io.delta", "delta-spark_4.2_2.13", "4.4.0"),
        ("io.delta", "delta-storage", "4.4.0"),
    ),
)
