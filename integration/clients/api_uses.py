"""Which versions of which APIs real clients use, test file by test file: docs/api_uses.json.

The brokers that tests share record every request. When all tests of a file have passed, what the
page says of the file must have happened; ``--write-uses`` writes down what did happen.
"""

from __future__ import annotations

import json
from pathlib import Path

from integration.machine.deadlines import eventually

USES = Path(__file__).parents[2] / "docs" / "api_uses.json"

# The test files that a client of its own, or a tool, stands behind.
CLIENTS = frozenset(
    {
        "test_aiokafka",
        "test_aiokafka_admin",
        "test_confluent_kafka",
        "test_confluent_kafka_admin",
        "test_java_client",
        "test_kafka_python",
        "test_kafka_python_admin",
        "test_kafka_tools",
        "test_kafka_tools_records",
    }
)
# Whose requests do not count: nodes that replicate, and bytes that tests put together themselves.
_NO_CLIENTS = ("node-", "wire")

# What was used by a test file: versions by the name of the API.
Uses = dict[str, list[int]]


class ApiUses:
    """Reads the records that brokers write into *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._brokers = 0

    def records(self) -> Path:
        """A file for the records of one more broker."""
        self._brokers += 1
        return self._folder / f"{self._brokers}.jsonl"

    def since(self, begin_us: int) -> Uses:
        """What was used from that moment on, by the wall clock."""
        used: dict[str, set[int]] = {}
        for file in self._folder.iterdir():
            whole_lines = file.read_text().rpartition("\n")[0]
            for record in map(json.loads, whole_lines.splitlines()):
                client = record["client_id"] or ""
                if record["arrived_us"] >= begin_us and not client.startswith(_NO_CLIENTS):
                    used.setdefault(record["api"], set()).add(record["version"])
        return {api: sorted(versions) for api, versions in sorted(used.items())}

    def check(self, test_file: str, begin_us: int) -> None:
        """Fail unless the file's tests, which began then, have used what the page says."""
        promised = {
            (api, version)
            for api, versions in _written().get(test_file, {}).items()
            for version in versions
        }

        def kept() -> bool:
            seen = self.since(begin_us)
            return all(version in seen.get(api, ()) for api, version in promised)

        eventually(kept, f"what {USES.name} says of {test_file} (--write-uses writes it anew)")

    def write(self, test_file: str, begin_us: int) -> None:
        """Write down what the file's tests, which began then, have used."""
        uses = _written() | {test_file: self.since(begin_us)}
        lines = [f"{json.dumps(file)}: {json.dumps(uses[file])}" for file in sorted(uses)]
        USES.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _written() -> dict[str, Uses]:
    uses: dict[str, Uses] = json.loads(USES.read_text())
    return uses
