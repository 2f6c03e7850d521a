"""The image of the broker, built from the checkout."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from antechamber.container import IMAGE
from integration.containers.engine import missing_image
from integration.machine.requirements import need

ROOT = Path(__file__).parents[2]
BASE = os.environ.get("ANTECHAMBER_BASE_IMAGE") or "python:3.13-slim"
BUILD_WITHIN_SECONDS = 500


@cache
def broker_image() -> str:
    """Build the image, and return its name; skips the test if its base image is missing."""
    need("docker", missing_image(BASE))
    docker("build", "--quiet", "--network", "host", "--build-arg", f"BASE={BASE}", "--tag", IMAGE,
           "--file", str(ROOT / "docker" / "Dockerfile"), str(ROOT))  # fmt: skip
    return IMAGE


def docker(*arguments: str) -> str:
    """Return the output of a successful Docker command, without the final newline."""
    done = subprocess.run(
        ["docker", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=BUILD_WITHIN_SECONDS,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.rstrip("\n")
