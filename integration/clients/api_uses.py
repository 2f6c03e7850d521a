"""The API versions that real clients use, by test file: docs/api_uses.json.

The brokers of the tests record every request. When all tests of a file have passed, the uses listed
for the file must have occurred; ``--write-uses`` writes the observed uses to the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from integration.machine.deadlines import eventually

USES = Path(__file__).parents[2] / "docs" / "api_uses.json"

# The test files of a client or a tool, with its name.
CLIENTS = frozenset(
    {
        "test_aiokafka",
        "test_aiokafka_admin",
        "test_aiokafka_transactions",
        "test_confluent_kafka",
        "test_confluent_kafka_admin",
        "test_confluent_kafka_security",
        "test_confluent_kafka_transactions",
        "test_franz_go_share",
        "test_java_client",
        "test_java_share_consumer",
        "test_kafka_python",
        "test_kafka_python_admin",
        "test_kafka_python_transactions",
        "test_kafka_tools",
        "test_kafka_tools_records",
        "test_kafka_tools_security",
        "test_kafka_tools_share_groups",
        "test_streams_groups",
        "test_streams_groups_tools",
        "test_transaction_tools",
    }
)
# Requests that do not count: those of followers, and bytes that tests compose themselves.
_NO_CLIENTS = ("node-", "wire")

# The uses of a test file: versions by the name of the API.
Uses = dict[str, list[int]]


class ApiUses:
    """Reads the records that brokers write into *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._brokers = 0

    def records(self) -> Path:
        """Return a file for the records of another broker."""
        self._brokers += 1
        return self._folder / f"{self._brokers}.jsonl"

    def since(self, begin_us: int) -> Uses:
        """Return the uses since *begin_us*, in Unix time."""
        used: dict[str, set[int]] = {}
        for file in self._folder.iterdir():
            whole_lines = file.read_text().rpartition("\n")[0]
            for record in map(json.loads, whole_lines.splitlines()):
                client = record["client_id"] or ""
                if record["arrived_us"] >= begin_us and not client.startswith(_NO_CLIENTS):
                    used.setdefault(record["api"], set()).add(record["version"])
        return {api: sorted(versions) for api, versions in sorted(used.items())}

    def check(self, test_file: str, begin_us: int) -> None:
        """Fail unless the tests of a file, which began at *begin_us*, had the listed uses."""
        promised = {
            (api, version)
            for api, versions in _written().get(test_file, {}).items()
            for version in versions
        }

        def kept() -> bool:
            seen = self.since(begin_us)
            return all(version in seen.get(api, ()) for api, version in promised)

        eventually(kept, f"what {USES.name} lists for {test_file} (--write-uses updates it)")

    def write(self, test_file: str, begin_us: int) -> None:
        """Write the uses of the tests of a file, which began at *begin_us*."""
        uses = _written() | {test_file: self.since(begin_us)}
        lines = [f"{json.dumps(file)}: {json.dumps(uses[file])}" for file in sorted(uses)]
        USES.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _written() -> dict[str, Uses]:
    uses: dict[str, Uses] = json.loads(USES.read_text())
    return uses
