"""librdkafka's C and C++ tests, built from the sources in a package of the npm registry."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from integration.kafka.quick_start import class_path
from integration.machine.archives import unpack
from integration.outside.suite import Brokers, Results, Verdict, cache, run_logged

PACKAGE = "@confluentinc/kafka-javascript@1.10.1"
_BUILD_WITHIN_SECONDS = 1200
_RUN_WITHIN_SECONDS = 1500
_SOURCES = Path("package/deps/librdkafka")
_PROPERTIES = {"num.partitions": "4"}
_TOPICS_TOOL = """#!/bin/sh
exec java -XX:TieredStopAtLevel=1 -cp '{class_path}' {main_class} "$@"
"""
_TOOLS = {
    "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand",
    "kafka-acls.sh": "kafka.admin.AclCommand",
    "kafka-configs.sh": "kafka.admin.ConfigCommand",
}
_VERDICTS = {"PASSED": Verdict.PASSED, "FAILED": Verdict.FAILED, "SKIPPED": Verdict.SKIPPED}


class Librdkafka:
    """The tests that need a broker, in librdkafka's quick mode."""

    name = "librdkafka"
    nodes = 1
    properties: Mapping[str, str] = _PROPERTIES
    racks: Sequence[str] = ()
    advertised: int | None = None

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        lacking = [each for each in ("npm", "gcc", "g++", "make", "java") if not shutil.which(each)]
        return f"no {', '.join(lacking)}" if lacking else None

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        sources = _built(log)
        tests = sources / "tests"
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "test.conf")
            lines = (f"bootstrap.servers={brokers.bootstrap}", "test.topic.random=true")
            config.write_text("\n".join((*lines, "test.timeout.multiplier=2")) + "\n")
            _write_tools(Path(folder, "bin"))
            variables = {
                "LD_LIBRARY_PATH": f"{sources / 'src'}:{sources / 'src-cpp'}",
                "RDKAFKA_TEST_CONF": str(config),
                "TEST_KAFKA_VERSION": "4.3.1",
                "KAFKA_PATH": folder,
                "BROKERS": brokers.bootstrap,
            }
            command: list[str | Path] = [tests / "test-runner", "-L", "-K", "-E", "-Q", "-r", "-p2"]
            for old in tests.glob("test_report_*.json"):
                old.unlink()
            run_logged(
                command,
                log,
                folder=tests,
                variables=variables,
                within_seconds=_RUN_WITHIN_SECONDS,
            )
        return _reported(tests)


def _built(log: Path) -> Path:
    """The folder of the sources, with the test runner built."""
    folder = cache(PACKAGE.rpartition("/")[2])
    sources = folder / _SOURCES
    if not (sources / "tests" / "test-runner").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pack = ["npm", "pack", "--silent", PACKAGE]
        packed = subprocess.run(pack, cwd=folder, check=True, capture_output=True, text=True)
        unpack(folder / packed.stdout.strip(), folder)
        for command in (
            ["./configure", "--disable-curl"],
            ["make", "-j2", "libs"],
            ["make", "-C", "tests", "-j2", "test-runner"],
        ):
            run_logged(command, log, folder=sources, within_seconds=_BUILD_WITHIN_SECONDS)
    return sources


def _write_tools(folder: Path) -> None:
    """Write scripts with the names of Kafka's, which some tests call."""
    folder.mkdir()
    for name, main_class in _TOOLS.items():
        script = folder / name
        script.write_text(_TOPICS_TOOL.format(class_path=class_path(), main_class=main_class))
        script.chmod(0o755)


def _reported(tests: Path) -> Results:
    reports = list(tests.glob("test_report_*.json"))
    if not reports:
        return {}
    listed = json.loads(reports[-1].read_text())["tests"]
    return {
        name: _VERDICTS.get(test["state"], Verdict.FAILED)
        for name, test in listed.items()
        if name != "<MAIN>"
    }
