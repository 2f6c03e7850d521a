"""rskafka's integration tests, which its crate contains."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from integration.outside.suite import Brokers, Results, Verdict, cache, run_logged

_VERSION = "0.6.0"
_BUILD_WITHIN_SECONDS = 1800
_RUN_WITHIN_SECONDS = 600
_FILES = ("client", "consumer", "produce_consume", "producer")
# These end at once: they need Java, or a listener with SASL.
_LEFT_OUT = ("java", "test_sasl")
_PROJECT = """[package]
name = "outside"
version = "1.0.0"
[lib]
path = "lib.rs"
[dependencies]
rskafka = "={version}"
"""
_VERDICTS = {"ok": Verdict.PASSED, "FAILED": Verdict.FAILED, "ignored": Verdict.SKIPPED}
_FILE = re.compile(r"^ +Running tests/(\w+)\.rs ")
_TEST = re.compile(r"^test (\w+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)")


class Rskafka:
    """The tests that need a broker, including those with librdkafka."""

    name = "rskafka"
    nodes = 1
    properties: Mapping[str, str] = {"auto.create.topics.enable": "false"}
    racks: Sequence[str] = ()
    advertised: int | None = None

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        lacking = [each for each in ("cargo", "gcc", "g++", "make") if not shutil.which(each)]
        return f"no {', '.join(lacking)}" if lacking else None

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        folder = cache(f"rskafka-{_VERSION}")
        sources = _sources(folder)
        target = {"CARGO_TARGET_DIR": str(folder / "target")}
        test = ["cargo", "test", "--no-fail-fast"]
        test += [argument for name in _FILES for argument in ("--test", name)]
        run_logged(
            [*test, "--no-run"],
            log,
            folder=sources,
            variables=target,
            within_seconds=_BUILD_WITHIN_SECONDS,
        )
        variables = {
            **target,
            "TEST_INTEGRATION": "1",
            "TEST_BROKER_IMPL": "kafka",
            "KAFKA_CONNECT": brokers.bootstrap,
        }
        left_out = [argument for name in _LEFT_OUT for argument in ("--skip", name)]
        printed = run_logged(
            [*test, "--", *left_out],
            log,
            folder=sources,
            variables=variables,
            within_seconds=_RUN_WITHIN_SECONDS,
        )
        results = dict(_verdicts(printed))
        assert results, f"{self.name} cannot be built: see {log}"
        return results


def _sources(folder: Path) -> Path:
    """A copy of the crate that the installed compiler can build."""
    project = folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    (project / "Cargo.toml").write_text(_PROJECT.format(version=_VERSION))
    (project / "lib.rs").touch()
    listing = ["cargo", "metadata", "--quiet", "--format-version", "1"]
    listed = subprocess.run(listing, cwd=project, check=True, capture_output=True, text=True)
    packages = json.loads(listed.stdout)["packages"]
    (manifest,) = (each["manifest_path"] for each in packages if each["name"] == "rskafka")
    sources = folder / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    # The times are kept, so that only the first run compiles the crate.
    shutil.copytree(Path(manifest).parent, sources)
    (sources / "rust-toolchain.toml").unlink()  # names an older compiler
    update = ["cargo", "update", "--quiet", "--package", "rsasl"]  # for newer compilers
    subprocess.run(update, cwd=sources, check=True)
    return sources


def _verdicts(printed: str) -> Iterator[tuple[str, Verdict]]:
    """The verdicts by file and test."""
    file = ""
    for line in printed.splitlines():
        if found := _FILE.match(line):
            file = found[1]
        elif found := _TEST.match(line):
            yield f"{file}::{found[1]}", _VERDICTS[found[2]]
