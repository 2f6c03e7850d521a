"""Which systems send a part of a file without reading it."""

from __future__ import annotations

import os
import sys

import pytest

from broker.network.transports import send_file
from tests.foreign_system import as_on


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not")
def test_linux_does() -> None:
    """By `os.sendfile`."""
    assert send_file.send_file is os.sendfile


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_other_systems_do_not(system: str) -> None:
    """A connection reads the file and sends what it has read."""
    assert as_on(system, send_file.__name__).send_file is None
