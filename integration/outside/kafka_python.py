"""kafka-python's integration tests, from its source distribution."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

from integration.machine.archives import unpack
from integration.outside.suite import Brokers, Results, Verdict, cache, run_logged
from integration.programs.program import fetch, python_with

_VERSION = "3.0.12"
_KAFKA_VERSION = "4.3.1"
_RUN_WITHIN_SECONDS = 1200
_TEST_WITHIN_SECONDS = 60
# The other files start brokers of their own.
_FILES = ("admin", "consumer", "producer")
# The distribution leaves this module out. A broker that exists already needs this much of it.
_SERVICE = '''"""Brokers of the tests: one that runs already."""


class ExternalService:
    def __init__(self, host, port):
        self.host, self.port = host, port

    def open(self):
        pass

    def close(self):
        pass

    def dump_logs(self):
        pass


class SpawnedService:
    pass
'''
_PROPERTIES = {
    "auto.create.topics.enable": "true",
    "num.partitions": "4",
    "group.min.session.timeout.ms": "1000",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}


class KafkaPython:
    """The tests of its admin client, consumer and producer."""

    name = "kafka-python"
    nodes = 1
    properties: Mapping[str, str] = _PROPERTIES
    racks: Sequence[str] = ()
    advertised: int | None = None

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        return None

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        python = python_with(
            f"kafka-python-{_VERSION}",
            f"kafka-python[crc32c,lz4,snappy,zstd]=={_VERSION}",
            "pytest==9.2.0",
            "pytest-mock==3.17.0",
            "pytest-timeout==2.4.0",
            "py==1.11.0",
        )
        folder = _sources(python)
        report = folder / "report.xml"
        report.unlink(missing_ok=True)
        run_logged(
            [
                *(python, "-m", "pytest", "-q", "-p", "no:logging", "--tb=short", "--capture=no"),
                *(f"--timeout={_TEST_WITHIN_SECONDS}", f"--junit-xml={report}"),
                *(f"test/integration/test_{name}_integration.py" for name in _FILES),
            ],
            log,
            folder=folder,
            variables={
                "KAFKA_URI": f"kafka://{brokers.bootstrap}",
                "KAFKA_VERSION": _KAFKA_VERSION,
            },
            within_seconds=_RUN_WITHIN_SECONDS,
        )
        assert report.exists(), f"{self.name} did not end: see {log}"
        return dict(map(_verdict, ET.parse(report).iter("testcase")))


def _sources(python: Path) -> Path:
    """The folder with the tests, without the library's own sources."""
    folder = cache(f"kafka-python-{_VERSION}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    package = ("--no-deps", "--no-binary=:all:", f"kafka-python=={_VERSION}")
    fetch([python, "-m", "pip", "download", "-q", *package], folder)
    unpack(next(folder.glob("*.tar.gz")), folder)
    (folder / f"kafka_python-{_VERSION}" / "test").rename(folder / "test")
    (folder / "test" / "__init__.py").touch()
    (folder / "test" / "service.py").write_text(_SERVICE)
    (folder / "servers" / _KAFKA_VERSION / "kafka-bin").mkdir(parents=True)
    return folder


def _verdict(case: ET.Element) -> tuple[str, Verdict]:
    name = f"{case.attrib['classname'].rpartition('.')[2]}.{case.attrib['name']}"
    if case.find("skipped") is not None:
        return name, Verdict.SKIPPED
    failed = case.find("failure") is not None or case.find("error") is not None
    return name, Verdict.FAILED if failed else Verdict.PASSED
