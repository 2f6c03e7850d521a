"""Kafka's own tests of its broker, clients and frameworks, from Maven, on nodes of ours.

These tests start brokers in their own process. The classes of `integration/outside/java` take the
place of the few classes of Kafka's test kits that do this: they start our broker, and give the
tests objects for it. A test that needs an object that only Kafka has, such as a producer state, is
skipped (`InsideOfTheBroker`). On Kafka only the tests run that ours fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from broker.config.kinds import format_value
from broker.config.table import KEYS
from integration.kafka.jars import KAFKA_VERSION, missing_for_a_jvm
from integration.outside.junit_reports import results_of
from integration.outside.suite import Brokers, Results, Verdict, run_logged
from integration.programs.program import maven_jars

_JAVA = Path(__file__).parent / "java"
_CLASS_WITHIN_SECONDS = 1800
_COMPILE_WITHIN_SECONDS = 300
_CONSOLE = "org.junit.platform.console.ConsoleLauncher"
# JUnit loads it for each test: it keeps the object of the test.
_EXTENSION = "outside.RunningTest"
_OPTIONS = (
    "-Xmx1500M",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Djunit.jupiter.extensions.autodetection.enabled=true",
    "-Djunit.jupiter.execution.timeout.default=240s",
    "-Dlog4j2.level=OFF",
)
_KAFKA = (
    ("kafka_2.13", ""),
    ("kafka-streams", ""),
    ("kafka-tools", ""),
    ("kafka-test-common-runtime", ""),
    ("kafka_2.13", "test"),
    ("kafka-clients", "test"),
    ("kafka-clients-integration-tests", "test"),
    ("kafka-group-coordinator", "test"),
    ("kafka-metadata", "test"),
    ("kafka-server", "test"),
    ("kafka-server-common", "test"),
    ("kafka-storage", "test"),
    ("kafka-tools", "test"),
)
# What the suites of frameworks need besides; some of it would replace a library of the others.
_FRAMEWORKS = {
    "kafka-connect": (
        ("connect-runtime", ""),
        ("connect-mirror", ""),
        ("connect-file", ""),
        ("connect-runtime", "test"),
        ("connect-mirror", "test"),
    ),
    "kafka-streams": (
        ("kafka-streams", "test"),
        ("kafka-streams-integration-tests", "test"),
    ),
}
_LIBRARIES = (
    "org.junit.jupiter:junit-jupiter:5.14.4",
    "org.junit.platform:junit-platform-console:1.14.4",
    "org.junit.platform:junit-platform-engine:1.14.4",
    "org.junit.platform:junit-platform-launcher:1.14.4",
    "junit:junit:4.13.2",
    "org.mockito:mockito-core:5.20.0",
    "org.bouncycastle:bcpkix-jdk18on:1.80",
    "org.hamcrest:hamcrest:3.0",
)


class ApacheKafka:
    """The tests of *classes*, which have clients or requests."""

    nodes = 0
    properties: Mapping[str, str] = {}
    racks: Sequence[str] = ()
    advertised: int | None = None

    def __init__(self, name: str, classes: Sequence[str]) -> None:
        self.name = name
        self._classes = classes
        self._failed: set[str] = set()

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        return missing_for_a_jvm() or (None if shutil.which("mvn") else "no mvn on the PATH")

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`; a test is named by its class and method, without parameters."""
        with tempfile.TemporaryDirectory() as folder:
            class_path = f"{_jars(self.name)}/*"
            if brokers.are_ours:
                class_path = f"{_compiled(Path(folder), class_path)}{os.pathsep}{class_path}"
            results: Results = {}
            for each in self._classes:
                only = None if brokers.are_ours else self._methods(each)
                if only != []:
                    results |= _run_class(each, only, class_path, Path(folder), log)
        if brokers.are_ours:
            self._failed = {test for test, verdict in results.items() if verdict is Verdict.FAILED}
        return results

    def _methods(self, class_name: str) -> list[str]:
        simple = class_name.rpartition(".")[2]
        named = (test.partition(".") for test in sorted(self._failed))
        return [method for owner, _, method in named if owner == simple]


def _jars(suite: str) -> Path:
    """The folder with Kafka's tests and what they need; raises `Unavailable`."""
    artifacts = (*_KAFKA, *_FRAMEWORKS.get(suite, ()))
    kafka = (f"org.apache.kafka:{name}:{KAFKA_VERSION}:{kind}" for name, kind in artifacts)
    coordinates = [each.rstrip(":") for each in kafka]
    return maven_jars(f"tests-{suite}-{KAFKA_VERSION}", *coordinates, *_LIBRARIES)


def _compiled(folder: Path, class_path: str) -> Path:
    """Compile the classes that take the place of Kafka's; returns their folder."""
    classes = folder / "classes"
    services = classes / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "org.junit.jupiter.api.extension.Extension").write_text(_EXTENSION)
    command: list[str | Path] = ["javac", "-proc:none", "-nowarn", "-d", classes]
    command += ["-cp", class_path, *sorted(_JAVA.rglob("*.java"))]
    subprocess.run(command, check=True, timeout=_COMPILE_WITHIN_SECONDS)
    return classes


def _run_class(
    class_name: str, only: Collection[str] | None, class_path: str, folder: Path, log: Path
) -> Results:
    """Run the tests of one class in a JVM, all of them or *only* these methods."""
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    command = ["java", *_OPTIONS, *_properties(), "-cp", class_path, _CONSOLE, "execute"]
    command += ["--disable-banner", "--disable-ansi-colors", "--reports-dir", str(reports)]
    command += ["--select-class", class_name]
    if only is not None:
        command += ["--include-methodname", f".*#({'|'.join(only)})([(].*)?"]
    run_logged(command, log, folder=folder, within_seconds=_CLASS_WITHIN_SECONDS)
    return results_of(reports, class_name)


def _properties() -> list[str]:
    """Java's system properties for `OurCluster` and `Settings`."""
    defaults = [
        f"{key.name}={format_value(key.kafka_default)}"
        for key in KEYS.values()
        if key.kafka_default is not None
    ]
    lists = {
        "command": [sys.executable, "-m", "antechamber"],
        "keys": list(KEYS),
        "defaults": defaults,
    }
    return [f"-Doutside.{name}={chr(10).join(values)}" for name, values in lists.items()]
