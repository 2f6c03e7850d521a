"""Tests of which build runs: `broker.common.build`."""

from __future__ import annotations

from broker.common.build import running_build
from protocol import codec


def test_the_build_is_that_of_the_hot_modules() -> None:
    """The codec is source in the pure build and an extension module in the compiled one."""
    assert codec.__file__.endswith(".py") == (running_build() == "pure")
