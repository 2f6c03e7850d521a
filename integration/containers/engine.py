"""The Docker engine of this machine, and the images that it has or can pull."""

from __future__ import annotations

import os
import subprocess
from functools import cache

from testcontainers.core.config import testcontainers_config

PULL_WITHIN_SECONDS = 300


@cache
def missing_docker() -> str | None:
    """Return what is missing to run containers, or None."""
    asked = ["docker", "info", "--format", "{{.OSType}}"]
    try:
        done = subprocess.run(asked, capture_output=True, check=True, timeout=60, text=True)
    except FileNotFoundError:
        return "no docker on the PATH"
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return "no Docker engine responds"
    if done.stdout.strip() != "linux":  # Docker for Windows may run Windows containers
        return f"the Docker engine runs containers of {done.stdout.strip()}, not of Linux"
    disable_reaper_without_image()
    return None


@cache
def missing_image(image: str) -> str | None:
    """Return which image is missing and how it is made, or None."""
    if engine := missing_docker():
        return engine
    if _has(image):
        return None
    return f"no image {image}, and the engine cannot pull it; docker/local/images.sh makes one"


def disable_reaper_without_image() -> None:
    """Testcontainers in all languages need no image of its reaper if a variable disables it.

    The tests remove their containers themselves.
    """
    if not _has(testcontainers_config.ryuk_image):
        testcontainers_config.ryuk_disabled = True
        os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"


def _has(image: str) -> bool:
    return _docker("image", "inspect", image) or _docker("pull", "--quiet", image)


def _docker(*arguments: str) -> bool:
    try:
        done = subprocess.run(
            ["docker", *arguments], capture_output=True, timeout=PULL_WITHIN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
