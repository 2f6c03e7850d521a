"""The tests of Go clients that need a broker, from the sources of their modules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from integration.outside.suite import Brokers, Results, Verdict, cache, run_logged

BUILD_WITHIN_SECONDS = 600
_TEST_WITHIN_SECONDS = 300
VERDICTS = {"pass": Verdict.PASSED, "fail": Verdict.FAILED, "skip": Verdict.SKIPPED}
_STARTED = re.compile(r"^=== RUN +(\S+)$", re.MULTILINE)
_ENDED = re.compile(r"^ *--- (PASS|FAIL|SKIP): (\S+) \(", re.MULTILINE)
# The parts of the names of subtests that differ from run to run: a UUID, or the broker's port.
_VARYING = re.compile(r"/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<=127\.0\.0\.1):\d+")


class GoSuite:
    """The tests of one package of a module.

    ``only`` is a pattern of test names. ``address`` is the address of the broker in the sources,
    which is replaced. ``variables`` are formatted with ``bootstrap``.
    """

    def __init__(
        self,
        name: str,
        module: str,
        *,
        package: str = ".",
        only: str = "Test",
        nodes: int = 1,
        address: str | None = None,
        variables: Mapping[str, str] | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.nodes = nodes
        self.racks: Sequence[str] = ()
        self.advertised: int | None = None
        self.properties = properties or {}
        self._module = module
        self._package = package
        self._only = only
        self._address = address
        self._variables = variables or {}

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        return None if shutil.which("go") else "no go on the PATH"

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        variables = {
            name: value.format(bootstrap=brokers.bootstrap)
            for name, value in self._variables.items()
        }
        folder = self._sources(brokers.bootstrap)
        return run_package(folder, self._only, log, variables=variables)

    def _sources(self, bootstrap: str) -> Path:
        """A copy of the package's module, with the broker's address in its tests."""
        package = module_copy(self.name, self._module) / self._package
        if self._address is not None:
            for path in package.glob("*_test.go"):
                path.write_text(path.read_text().replace(self._address, bootstrap))
        return package


def run_package(
    folder: Path, only: str, log: Path, *, variables: Mapping[str, str] | None = None
) -> Results:
    """Run the tests of a package whose names match *only*, each in a process of its own.

    The results are those of the subtests, if a test has any.
    """
    program = folder / "suite.test"
    build: list[str | Path] = ["go", "test", "-mod=mod", "-c", "-o", program, "."]
    run_logged(build, log, folder=folder, within_seconds=BUILD_WITHIN_SECONDS)
    assert program.exists(), f"{folder} cannot be built: see {log}"
    listing: list[str | Path] = [program, "-test.list", only]
    listed = subprocess.run(listing, cwd=folder, check=True, capture_output=True, text=True)
    results: Results = {}
    for test in listed.stdout.split():
        printed = run_logged(
            [program, "-test.run", f"^{test}$", "-test.v"],
            log,
            folder=folder,
            variables=variables,
            within_seconds=_TEST_WITHIN_SECONDS,
        )
        results |= _verdicts(printed)
    return results


def module_copy(name: str, module: str) -> Path:
    """Return a copy of a module's sources that can be changed."""
    folder = cache(name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text("module outside\n")
    download = ["go", "mod", "download", "-json", module]
    found = subprocess.run(download, cwd=folder, check=True, capture_output=True, text=True)
    copy = folder / "sources"
    shutil.rmtree(copy, ignore_errors=True)
    # The module cache is read-only, so make the copy writable.
    shutil.copytree(json.loads(found.stdout)["Dir"], copy, copy_function=shutil.copyfile)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return copy


def _verdicts(printed: str) -> Results:
    """The results of the tests that have no subtests; a test that did not end has failed.

    What differs from run to run is removed from the names of subtests. The result of a subtest is
    printed after that of the test that contains it, and replaces it if its name is equal then.
    """
    printed = _VARYING.sub("", printed)
    verdicts = dict.fromkeys(_STARTED.findall(printed), Verdict.FAILED)
    verdicts |= {test: VERDICTS[verdict.lower()] for verdict, test in _ENDED.findall(printed)}
    containers = {test.rpartition("/")[0] for test in verdicts}
    return {test: verdict for test, verdict in verdicts.items() if test not in containers}


FRANZ_GO = GoSuite(
    "franz-go",
    "github.com/twmb/franz-go@v1.22.2",
    package="pkg/kgo",
    only="Test(GroupETL|TxnEtl|GroupSimple|Issue|Pause|Ping|Produce|Consume|Add|Client|Share)",
    variables={"KGO_SEEDS": "{bootstrap}", "KGO_TEST_RF": "1", "KGO_TEST_RECORDS": "20000"},
)

KAFKA_GO = GoSuite(
    "kafka-go",
    "github.com/segmentio/kafka-go@v0.4.51",
    address="localhost:9092",
    variables={"KAFKA_VERSION": "4.3.1", "KAFKA_SKIP_NETTEST": "1"},
    properties={"auto.create.topics.enable": "true"},
)

WATERMILL = GoSuite(
    "watermill",
    "github.com/ThreeDotsLabs/watermill-kafka/v3@v3.0.6",
    package="pkg/kafka",
    only="^Test(PublishSubscribe|NoGroupSubscriber|CtxValues)",
    nodes=3,
    variables={"WATERMILL_TEST_KAFKA_BROKERS": "{bootstrap}"},
    properties={
        "auto.create.topics.enable": "true",
        "default.replication.factor": "3",
        "min.insync.replicas": "2",
        "group.initial.rebalance.delay.ms": "0",
    },
)
