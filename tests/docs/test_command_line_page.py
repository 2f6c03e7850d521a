"""The page of the command line has every command with all of its options."""

from __future__ import annotations

import argparse
import re

import pytest

from antechamber import cli
from docs.command_line_page import command_line
from docs.parsers import actions, parsers


def test_every_command_has_a_section() -> None:
    """In the order of ``antechamber help``, which has no section of its own."""
    sections = re.findall(r"^## `antechamber ([\w-]+)`$", command_line(), re.MULTILINE)

    assert sections == [name for name in cli.COMMANDS if name != "help"]


def test_an_option_has_its_meaning_and_default() -> None:
    """The default is in a column of its own."""
    page = command_line()

    assert re.search(r"^\| `--port PORT` \| [^|]+[^ |] \| `9092` \|$", page, re.MULTILINE)
    assert "%(default)s" not in page
    assert "%%" not in page


def test_a_command_without_arguments_has_no_table() -> None:
    """Only its description."""
    section = command_line().partition("## `antechamber doctor`")[2].partition("\n## ")[0]

    assert "| argument |" not in section


@pytest.mark.parametrize("parser", parsers().values(), ids=parsers())
def test_the_help_of_an_option_has_its_default(parser: argparse.ArgumentParser) -> None:
    """In parentheses at the end."""
    defaults = [
        option
        for option in actions(parser)
        if option.option_strings and option.nargs != 0 and option.default
    ]

    assert [each.help for each in defaults if not (each.help or "").endswith(")")] == []
    assert "(default: " not in parser.format_help()
