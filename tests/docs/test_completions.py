"""Completions and the manual page have all commands and options."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from docs.completions import COMPLETIONS
from docs.man_page import man_page
from docs.parsers import actions, parsers, summaries

OPTIONS = {
    option
    for parser in parsers().values()
    for action in actions(parser)
    for option in action.option_strings
}


@pytest.mark.parametrize("name", COMPLETIONS)
def test_a_completion_has_every_option(name: str) -> None:
    """Each shell names options in its own way."""
    text = COMPLETIONS[name]()
    words = {
        f"-l {option[2:]}" if "fish" in name and option[:2] == "--" else option
        for option in OPTIONS
    }

    assert all(each in text or f"-s {each[1:]}" in text for each in words)


def test_the_manual_page_has_every_option() -> None:
    """Hyphens are escaped, so that they can be searched and copied."""
    page = man_page()

    assert all(option.replace("-", r"\-") in page for option in OPTIONS)
    assert all(f".B {command}" in page for command in summaries())


def test_the_manual_page_is_valid() -> None:
    """Groff warns of nothing."""
    if shutil.which("groff") is None:
        pytest.skip("needs groff")
    words = ["groff", "-man", "-Tutf8", "-ww", "-z"]
    done = subprocess.run(words, input=man_page(), capture_output=True, text=True, check=True)

    assert done.stderr == ""
