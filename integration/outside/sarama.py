"""Sarama's functional tests, which have a proxy in front of each of five brokers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from integration.kafka.jars import missing_for_a_jvm
from integration.outside.docker_stand_in import docker_stand_in
from integration.outside.go_suites import BUILD_WITHIN_SECONDS, VERDICTS, module_copy
from integration.outside.suite import Brokers, Results, Verdict, cache, run_logged
from integration.processes.server_process import ServerProcess, free_ports, wait_for_listener

_MODULE = "github.com/IBM/sarama@v1.61.1"
# The tests connect to the proxies at this port and the next four.
_FIRST_PORT = 29091
_PROXY = "github.com/Shopify/toxiproxy/v2/cmd/server@v2.5.0"
_RUN_WITHIN_SECONDS = 1200
_STARTS_WITHIN_SECONDS = 30
_TESTS = "^Test(Func|ConsumerFetchFollower)"
# It reads the brokers' logs.
_LEFT_OUT = "TestFuncIdempotentBufferedSequence"
_ENDED = re.compile(r"^--- (PASS|FAIL|SKIP): (\w+) ", re.MULTILINE)
# As in the project's own configuration of its brokers.
_PROPERTIES = {
    "auto.create.topics.enable": "false",
    "default.replication.factor": "2",
    "offsets.topic.replication.factor": "2",
    "offsets.topic.num.partitions": "50",
    "transaction.state.log.replication.factor": "2",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}


class Sarama:
    """All functional tests of the client, in one process."""

    name = "sarama"
    nodes = 5
    properties: Mapping[str, str] = _PROPERTIES
    racks: Sequence[str] = ("1", "2", "3", "4", "5")
    advertised: int | None = _FIRST_PORT

    def missing(self) -> str | None:
        """See `Suite.missing`."""
        return missing_for_a_jvm() if shutil.which("go") else "no go on the PATH"

    def run(self, brokers: Brokers, log: Path) -> Results:
        """See `Suite.run`."""
        sources = module_copy(self.name, _MODULE)
        program = sources / "suite.test"
        build: list[str | Path] = ["go", "test", "-mod=mod", "-tags", "functional", "-c"]
        build += ["-o", program, "."]
        run_logged(build, log, folder=sources, within_seconds=BUILD_WITHIN_SECONDS)
        assert program.exists(), f"{self.name} cannot be built: see {log}"
        with (
            tempfile.TemporaryDirectory() as folder,
            _proxies(brokers.bootstrap, Path(folder)) as address,
            docker_stand_in(Path(folder), brokers.stop, brokers.start),
        ):
            variables = {
                "TOXIPROXY_ADDR": f"http://{address}",
                "KAFKA_VERSION": "4.3.1",
                "PATH": f"{folder}:{os.environ['PATH']}",
            }
            printed = run_logged(
                [
                    program,
                    "-test.v",
                    "-test.run",
                    _TESTS,
                    "-test.skip",
                    f"^{_LEFT_OUT}$",
                ],
                log,
                folder=sources,
                variables=variables,
                within_seconds=_RUN_WITHIN_SECONDS,
            )
        started = re.findall(r"^=== RUN +(\w+)$", printed, re.MULTILINE)
        ended = {test: VERDICTS[verdict.lower()] for verdict, test in _ENDED.findall(printed)}
        return dict.fromkeys(started, Verdict.FAILED) | ended


@contextmanager
def _proxies(bootstrap: str, folder: Path) -> Iterator[str]:
    """Start toxiproxy in front of the brokers; returns the address of its API."""
    binaries = cache("toxiproxy")
    if not (binaries / "server").exists():
        variables = {**os.environ, "GOBIN": str(binaries)}
        subprocess.run(["go", "install", _PROXY], env=variables, check=True)
    proxies = [
        {
            "name": f"kafka{node + 1}",
            "listen": f"127.0.0.1:{_FIRST_PORT + node}",
            "upstream": upstream,
            "enabled": True,
        }
        for node, upstream in enumerate(bootstrap.split(","))
    ]
    configuration = folder / "proxies.json"
    configuration.write_text(json.dumps(proxies))
    (port,) = free_ports(1)
    command: list[str | Path] = [binaries / "server", "-port", str(port), "-config", configuration]
    process = ServerProcess(command, folder)
    try:
        wait_for_listener(process, "127.0.0.1", port, within=_STARTS_WITHIN_SECONDS)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
