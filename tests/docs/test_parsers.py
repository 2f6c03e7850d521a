"""The parsers from which the help of commands is printed."""

from __future__ import annotations

import pytest

from antechamber import cli
from docs.parsers import parsers

TERMINAL_COLUMNS = 80


def test_the_list_of_commands_fits_a_terminal() -> None:
    """Its lines have at most the columns of a terminal."""
    assert max(map(len, cli.HELP.splitlines())) <= TERMINAL_COLUMNS


@pytest.mark.parametrize("name", parsers())
def test_help_fits_a_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of each command's help have at most the columns of a terminal."""
    monkeypatch.setenv("COLUMNS", str(TERMINAL_COLUMNS))

    assert max(map(len, parsers()[name].format_help().splitlines())) <= TERMINAL_COLUMNS
