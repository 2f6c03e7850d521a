"""Which tests of the pure build cannot run in the compiled one, and why."""

from __future__ import annotations

import pytest

from purgatories import delayed_operation

IS_COMPILED = not delayed_operation.__file__.endswith(".py")


def only_pure(reason: str) -> pytest.MarkDecorator:
    """Skip a test in the compiled build, with a *reason* that the test cannot avoid."""
    return pytest.mark.skipif(IS_COMPILED, reason=f"in the compiled build: {reason}")
