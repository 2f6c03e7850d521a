"""Regular expressions that are compiled when they are first used.

To compile an expression takes about 0.1 ms. The modules of a broker have forty that most brokers
never use.
"""

from __future__ import annotations

import re
from typing import AnyStr, Generic


class LazyPattern(Generic[AnyStr]):
    """A regular expression with its *flags*; ``compiled`` raises `re.error` if it is invalid."""

    __slots__ = ("_compiled", "_flags", "_pattern")

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self._pattern: AnyStr = pattern
        self._flags = flags
        self._compiled: re.Pattern[AnyStr] | None = None

    @property
    def compiled(self) -> re.Pattern[AnyStr]:
        """The compiled expression."""
        if self._compiled is None:
            self._compiled = re.compile(self._pattern, self._flags)
        return self._compiled
