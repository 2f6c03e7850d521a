"""The version of the installed package, and which build of the broker it has."""

from __future__ import annotations

import os
from importlib.machinery import ExtensionFileLoader, PathFinder
from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """The version; ``(not installed)`` in a checkout that was never installed."""
    try:
        return version("antechamber")
    except PackageNotFoundError:
        return "(not installed)"


def own_build() -> str:
    """``compiled`` if the broker has extension modules for this Python, or ``pure``."""
    here = os.path.dirname(os.path.abspath(__file__))
    # In an installed wheel the packages are in this folder, in a checkout beside it.
    folders = [os.path.join(each, "protocol") for each in (here, os.path.dirname(here))]
    spec = PathFinder.find_spec("codec", folders)
    is_compiled = spec is not None and isinstance(spec.loader, ExtensionFileLoader)
    return "compiled" if is_compiled else "pure"
