"""The fuzzed broker: strict, so that a bug ends it, with topics of known names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil  # type: ignore[import-untyped]  # no types there

from antechamber.admin_client import AdminClient
from integration.fuzz.valid_client import TOPIC
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.processes.antechamber import start_serve
from integration.wire.connection import Connection, address
from integration.wire.requests import create_topic

ROOT = Path(__file__).parents[2]
_READY_WITHIN_SECONDS = 60
_CHANGES = ("DeleteTopics", "DeleteRecords", "CreatePartitions", "AlterPartitionReassignments")
_CHANGES_SHOWN = 20
_STOP_WITHIN_SECONDS = 60
_END_WITHIN_SECONDS = 3
_TOPICS = ("t:2", "u:1", "consumer:3")
# The broker's defaults may be altered; the valid client's topic has its own settings.
_TOPIC_CONFIGS = {
    "cleanup.policy": "delete",
    "max.message.bytes": "1048588",
    "message.timestamp.after.max.ms": "9223372036854775807",
    "min.insync.replicas": "1",
    "retention.bytes": "-1",
    "retention.ms": "-1",
}


class FuzzedBroker:
    """A broker in *directory*, where its data remain when it is stopped."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        os.environ["ANTECHAMBER_STRICT"] = "1"
        ready = directory / "ready.json"
        ready.unlink(missing_ok=True)
        topics = [part for topic in _TOPICS for part in ("--topic", topic)]
        self._records = directory / "records.jsonl"
        kept = ("--data-dir", str(directory / "data"), "--records", str(self._records))
        self.process = start_serve(directory, *kept, *topics, *arguments)

        def is_ready() -> bool:
            assert self.is_alive, f"no start: {self.error()}"
            return ready.exists()

        eventually(is_ready, "the ready file", within=_READY_WITHIN_SECONDS)
        facts = json.loads(ready.read_text())
        self.bootstrap: str = facts["bootstrap"]
        self.listeners = {name: address(at) for name, at in facts["listeners"].items()}
        self.admin = AdminClient(facts["admin"])
        self._child = psutil.Process(self.process.pid)
        with Connection(self.bootstrap) as connection:
            connection.request(create_topic(TOPIC, configs=_TOPIC_CONFIGS))

    @property
    def address(self) -> tuple[str, int]:
        """The address of the listener."""
        return address(self.bootstrap)

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self.process.exit_code is None

    def has_ended_soon(self) -> bool:
        """Whether the process has ended, or is ending: it closes its listener first."""
        try:
            self.process.wait(_END_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return True

    def error(self) -> str:
        """Return the last lines of its log."""
        return self.process.stderr()[-4000:]

    def descriptors(self) -> int:
        """Return its number of open files and sockets."""
        return int(self._child.num_fds())

    def memory_bytes(self) -> int:
        """Return its resident memory."""
        return int(self._child.memory_info().rss)

    def administration(self) -> str:
        """Return the wait records of the last requests that changed topics."""
        lines = self._records.read_text().splitlines()
        changes = [line for line in lines if any(f'"{api}"' in line for api in _CHANGES)]
        return "\n".join(changes[-_CHANGES_SHOWN:])

    def reserved_topic(self) -> Collection[object]:
        """Return name and id of the valid client's topic."""
        topics = self.admin.cluster()["topics"]
        return (TOPIC, *(UUID(topic["id"]) for topic in topics if topic["name"] == TOPIC))

    def node(self) -> dict[str, Any]:
        """Return the statistics of its only node."""
        node: dict[str, Any] = self.admin.call("GET", "/v1/statistics")["nodes"][0]
        return node

    def stop(self) -> None:
        """Stop it in order; raises AssertionError on failure."""
        code = self.process.stop(within=_STOP_WITHIN_SECONDS)
        assert code == 0, f"exit code {code}: {self.error()}"

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()


class ValidClient:
    """The process of `integration.fuzz.valid_client`."""

    def __init__(self, bootstrap: str) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "integration.fuzz.valid_client", bootstrap],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self) -> dict[str, Any]:
        """Return its report; raises AssertionError if a record is lost or a request rejected."""
        output, errors = self._child.communicate("", timeout=ENDS_WITHIN_S)
        assert self._child.returncode == 0, output + errors[-2000:]
        facts: dict[str, Any] = json.loads(output)
        return facts

    def kill(self) -> None:
        """Kill it."""
        self._child.kill()
        self._child.communicate()
