"""Imports modules as another operating system has them.

A module with code for one system only selects it when it is imported. `as_on` imports a second copy
of it while Python reports the other system, with replaced or missing modules and functions.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import util
from types import ModuleType

import pytest


def as_on(
    platform: str,
    name: str,
    modules: Mapping[str, object] | None = None,
    without: Mapping[ModuleType, tuple[str, ...]] | None = None,
) -> ModuleType:
    """Import module *name* as on a ``sys.platform``.

    *modules* replaces modules, None makes one missing; *without* has the names that modules lack.
    """
    spec = util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "platform", platform)
        for missing, names in (without or {}).items():
            for each in names:
                patch.delattr(missing, each)
        for imported, replacement in (modules or {}).items():
            patch.setitem(sys.modules, imported, replacement)
        spec.loader.exec_module(module)
    return module
