"""What the documents tell a reader to type exists, and the generated pages are up to date."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from antechamber import cli, fault_command, requests_command
from broker.arguments import parse_arguments
from docs.generate import PAGES

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
PARSERS = {"fault": fault_command.parser, "requests": requests_command.parser}
OTHER_PROGRAMS = {"pip", "cd", "git", "curl", ".ci/run"}


def blocks(document: Path, *languages: str) -> Iterator[str]:
    """The code blocks of a document in one of these languages."""
    for language, body in BLOCK.findall(document.read_text()):
        if language in languages:
            yield body


def commands(document: Path) -> list[list[str]]:
    """The commands of a document: every line of sh, what follows $ in console."""
    lines = [line for body in blocks(document, "sh") for line in body.splitlines()]
    lines += [
        line[2:]
        for body in blocks(document, "console")
        for line in body.splitlines()
        if line.startswith("$ ")
    ]
    split = (shlex.split(line, comments=True) for line in lines)
    return [words for words in split if words]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_exists(document: Path) -> None:
    """Targets of make, commands of antechamber with their options; the rest is known by name."""
    for program, *arguments in commands(document):
        if program == "make":
            targets = [word for word in arguments if "=" not in word]
            assert set(targets) <= TARGETS, arguments
        elif program == "antechamber":
            command, *options = [word for word in arguments if word != "&"]
            if command == "serve" and "--help" not in options:
                parse_arguments(options)
            elif command in PARSERS:
                PARSERS[command]().parse_args(options)
            else:
                assert cli.main([command]) == 0, arguments
        else:
            assert program in OTHER_PROGRAMS, program


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_is_python(document: Path) -> None:
    """Snippets compile; integration/test_readme.py runs those of the README."""
    for number, body in enumerate(blocks(document, "python")):
        compile(body, f"{document.name}, snippet {number}", "exec")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    """Every file that a document links to is there."""
    for target in LINK.findall(document.read_text()):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_up_to_date(page: str) -> None:
    """`make docs` writes them."""
    assert (ROOT / "docs" / page).read_text() == PAGES[page]()
