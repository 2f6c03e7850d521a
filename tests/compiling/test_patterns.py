"""What mypyc compiles differently from Python's meaning must not be in a compiled module."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from compiling.modules import compiled_modules

ROOT = Path(__file__).parents[2]
MODULES = compiled_modules(ROOT)
# Constants that tests replace.
REPLACED = {
    "broker/storage/log/offset_search.py": {"SCANNED_MAX"},
    "broker/storage/segments/segment.py": {"_SCAN_BYTES_MAX"},
}


@cache
def nodes(module: str) -> list[ast.AST]:
    """The nodes of the syntax tree of *module*."""
    return list(ast.walk(ast.parse((ROOT / module).read_text())))


@pytest.mark.parametrize("module", MODULES)
def test_a_name_has_one_type_of_exception_in_a_function(module: str) -> None:
    """The variable has the type of the first handler, and mypyc checks it in the others."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for function in (node for node in nodes(module) if isinstance(node, functions)):
        types = defaultdict(set)
        for handler in ast.walk(function):
            if isinstance(handler, ast.ExceptHandler) and handler.name and handler.type:
                types[handler.name].add(ast.unparse(handler.type))
        assert [name for name, found in types.items() if len(found) > 1] == [], function.name


@pytest.mark.parametrize("module", MODULES)
def test_types_of_fields_are_in_the_module(module: str) -> None:
    """A field with a type that is neither imported nor compiled is a KeyError."""
    imported = {
        alias.name
        for node in nodes(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    fields = {
        ast.unparse(field.annotation)
        for node in nodes(module)
        if isinstance(node, ast.ClassDef)
        if "NamedTuple" in map(ast.unparse, node.bases)
        or any("dataclass" in ast.unparse(each) for each in node.decorator_list)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
    }
    assert fields & {"memoryview", "frozenset"} <= imported


@pytest.mark.parametrize("module", MODULES)
def test_bounds_of_slices_have_no_effects(module: str) -> None:
    """They are evaluated twice, unless the object is a list, a tuple, a string or bytes."""
    bounds = [
        bound
        for node in nodes(module)
        if isinstance(node, ast.Slice)
        for bound in (node.lower, node.upper)
        if bound is not None
    ]
    calls = {
        ast.unparse(call.func)
        for bound in bounds
        for call in ast.walk(bound)
        if isinstance(call, ast.Call)
    }
    assert calls <= {"len", "bisect_right", "read_varint"}


@pytest.mark.parametrize("module", MODULES)
def test_constants_are_final(module: str) -> None:
    """Otherwise each use takes a lookup in a dictionary, and numbers are objects."""
    found = set[str]()
    for node in ast.parse((ROOT / module).read_text()).body:
        if isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
            found |= {ast.unparse(target) for target in node.targets}
        elif isinstance(node, ast.AnnAssign) and "Final" not in ast.unparse(node.annotation):
            found.add(ast.unparse(node.target))
    assert {name for name in found if name.isupper()} <= REPLACED.get(module, set())


@pytest.mark.parametrize("package", ["broker", "protocol"])
def test_classes_have_the_decorator_that_generates_initializers_later(package: str) -> None:
    """Generated methods took a sixth of a start; the build replaces it in compiled modules."""
    eager = {
        str(path.relative_to(ROOT))
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module == "dataclasses"
        and "dataclass" in {alias.name for alias in node.names}
    }
    assert not eager
