"""Collects the commands of the documents: blocks, tables and the examples of `antechamber help`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from antechamber import cli

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "purgatories/*.md")
    for page in ROOT.glob(pattern)
    if page.name != "CHANGELOG.md"
)
_BLOCK = re.compile(r"^```(console|sh)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(?:source <\()?(antechamber [a-z]+(?: [^`)]+)?)\)?`")
# Commands that need no arguments; the text names others without them.
_ALONE = (
    "connections",
    "doctor",
    "groups",
    "help",
    "sessions",
    "share",
    "transactions",
    "wheel",
)
_EXAMPLE = re.compile(r"^  (antechamber \S+(?: \S+)*?)(?:  |$)", re.MULTILINE)
# A word in capitals is a placeholder, as in `antechamber fault resume NODE`.
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\[")


def documented() -> dict[str, str]:
    """Each command, and the first document that has it."""
    found: dict[str, str] = {}
    for page in PAGES:
        for command in _commands(page.read_text()):
            found.setdefault(command, str(page.relative_to(ROOT)))
    for command in _EXAMPLE.findall(cli.HELP.partition("try:")[2]):
        found.setdefault(command, "antechamber help")
    return found


def _commands(text: str) -> Iterator[str]:
    for language, body in _BLOCK.findall(text):
        for line in body.splitlines():
            if language == "sh" or line.startswith("$ "):
                command = re.sub(r"\s+#.*|^#.*", "", line).removeprefix("$ ").strip()
                if command:
                    yield command
    for command in _INLINE.findall(_BLOCK.sub("", text)):
        words = command.split()[1:]
        if not _PLACEHOLDER.search(command) and (len(words) > 1 or words[0] in _ALONE):
            yield command
