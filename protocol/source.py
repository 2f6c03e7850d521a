"""The source of a function while it is being written, and the objects that it names.

The codec writes a reader and a writer for every struct of every version that is used, as
`dataclasses` writes an ``__init__``: straight lines, with no question about types or versions left
in them. A traceback shows these lines like any others.
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
    """``def name(parameters): ...``; *about* says in tracebacks what it is for.

    With ``sliced`` the function is a generator that yields between the items of arrays.
    """

    def __init__(self, name: str, parameters: str, about: str, *, sliced: bool = False) -> None:
        self.sliced = sliced
        self._name = name
        self._about = about
        self._lines = [f"def {name}({parameters}):"]
        self._depth = 1
        self._objects: dict[str, Any] = {}
        self._locals = 0

    def line(self, text: str) -> None:
        """One more line."""
        self._lines.append(_INDENT * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines written inside are the block of *head*."""
        self.line(f"{head}:")
        self._depth += 1
        yield
        self._depth -= 1

    def bind(self, stem: str, value: Any) -> str:
        """A name, *stem* or like it, by which the lines can use *value*."""
        name = stem
        for number in count(2):
            if self._objects.setdefault(name, value) is value:
                break
            name = f"{stem}_{number}"
        return name

    def local(self, stem: str) -> str:
        """The name of a variable that no other lines use."""
        self._locals += 1
        return f"{stem}{self._locals}"

    def function(self) -> Callable[..., Any]:
        """The function."""
        text = "\n".join(self._lines) + "\n"
        file_name = f"<{self._name} {self._about} #{next(_numbers)}>"
        linecache.cache[file_name] = len(text), None, text.splitlines(keepends=True), file_name
        exec(compile(text, file_name, "exec"), self._objects)  # noqa: S102 - nothing in it comes from outside
        function: Callable[..., Any] = self._objects[self._name]
        return function
