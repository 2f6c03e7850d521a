"""Regular expressions that are compiled on use."""

from __future__ import annotations

import re

import pytest

from protocol.lazy_pattern import LazyPattern


def test_it_is_compiled_once() -> None:
    """Later uses have the same object."""
    pattern = LazyPattern(rb"a(\d+)", re.IGNORECASE)

    assert pattern.compiled.findall(b"A12 a3") == [b"12", b"3"]
    assert pattern.compiled is pattern.compiled


def test_an_invalid_one_fails_on_use() -> None:
    """To create it is not an error."""
    pattern = LazyPattern("(")

    with pytest.raises(re.error):
        _ = pattern.compiled
