"""The parameters of a request's target.

A parameter that is unknown, given twice or invalid is refused with 400 and a line that names the
valid ones: a spelling mistake must not have the effect of another request.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from http import HTTPStatus

from broker.admin.http import HttpError
from broker.common.choices import not_one_of

_DECIMAL = re.compile(r"[0-9]{1,10}(\.[0-9]{1,10})?", re.ASCII)
_FLAGS = {"1": True, "true": True, "0": False, "false": False}


class Query:
    """Reads parameters by name; each method raises `HttpError` for an invalid value."""

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
                known = f"there are {', '.join(names)}" if names else "this path has none"
                raise _refused(f"no parameter is named {name!r}; {known}")

    def text(self, name: str) -> str | None:
        """The text; None if the parameter is not given or empty."""
        return self._given.get(name) or None

    def non_empty(self, name: str) -> str | None:
        """The text, which must not be empty; None if the parameter is not given."""
        if self._given.get(name) == "":
            raise _refused(f"{name}: it is empty; give a text, or leave the parameter out")
        return self.text(name)

    def flag(self, name: str) -> bool:
        """1 or 0, true or false; false if not given."""
        value = self._given.get(name, "0")
        if value not in _FLAGS:
            raise _refused(f"{name}: {value!r} is neither 1 nor 0")
        return _FLAGS[value]

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """One of *choices*, which are compared without regard to case; None if not given."""
        value = self.text(name)
        if value is None:
            return None
        meant = next((each for each in choices if each.lower() == value.lower()), None)
        if meant is None:
            raise _refused(f"{name}: {not_one_of(value, choices)}")
        return meant

    def whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number from *low* to *high*; None if not given."""
        text = self.text(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise _refused(f"{name}: {text!r} is not a whole number from {low} to {high}")
        return int(text)

    def decimal(self, name: str, low: float, high: float) -> float | None:
        """A decimal number from *low* to *high*; None if not given."""
        text = self.text(name)
        if text is None:
            return None
        if _DECIMAL.fullmatch(text) is None or not low <= float(text) <= high:
            raise _refused(f"{name}: {text!r} is not a number from {low:g} to {high:g}")
        return float(text)


def _refused(message: str) -> HttpError:
    return HttpError(HTTPStatus.BAD_REQUEST, message)
