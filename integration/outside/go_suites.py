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
_TEST_WITHIN_SECONDS = 120
VERDICTS = {"pass": Verdict.PASSED, "fail": Verdict.FAILED, "skip": Verdict.SKIPPED}


class GoSuite:
    """The tests of one package of a module; each runs in a process of its own.

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
        address: str | None = None,
        variables: Mapping[str, str] | None = None,
        properties: Mapping[str, str] | None = None,
        leave_out: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.nodes = 1
        self.racks: Sequence[str] = ()
        self.advertised: int | None = None
        self.properties = properties or {}
        self._module = module
        self._package = package
        self._only = re.compile(only)
        self._address = address
        self._variables = variables or {}
        self._leave_out = leave_out

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        return None if shutil.which("go") else "no go on the PATH"

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        folder = self._sources(brokers.bootstrap)
        program = folder / "suite.test"
        build: list[str | Path] = ["go", "test", "-mod=mod", "-c", "-o", program, "."]
        run_logged(build, log, folder=folder, within_seconds=BUILD_WITHIN_SECONDS)
        assert program.exists(), f"{self.name} cannot be built: see {log}"
        listing: list[str | Path] = [program, "-test.list", "."]
        listed = subprocess.run(listing, cwd=folder, check=True, capture_output=True, text=True)
        variables = {
            name: value.format(bootstrap=brokers.bootstrap)
            for name, value in self._variables.items()
        }
        results: Results = {}
        for test in listed.stdout.split():
            if not self._only.match(test) or test in self._leave_out:
                continue
            command: list[str | Path] = [program, "-test.run", f"^{test}$", "-test.v"]
            printed = run_logged(
                command,
                log,
                folder=folder,
                variables=variables,
                within_seconds=_TEST_WITHIN_SECONDS,
            )
            results[test] = _verdict(test, printed)
        return results

    def _sources(self, bootstrap: str) -> Path:
        """A copy of the package's module, with the broker's address in its tests."""
        package = module_copy(self.name, self._module) / self._package
        if self._address is not None:
            for path in package.glob("*_test.go"):
                path.write_text(path.read_text().replace(self._address, bootstrap))
        return package


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


def _verdict(test: str, printed: str) -> Verdict:
    ended = re.findall(rf"^--- (PASS|FAIL|SKIP): {test} ", printed, re.MULTILINE)
    return VERDICTS[ended[-1].lower()] if ended else Verdict.FAILED


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
