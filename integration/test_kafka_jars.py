"""The command that fetches Kafka's jars, whose output scripts use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from integration.kafka.jars import KAFKA_VERSION
from integration.machine.deadlines import ENDS_WITHIN_S

ROOT = Path(__file__).parent.parent
# Maven ends with a code that resets colors, also if its output is no terminal.
MAVEN = f"""#!/bin/sh
for word in "$@"; do
    case $word in -DoutputDirectory=*) folder=${{word#*=}};; esac
done
mkdir -p "$folder" && : >"$folder/kafka_2.13-{KAFKA_VERSION}.jar"
printf '\\033[0m'
"""


def test_the_output_is_the_folder_alone(tmp_path: Path) -> None:
    """Also when Maven fetches the jars."""
    maven, jars = tmp_path / "mvn", tmp_path / "jars"
    maven.write_text(MAVEN)
    maven.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        [sys.executable, "-m", "integration.kafka.jars"],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "ANTECHAMBER_KAFKA_JARS": str(jars)},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=True,
    )

    assert done.stdout == f"{jars}\n"
