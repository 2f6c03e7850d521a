"""Five thousand partitions and 1024 descriptors: `broker.storage.files.open_files`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

PARTITIONS = 5000
LIMIT = 1024

# In a process of its own, since the limit is the process's: written, read, closed, opened.
PROGRAM = f"""
import os, resource, sys
from pathlib import Path
from uuid import UUID
from broker.storage.log_config import LogConfig
from broker.storage.directories.log_manager import LogManager
from broker.common.topic_partition import TopicPartition
from tests.broker.storage.logs import StillClock, batch

resource.setrlimit(resource.RLIMIT_NOFILE, ({LIMIT}, {LIMIT}))
keys = [TopicPartition("many", number) for number in range({PARTITIONS})]

def opened():
    return LogManager(Path(sys.argv[1]), StillClock(), node_id=1, cluster_id="c", durable=False)

def log_of(manager, key):
    return manager.get_or_create(key, UUID(int=1), LogConfig())

manager = opened()
logs = [log_of(manager, key) for key in keys]
for log in logs:
    log.append_as_leader(batch(), 0)
for log in logs:
    assert log.read(0, 1, log.log_end_offset_metadata, True).records, log.topic_partition
print(len(os.listdir("/dev/fd")))
manager.close()
manager = opened()
assert all(log_of(manager, key).log_end_offset == 1 for key in keys)
manager.close()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory if possible: the speed of the disk does not matter here."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as name:
        yield Path(name)


def test_five_thousand_partitions_need_few_descriptors(folder: Path) -> None:
    """All are written, read, closed and opened again; half of the descriptors stay free."""
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < LIMIT // 2 + 50
