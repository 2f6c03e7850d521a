"""What Kafka says about the files of a partition: its tool, and its log at the start."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from integration.kafka.quick_start import class_path, quick_start
from integration.machine.deadlines import ENDS_WITHIN_S

FILES = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")
METADATA = "partition.metadata"
CLEAN = ".kafka_cleanshutdown"
# In Kafka's log, about files that it has to repair.
TROUBLE = re.compile(r" WARN | ERROR |[Cc]orrupt|[Rr]ecovering ")
_TOOL = "org.apache.kafka.tools.DumpLogSegments"


def dump(directory: Path, *options: str) -> list[str]:
    """The output of ``DumpLogSegments`` about all files of a partition."""
    files = sorted(path.name for path in directory.iterdir() if path.suffix in FILES)
    java = ["java", *quick_start().jvm_flags, "-cp", class_path(), _TOOL]
    command = [*java, *options, "--files", ",".join(files)]
    done = subprocess.run(
        command,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=True,
    )
    return done.stdout.splitlines()
