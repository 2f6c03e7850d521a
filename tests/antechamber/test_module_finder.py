"""The finder of a process's modules finds what Python's own finder does."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

from antechamber import module_finder
from antechamber.module_finder import ModuleFinder

OLD = 1_000_000_000  # a modification time
CODE = "code"
OTHER = "else"  # as long as CODE


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a package ``shop``, of whose modules bytecode is written."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    shop = tmp_path / "root" / "shop"
    (shop / "inner").mkdir(parents=True)
    (shop / "__init__.py").write_text("")
    (shop / "inner" / "__init__.py").write_text("from shop import item\n")
    write(shop / "item.py", CODE)
    before = sys.meta_path[:]
    yield shop.parent
    sys.meta_path[:] = before
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
        del sys.modules[name]


def write(path: Path, value: str) -> None:
    """Write a module whose constant has *value*."""
    path.write_text(f"VALUE = {value!r}\n")
    os.utime(path, (OLD, OLD))


def installed(root: Path) -> None:
    """Find the modules of *root* as if the process had just started."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
        del sys.modules[name]
    sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, ModuleFinder)]
    module_finder.install(str(root), ["shop"])


def by_python(name: str, folder: Path) -> ModuleType:
    """The module as Python's own finder finds it, not executed."""
    spec = PathFinder.find_spec(name, [str(folder)])
    assert spec is not None
    return module_from_spec(spec)


@pytest.mark.parametrize(
    ("name", "folder"), [("shop", "."), ("shop.item", "shop"), ("shop.inner", "shop")]
)
def test_a_module_has_the_attributes_that_python_gives_it(
    root: Path, name: str, folder: str
) -> None:
    """Its file, the file of its bytecode, and the folder of a package."""
    installed(root)
    found, expected = import_module(name), by_python(name, root / folder)
    for attribute in ("__file__", "__cached__", "__package__", "__path__"):
        assert getattr(found, attribute, None) == getattr(expected, attribute, None)
    assert found.__spec__ is not None


@pytest.mark.parametrize("change", ["time", "size"])
def test_changed_source_is_compiled_again(root: Path, change: str) -> None:
    """Its modification time or its size differs from that in the bytecode."""
    installed(root)
    assert import_module("shop.item").VALUE == CODE
    item = root / "shop" / "item.py"
    if change == "time":
        item.write_text(f"VALUE = {OTHER!r}\n")
    else:
        write(item, f"{OTHER} more")
    installed(root)
    assert import_module("shop.item").VALUE.startswith(OTHER)


def test_unchanged_source_is_not_read(root: Path) -> None:
    """The bytecode is used: the source has another content of the same size and time."""
    installed(root)
    import_module("shop.item")
    write(root / "shop" / "item.py", OTHER)
    installed(root)
    assert import_module("shop.item").VALUE == CODE


def test_invalid_bytecode_is_replaced(root: Path) -> None:
    """It is of another version of Python."""
    installed(root)
    cached = Path(import_module("shop.item").__cached__)
    cached.write_bytes(b"old!" + cached.read_bytes()[4:])
    write(root / "shop" / "item.py", OTHER)
    installed(root)
    assert import_module("shop.item").VALUE == OTHER


def test_tracebacks_name_the_present_folder(root: Path, tmp_path: Path) -> None:
    """The packages were moved after their bytecode was written."""
    (root / "shop" / "item.py").write_text("def fail():\n    raise ValueError\n")
    installed(root)
    import_module("shop.item")
    moved = root.rename(tmp_path / "moved")
    installed(moved)
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - any
        import_module("shop.item").fail()
    assert traceback.extract_tb(raised.tb)[-1].filename == str(moved / "shop" / "item.py")


def test_an_extension_module_is_found_before_the_source_beside_it(root: Path) -> None:
    """As in a compiled build."""
    extension = root / "shop" / f"item{EXTENSION_SUFFIXES[0]}"
    extension.write_bytes(b"")
    spec = ModuleFinder(str(root), ["shop"]).find_spec("shop.item", [str(root / "shop")])
    assert spec is not None
    assert (type(spec.loader), spec.origin) == (ExtensionFileLoader, str(extension))


@pytest.mark.parametrize("name", ["shop.absent", "shop.inner.absent"])
def test_an_absent_module_is_not_found(root: Path, name: str) -> None:
    """The exception is the one of Python."""
    installed(root)
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
        import_module(name)


def test_other_packages_are_left_to_python(root: Path) -> None:
    """Also one whose name begins alike."""
    finder = ModuleFinder(str(root), ["shop"])
    assert finder.find_spec("shopping", None) is None
    assert finder.find_spec("json.decoder", [str(root / "shop")]) is None


def test_a_folder_without_an_initializer_is_no_package(root: Path) -> None:
    """Python itself makes a namespace package of it."""
    (root / "shop" / "data").mkdir()
    assert ModuleFinder(str(root), ["shop"]).find_spec("shop.data", [str(root / "shop")]) is None


def test_python_finds_the_modules_if_bytecode_is_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the finder would read bytecode that Python does not write."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    before = sys.meta_path[:]
    module_finder.install(str(root), ["shop"])
    assert sys.meta_path == before
