"""Commands, Python and links in the documents are valid, and generated files are up to date."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import dropwhile
from pathlib import Path

import pytest

from antechamber import cli
from broker.command_line.arguments import parse_arguments
from docs.apis_page import USES
from docs.generate import PAGES
from docs.parsers import parsers
from pipeline.arguments import parse as parse_analyze
from protocol.messages import REQUESTS
from protocol.messages.delete_share_group_state import DeleteShareGroupStateRequest
from protocol.messages.initialize_share_group_state import InitializeShareGroupStateRequest
from protocol.messages.read_share_group_state import ReadShareGroupStateRequest
from protocol.messages.read_share_group_state_summary import ReadShareGroupStateSummaryRequest
from protocol.messages.write_share_group_state import WriteShareGroupStateRequest
from recorder.arguments import parse as parse_record

ROOT = Path(__file__).parent.parent
PACKAGES = ("antechamber", "broker", "pipeline", "protocol", "purgatories", "recorder")
CODE = (*PACKAGES, "benchmarks", "docs", "integration", "tests")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("purgatories/*.md")])
BLOCK = re.compile(r"^```(\w+)(?: [\w-]+)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
_VARIABLE = re.compile("[A-Z_]+=")
NAMED = re.compile(rf"`((?:{'|'.join(CODE)})/[\w./-]*)`")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
PARSERS: dict[str, Callable[[list[str]], object]] = {
    **{name: parser.parse_args for name, parser in parsers().items()},
    "serve": parse_arguments,
    "record": parse_record,
    "analyze": parse_analyze,
}
OTHER_PROGRAMS = {
    ".",
    "curl",
    "docker",
    "git",
    "kcat",
    "pip",
    "pytest",
    "python",
    "python3",
    "spark-submit",
}

# Nodes send these requests, which need the permission for cluster actions; the tests of
# `broker/share_coordinator` send them too.
_FOR_NODES = (
    InitializeShareGroupStateRequest,
    ReadShareGroupStateRequest,
    WriteShareGroupStateRequest,
    DeleteShareGroupStateRequest,
    ReadShareGroupStateSummaryRequest,
)
_FOR_CLIENTS = [request for request in REQUESTS.values() if request not in _FOR_NODES]


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


def _with_variables(words: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The program and its arguments; sets the environment variables that come before it."""
    program = list(dropwhile(_VARIABLE.match, words))
    for variable in words[: len(words) - len(program)]:
        monkeypatch.setenv(*variable.split("=", 1))
    return program


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_exists(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Targets of make, commands of antechamber with these options, and scripts exist."""
    monkeypatch.chdir(tmp_path)
    for name in re.findall(r"--properties (\S+)", document.read_text()):
        Path(name).touch()
    for program, *arguments in (
        _with_variables(words, monkeypatch) for words in commands(document)
    ):
        if program == "make":
            targets = [word for word in arguments if "=" not in word]
            assert set(targets) <= TARGETS, arguments
        elif program == "antechamber":
            command, *options = [word for word in arguments if word != "&"]
            if command not in PARSERS:
                assert cli.main([command]) == 0
            elif "--help" not in options:
                PARSERS[command](options)
        else:
            assert program in OTHER_PROGRAMS or os.access(ROOT / program, os.X_OK), program


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_is_python(document: Path) -> None:
    """Snippets compile; integration/test_readme.py runs those that can run alone."""
    for number, body in enumerate(blocks(document, "python")):
        compile(body, f"{document.name}, snippet {number}", "exec")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_have_targets(document: Path) -> None:
    """Every file that a document links to exists."""
    for target in LINK.findall(document.read_text()):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_in_the_text_exist(document: Path) -> None:
    """A path in backticks, of a file or folder of the code, is that of a file in the checkout."""
    for path in NAMED.findall(document.read_text()):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_up_to_date(page: str) -> None:
    """A file is what `make docs` would write."""
    assert (ROOT / "docs" / page).read_text() == PAGES[page]()


@pytest.mark.parametrize("request_class", _FOR_CLIENTS, ids=lambda each: each.__name__)
def test_every_api_has_a_client(request_class: type) -> None:
    """Each API that is not only for nodes has been used by a client in integration/."""
    api = request_class.__name__.removesuffix("Request")
    users = [file for file, used in json.loads(USES.read_text()).items() if api in used]
    assert users
    for file in users:
        assert (ROOT / "integration" / f"{file}.py").exists()
