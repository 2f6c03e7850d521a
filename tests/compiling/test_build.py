"""When a compiled build is made again."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiling import build as building
from compiling.build import COPIED, CannotCompile, Optimization, build, is_built


class Compiler:
    """Notes the options of each compilation."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def __call__(self, _folder: Path, _modules: list[str], options: list[str]) -> None:
        self.runs.append(options)


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    """Replaces mypyc and GCC."""
    replaced = Compiler()
    monkeypatch.setattr(building, "_compile", replaced)
    monkeypatch.setattr(building, "has_gcc", lambda: True)
    return replaced


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout whose packages have one module."""
    for name in COPIED:
        (tmp_path / "root" / name).mkdir(parents=True)
        (tmp_path / "root" / name / "module.py").write_text("x = 1\n")
    return tmp_path / "root"


def test_a_build_is_repeated_after_a_change(root: Path, tmp_path: Path, compiler: Compiler) -> None:
    """Of a module that is compiled."""
    folder = tmp_path / "out"
    for text in ("x = 1\n", "x = 1\n", "x = 2\n"):
        (root / "broker" / "module.py").write_text(text)
        build(root, folder)

    assert compiler.runs == [Optimization.USUAL.options] * 2
    assert (folder / "broker" / "module.py").read_text() == "x = 2\n"


def test_a_build_of_an_older_version_is_repeated(
    root: Path, tmp_path: Path, compiler: Compiler
) -> None:
    """Its file does not name the optimization."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".digest").write_text("0123")
    build(root, tmp_path / "out")

    assert compiler.runs == [Optimization.USUAL.options]


def test_a_build_with_more_optimization_replaces_another(
    root: Path, tmp_path: Path, compiler: Compiler
) -> None:
    """And is not repeated."""
    levels = list(Optimization)
    for optimization in sorted(levels * 2):
        build(root, tmp_path / "out", optimization)

    assert compiler.runs == [each.options for each in levels]


def test_a_build_is_used_where_less_optimization_is_required(
    root: Path, tmp_path: Path, compiler: Compiler
) -> None:
    """It has the same modules."""
    for optimization in reversed(Optimization):
        build(root, tmp_path / "out", optimization)

    assert compiler.runs == [Optimization.PROFILED.options]
    assert is_built(root, tmp_path / "out")


def test_a_profiled_build_needs_gcc(
    root: Path, tmp_path: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other compilers have other options; a build that is there stays."""
    build(root, tmp_path / "out")
    monkeypatch.setattr(building, "has_gcc", lambda: False)

    with pytest.raises(CannotCompile, match="needs GCC"):
        build(root, tmp_path / "out", Optimization.PROFILED)
    assert compiler.runs == [Optimization.USUAL.options]
    assert is_built(root, tmp_path / "out")
