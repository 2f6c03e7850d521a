"""A class whose error for an unknown attribute suggests one, such as ``bootstrap``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antechamber.unknown_words import closest


class SuggestsAttributes:
    """Classes of the public interface derive from it."""

    # A type checker that sees this method accepts every attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Python calls this after any `AttributeError`, also one that a property has raised."""
            try:
                return object.__getattribute__(self, name)
            except AttributeError as error:
                if name.startswith("_") or error.name != name or error.obj is not self:
                    raise
                names = (each for each in dir(self) if not each.startswith("_") and each != name)
                close = closest(name, names)
                if close is None:
                    raise
                words = f"{error}; did you mean {close!r}?"
                raise AttributeError(words, name=name, obj=self) from None
