"""Kafka's command-line tools, run in one JVM, because starting one takes longer than most tools."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from integration.kafka.java_program import java_command
from integration.machine.deadlines import ENDS_WITHIN_S

_SOURCE = Path(__file__).parents[1] / "java" / "KafkaTools.java"
_FOLDERS = {
    "ConfigCommand": "kafka.admin",
    "ConsoleConsumer": "org.apache.kafka.tools.consumer",
    "ConsoleShareConsumer": "org.apache.kafka.tools.consumer",
    "ConsumerGroupCommand": "org.apache.kafka.tools.consumer.group",
    "ShareGroupCommand": "org.apache.kafka.tools.consumer.group",
    "ReassignPartitionsCommand": "org.apache.kafka.tools.reassign",
    "StreamsGroupCommand": "org.apache.kafka.tools.streams",
}


class KafkaTools:
    """Runs tools by class name, until the end of the ``with`` statement."""

    def __init__(self, classes: Path) -> None:
        *self._java, main_class = java_command(_SOURCE, "KafkaTools", classes)
        self._process = subprocess.Popen(
            [*self._java, main_class], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, tool: str, *arguments: str, fed: str = "") -> str:
        """Return the output of a successful tool, with *fed* as its standard input."""
        response = self._run(tool, arguments, fed)
        output: str = response["output"]
        assert response["exit"] == 0, output + response["errors"]
        return output

    def refused(self, tool: str, *arguments: str) -> str:
        """Return the errors of a tool that fails."""
        response = self._run(tool, arguments, fed="")
        errors: str = response["errors"]
        assert response["exit"] == 1, response["output"]
        return errors

    def _run(self, tool: str, arguments: Sequence[str], fed: str) -> dict[str, Any]:
        requested = {"tool": _full_name(tool), "arguments": arguments, "input": fed}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(requested)}\n")
        self._process.stdin.flush()
        response: dict[str, Any] = json.loads(self._process.stdout.readline())
        return response

    def run_alone(self, tool: str, *arguments: str) -> str:
        """Run a tool in a JVM of its own, for tools that print when the JVM ends."""
        command = [*self._java, _full_name(tool), *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=True
        )
        return done.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=ENDS_WITHIN_S)


def _full_name(tool: str) -> str:
    return f"{_FOLDERS.get(tool, 'org.apache.kafka.tools')}.{tool}"
