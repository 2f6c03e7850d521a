"""Kafka's own command-line tools, all run in one JVM: starting one takes longer than most tools."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Self

from integration.kafka.java_program import java_command

_SOURCE = Path(__file__).parents[1] / "java" / "KafkaTools.java"
_FOLDERS = {
    "ConfigCommand": "kafka.admin",
    "ConsoleConsumer": "org.apache.kafka.tools.consumer",
    "ConsumerGroupCommand": "org.apache.kafka.tools.consumer.group",
    "ReassignPartitionsCommand": "org.apache.kafka.tools.reassign",
}


class KafkaTools:
    """Runs tools by their class's name, from entry to exit of a ``with``."""

    def __init__(self, classes: Path) -> None:
        java, *options, main_class = java_command(_SOURCE, "KafkaTools", classes)
        # Most of what a tool runs it runs once: the second compiler does not pay.
        self._java = [java, "-XX:TieredStopAtLevel=1", *options]
        self._process = subprocess.Popen(
            [*self._java, main_class], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, tool: str, *arguments: str, fed: str = "") -> str:
        """What the tool printed, given *fed* on its standard input; it must not have failed."""
        asked = {"tool": _full_name(tool), "arguments": arguments, "input": fed}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(asked)}\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        output: str = answer["output"]
        assert answer["exit"] == 0, output + answer["errors"]
        return output

    def run_alone(self, tool: str, *arguments: str) -> str:
        """The same in a JVM of its own, for a tool that says things when its JVM ends."""
        command = [*self._java, _full_name(tool), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)


def _full_name(tool: str) -> str:
    return f"{_FOLDERS.get(tool, 'org.apache.kafka.tools')}.{tool}"
