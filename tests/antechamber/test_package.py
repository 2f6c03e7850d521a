"""The names of the package, and the imports that it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import antechamber
from antechamber.cluster import Cluster


def test_the_public_names() -> None:
    """The package has the public names and no others."""
    assert antechamber.Cluster is Cluster
    assert all(hasattr(antechamber, name) for name in antechamber.__all__)
    with pytest.raises(AttributeError, match="module 'antechamber' has no attribute 'Broker'"):
        _ = antechamber.Broker  # type: ignore[attr-defined]  # it does not exist


def test_the_version_is_that_of_the_installed_package() -> None:
    """As ``antechamber --version`` prints it."""
    assert antechamber.__version__ == version("antechamber")


@pytest.mark.parametrize("module", ["antechamber", "antechamber.pytest_plugin"])
def test_an_import_loads_few_modules(module: str) -> None:
    """A pytest run without a cluster loads neither `Cluster` nor its dependencies."""
    script = f"import sys, pytest; before = set(sys.modules); import {module}; "
    script += "print(*set(sys.modules) - before)"
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert set(printed) == {"antechamber", module}


def test_a_broker_does_not_load_pytest() -> None:
    """It is installed beside the broker in the environments of tests, where many brokers start."""
    script = "import sys, broker.server; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "trio" in printed
    assert {"pytest", "_pytest"}.isdisjoint(printed)
