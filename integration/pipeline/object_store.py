"""An object store on this machine, S3Mock, and what Spark needs to use it (Hadoop's S3A)."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError

from pyspark.sql import SparkSession

from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess, free_ports
from integration.programs.program import cached, fetch

BUCKET = "bucket"
_S3MOCK = "com.adobe.testing:s3mock:4.11.0"
# S3A of the Hadoop in pyspark's jars, with the versions that its pom names. Amazon publishes all of
# its SDK in one jar of 600 MB; S3A needs these modules and their dependencies, 19 MB.
_S3A = (
    "org.apache.hadoop:hadoop-aws:3.5.0",
    "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
)
_SDK_VERSION = "2.35.4"
_SDK = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
_PREFIX = "software.amazon.awssdk"
_NO_DEPENDENCIES = (
    "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
)


def s3a_jars() -> list[Path]:
    """The jars of S3A, fetched once; raises `Unavailable`."""
    sdk = [f"{_PREFIX}:{each}:{_SDK_VERSION}" for each in _SDK]
    found = [_dependency(each, _NO_DEPENDENCIES) for each in _S3A]
    found += [_dependency(each) for each in sdk]
    return sorted(_fetched(f"s3a-{_SDK_VERSION}", found).glob("*.jar"))


def _server_jar() -> Path:
    executable = f"<classifier>exec</classifier>{_NO_DEPENDENCIES}"
    [jar] = _fetched(_S3MOCK.replace(":", "-"), [_dependency(_S3MOCK, executable)]).glob("*.jar")
    return jar


def _dependency(coordinates: str, more: str = "") -> str:
    group, artifact, version = coordinates.split(":")
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version>{more}</dependency>"
    )


def _fetched(name: str, dependencies: list[str]) -> Path:
    def make(folder: Path) -> None:
        (folder / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            "<groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>"
            f"{''.join(dependencies)}</dependencies></project>"
        )
        goal = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]
        fetch([*goal, "-DoutputDirectory=."], folder)

    return cached(name, make)


class ObjectStore:
    """A running server; ``root`` is its bucket as a path of Spark."""

    root = f"s3a://{BUCKET}"

    def __init__(self, url: str) -> None:
        self.url = url

    def put(self, name: str, content: bytes) -> None:
        """Store an object in the bucket."""
        url = f"{self.url}/{BUCKET}/{name}"
        request = urllib.request.Request(url, data=content, method="PUT")
        with urllib.request.urlopen(request):
            pass

    def use_in(self, spark: SparkSession) -> None:
        """Let a session find the server."""
        # Hadoop's configuration of a running session.
        configuration: Any = spark._jsc.hadoopConfiguration()  # noqa: SLF001 - no public API has it
        for key, value in {
            "endpoint": self.url,
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "access.key": "any",
            "secret.key": "any",
        }.items():
            configuration.set(f"fs.s3a.{key}", value)


@contextmanager
def object_store(folder: Path) -> Iterator[ObjectStore]:
    """A server with its files in *folder*, until the end of the block."""
    http, https = free_ports(2)
    command: list[str | Path] = [
        "java",
        "-XX:TieredStopAtLevel=1",
        f"-Dcom.adobe.testing.s3mock.store.initialBuckets={BUCKET}",
        f"-Dcom.adobe.testing.s3mock.store.root={folder / 'objects'}",
        f"-Djava.io.tmpdir={folder}",
        f"-Dcom.adobe.testing.s3mock.httpPort={http}",
        "-jar",
        _server_jar(),
        f"--server.port={https}",
    ]
    (folder / "objects").mkdir()
    process = ServerProcess(command, folder)
    store = ObjectStore(f"http://127.0.0.1:{http}")
    try:
        eventually(lambda: _responds(store.url), "S3Mock", within=60)
        yield store
    finally:
        process.kill()


def _responds(url: str) -> bool:
    try:
        with urllib.request.urlopen(url):
            return True
    except (URLError, OSError):
        return False
