"""Tests of which modules a wheel may have compiled: `hatch_build`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hatch_build import MODULES

ROOT = Path(__file__).parent.parent
ROOMS = ("antechamber", "broker", "pipeline", "protocol", "purgatories", "recorder")


@pytest.mark.parametrize("module", MODULES)
def test_a_compiled_module_imports_only_compiled_ones(module: str) -> None:
    """mypyc cannot check calls into modules that are not compiled with it."""
    compiled = {path.removesuffix(".py").replace("/", ".") for path in MODULES}
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        ours = {name for name in names if name.split(".")[0] in ROOMS}
        assert ours <= compiled
