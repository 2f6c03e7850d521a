"""``pytest tests/broker/groups --rewrite`` replaces the expected responses of the scripts."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option; it exists only if this folder is named on the command line."""
    parser.addoption(
        "--rewrite", action="store_true", help="replace the expected responses of scripts"
    )
