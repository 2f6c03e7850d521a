"""The number of cores is limited by the quotas of control groups."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("other systems have no control groups", allow_module_level=True)

from broker.steps.cores import usable_cores


class ControlGroups:
    """The files of a process in the control group /pod/broker."""

    def __init__(self, folder: Path) -> None:
        self.of_process, self.cgroups = folder / "self", folder / "cgroup"
        self.of_process.mkdir()
        (self.of_process / "cgroup").write_text("1:cpu:/old\n0::/pod/broker\n")
        (self.cgroups / "pod" / "broker").mkdir(parents=True)

    def limit(self, group: str, cpu_max: str) -> None:
        """Write the quota of *group*."""
        (self.cgroups / group / "cpu.max").write_text(cpu_max + "\n")

    def cores(self) -> float:
        return usable_cores(self.of_process, self.cgroups)


@pytest.fixture
def groups(tmp_path: Path) -> ControlGroups:
    return ControlGroups(tmp_path)


ALLOWED = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 0


def test_without_quota_all_allowed_cores_are_usable(groups: ControlGroups) -> None:
    """The quota of a group without limit is `max`."""
    groups.limit("pod/broker", "max 100000")

    assert groups.cores() == ALLOWED


def test_a_quota_limits_the_cores(groups: ControlGroups) -> None:
    """As `docker run --cpus 0.5` sets it."""
    groups.limit("pod/broker", "50000 100000")

    assert groups.cores() == 0.5


def test_the_quota_of_a_containing_group_limits_too(groups: ControlGroups) -> None:
    """The smallest one counts."""
    groups.limit("pod/broker", "90000 100000")
    groups.limit("pod", "25000 100000")

    assert groups.cores() == 0.25


def test_without_control_groups_all_allowed_cores_are_usable(tmp_path: Path) -> None:
    """A system may not mount them."""
    assert usable_cores(tmp_path / "self", tmp_path / "cgroup") == ALLOWED
