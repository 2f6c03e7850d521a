"""The CRC-32C of record batches, by the extension module of the package ``crc32c``.

The package itself is not imported: it looks for its own version with `importlib.metadata`, which
takes 3 % of a start.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec

from protocol.compression import Buffer


def _load() -> Callable[[Buffer], int]:
    package = find_spec("crc32c")
    if package is None:
        raise ModuleNotFoundError("No module named 'crc32c'", name="crc32c")
    spec = PathFinder.find_spec("crc32c._crc32c", package.submodule_search_locations)
    assert spec is not None, "the package has its extension module"
    assert spec.loader is not None, "an extension module is loaded from a file"
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[Buffer], int] = module.crc32c
    return function


crc32c = _load()
