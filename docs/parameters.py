"""Parameters in docstrings, on the page of the Python handle.

A class's docstring describes a parameter in a line such as ``topics: the topics to create``. Such
lines become a list of parameters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_PARAMETER = re.compile(r"^(\w+): (.*)$")


def as_fields(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Handle Sphinx's event ``autodoc-process-docstring``: change *lines* in place."""
    lines[:] = fields(lines)


def fields(lines: list[str]) -> list[str]:
    """Return *lines* with each line ``name: text`` as a field; following lines continue it."""
    changed: list[str] = []
    is_field = False
    for line in lines:
        if found := _PARAMETER.match(line):
            changed.append(f":param {found[1]}: {found[2]}")
            is_field = True
        else:
            is_field = is_field and bool(line)
            changed.append(f"    {line}" if is_field else line)
    return changed
