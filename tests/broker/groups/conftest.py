"""``pytest tests/broker/groups --rewrite`` writes the stories' expected answers anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Only there when this folder is named on the command line, which is when it is meant."""
    parser.addoption("--rewrite", action="store_true", help="write the stories' answers anew")
