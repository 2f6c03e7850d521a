"""Tests of which modules a compiled build has: `compiling.modules`."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiling.modules import COMPILED, INTERPRETED, deciding_entry

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("entry", [*COMPILED, *INTERPRETED])
def test_an_entry_names_a_folder_or_a_module(entry: str) -> None:
    """An entry of a module that was moved is removed."""
    assert (ROOT / entry).exists()


@pytest.mark.parametrize("entry", [*COMPILED, *INTERPRETED])
def test_an_entry_changes_what_its_folder_has(entry: str) -> None:
    """An entry that repeats that of its folder is removed."""
    around = deciding_entry(Path(entry).parent.as_posix())
    assert around is None or (around in COMPILED) != (entry in COMPILED)
