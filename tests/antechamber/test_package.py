"""What `import antechamber` gives, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import antechamber
from antechamber.cluster import Cluster


def test_the_handle_is_there() -> None:
    """With the errors it raises; nothing else."""
    assert antechamber.Cluster is Cluster
    assert all(hasattr(antechamber, name) for name in antechamber.__all__)
    with pytest.raises(AttributeError, match="module 'antechamber' has no attribute 'Broker'"):
        _ = antechamber.Broker  # type: ignore[attr-defined]  # there is none


@pytest.mark.parametrize("module", ["antechamber", "antechamber.pytest_plugin"])
def test_importing_it_costs_nothing(module: str) -> None:
    """A pytest run that uses no cluster loads neither the handle nor what it needs."""
    script = f"import sys, pytest; before = set(sys.modules); import {module}; "
    script += "print(*set(sys.modules) - before)"
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert set(printed) == {"antechamber", module}
