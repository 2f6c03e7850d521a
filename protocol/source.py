"""The source of a function that is being generated, and the objects that it refers to.

The codec generates a reader and a writer for every struct of every version that is used, as
`dataclasses` generates an ``__init__``: without branches on types or versions. `protocol.schema`
generates one for every struct that is constructed. Tracebacks show these lines.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

_INDENT = "    "
_numbers = count(1)


class Source:
    """``def name(parameters): ...``; tracebacks show *about* in the file name.

    With ``sliced`` the function is a generator that yields between the items of arrays.
    """

    def __init__(self, name: str, parameters: str, about: str, *, sliced: bool = False) -> None:
        self.sliced = sliced
        self._name = name
        self._about = about
        self.lines = [f"def {name}({parameters}):"]
        self._depth = 1
        self._objects: dict[str, Any] = {}
        self._locals = 0

    def line(self, text: str) -> None:
        """Append a line."""
        self.lines.append(_INDENT * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Append *head*; lines appended inside are its block."""
        self.line(f"{head}:")
        self._depth += 1
        yield
        self._depth -= 1

    def bind(self, stem: str, value: Any) -> str:
        """Bind *value* to a name derived from *stem*; returns the name."""
        name = stem
        for number in count(2):
            if self._objects.setdefault(name, value) is value:
                break
            name = f"{stem}_{number}"
        return name

    def local(self, stem: str) -> str:
        """Return an unused variable name derived from *stem*."""
        self._locals += 1
        return f"{stem}{self._locals}"

    def function(self) -> Callable[..., Any]:
        """Compile the source and return the function."""
        text = "\n".join(self.lines) + "\n"
        file_name = f"<{self._name} {self._about} #{next(_numbers)}>"
        linecache.cache[file_name] = len(text), None, text.splitlines(keepends=True), file_name
        exec(compile(text, file_name, "exec"), self._objects)  # noqa: S102 - it contains no input
        function: Callable[..., Any] = self._objects[self._name]
        return function
