"""How many cores the process may use: those that it may run on, and the quota of its cgroup."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

assert sys.platform == "linux"


def usable_cores(
    of_process: Path = Path("/proc/self"), cgroups: Path = Path("/sys/fs/cgroup")
) -> float:
    """The number of cores; not a whole one with a quota such as that of `docker run --cpus 0.5`.

    *of_process* is the folder that describes the process, *cgroups* that of all control groups
    (version 2). What cannot be read does not limit.
    """
    return min((len(os.sched_getaffinity(0)), *_quotas(of_process, cgroups)))


def _quotas(of_process: Path, cgroups: Path) -> Iterator[float]:
    """Those of the group of the process, and of the groups that contain it."""
    try:
        lines = (of_process / "cgroup").read_text().splitlines()
    except OSError:
        return
    names = [line.removeprefix("0::/") for line in lines if line.startswith("0::/")]
    for name in names:
        folder = cgroups / name
        for group in (folder, *folder.parents):
            if not group.is_relative_to(cgroups):
                break
            try:
                quota, period = (group / "cpu.max").read_text().split()
                yield int(quota) / int(period)
            except (OSError, ValueError):  # no file, or "max"
                continue
