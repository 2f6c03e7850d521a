"""The parameters of a request's target, each read under its name and checked.

A parameter that nobody knows, comes twice or cannot be read is refused with 400 and a line that
says what there is: a wrong spelling must not quietly ask for something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from http import HTTPStatus

from broker.admin.http import HttpError

_FLAGS = {"1": True, "true": True, "0": False, "false": False}


class Query:
    """Reads parameters; each method raises `HttpError` when its parameter cannot be read."""

    def __init__(self, given: Iterable[tuple[str, str]] = ()) -> None:
        self._given: dict[str, str] = {}
        for name, value in given:
            if name in self._given:
                raise _refused(f"{name} is given twice")
            self._given[name] = value

    def allow(self, *names: str) -> None:
        """Refuse every parameter that is not one of *names*."""
        for name in self._given:
            if name not in names:
                there_are = f"there are {', '.join(names)}" if names else "there are none here"
                raise _refused(f"no parameter is named {name!r}; {there_are}")

    def text(self, name: str) -> str | None:
        """Whatever is given; None if nothing is, or nothing but the name."""
        return self._given.get(name) or None

    def flag(self, name: str) -> bool:
        """1 or 0, true or false; false if not given."""
        value = self._given.get(name, "0")
        if value not in _FLAGS:
            raise _refused(f"{name}: {value!r} is neither 1 nor 0")
        return _FLAGS[value]

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """One of *choices*, in whatever case it is written; None if not given."""
        value = self.text(name)
        if value is None:
            return None
        meant = next((each for each in choices if each.lower() == value.lower()), None)
        if meant is None:
            raise _refused(f"{name}: {value!r} is not one of {', '.join(choices)}")
        return meant

    def whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number from *low* to *high*; None if not given."""
        text = self.text(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high):
            raise _refused(f"{name}: {text!r} is not a whole number from {low} to {high}")
        return int(text)


def _refused(message: str) -> HttpError:
    return HttpError(HTTPStatus.BAD_REQUEST, message)
