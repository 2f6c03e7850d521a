"""The version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """The version; ``(not installed)`` in a checkout that was never installed."""
    try:
        return version("antechamber")
    except PackageNotFoundError:
        return "(not installed)"
