"""Reads the fields of a JSON object that a user has written.

Each method raises `InvalidValue` with one sentence that names the field and what is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from broker.common.choices import not_one_of, short
from broker.common.errors import InvalidValue

TEXT_MAX_CHARACTERS = 249


class Fields:
    """The fields of the object at *path*, such as ``action``; empty for the outermost one."""

    def __init__(self, value: object, path: str = "", what: str = "a fault rule") -> None:
        if not isinstance(value, dict):
            raise InvalidValue(f"{path or what}: it must be a JSON object")
        self._values: Mapping[str, Any] = value
        self._path = path
        self._what = what

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def allow(self, *names: str) -> None:
        """Refuse every field that is not one of *names*."""
        for name in self._values:
            if name not in names:
                allowed = ", ".join(names) if names else "no field"
                where = self._path or self._what
                raise InvalidValue(f"{where}: no field is named {name!r}; allowed: {allowed}")

    def refusal(self, name: str, reason: str) -> InvalidValue:
        """The exception for the field *name*."""
        return InvalidValue(f"{self._name(name)}: {reason}")

    def inner(self, name: str) -> Fields:
        """The fields of the object in field *name*, which is required."""
        if name not in self:
            raise self.refusal(name, "give a JSON object")
        return Fields(self._values[name], self._name(name))

    def optional(self, name: str) -> Fields | None:
        """The fields of the object in field *name*; None if it is not given."""
        return self.inner(name) if name in self else None

    def value(self, name: str) -> object:
        """The value of a field of any type; None if it is not given."""
        value: object = self._values.get(name)
        return value

    def text(self, name: str) -> str | None:
        """A text that is not empty; None if it is not given."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not 0 < len(value) <= TEXT_MAX_CHARACTERS:
            raise self.refusal(name, f"it must be a text of 1 to {TEXT_MAX_CHARACTERS} characters")
        return value

    def choice(self, name: str, choices: Collection[str], default: str | None = None) -> str | None:
        """One of *choices*, or *default* if it is not given."""
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, str) or value not in choices:
            raise self.refusal(name, not_one_of(value, choices))
        return value

    def needed_choice(self, name: str, choices: Collection[str]) -> str:
        """One of *choices*, which is required."""
        value = self.choice(name, choices)
        if value is None:
            raise self.refusal(name, f"give one of {', '.join(choices)}")
        return value

    def whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number from *low* to *high*; None if it is not given."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.refusal(name, f"{short(value)} is not a whole number from {low} to {high}")
        return value

    def needed_whole(self, name: str, low: int, high: int) -> int:
        """A whole number from *low* to *high*, which is required."""
        value = self.whole(name, low, high)
        if value is None:
            raise self.refusal(name, f"give a whole number from {low} to {high}")
        return value

    def needed_number(self, name: str, low: float, high: float) -> float:
        """A number greater than *low* and at most *high*, which is required."""
        value = self._values.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not low < value <= high:
            raise self.refusal(name, f"give a number greater than {low:g} and at most {high:g}")
        return float(value)

    def _name(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name
