"""Links of the pages that lie outside docs/, such as CONTRIBUTING.md, on the documentation site.

Sphinx reads files below docs/ only. A page that consists of one ``{include}`` of a file at the top
of the repository has that file's text; its links are rewritten to be relative to the page.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
# Pages of the site by the files that they include.
PAGES = {
    ROOT / "ARCHITECTURE.md": FOLDER / "explanation" / "architecture.md",
    ROOT / "CHANGELOG.md": FOLDER / "project" / "changelog.md",
    ROOT / "CONTRIBUTING.md": FOLDER / "project" / "contributing.md",
    ROOT / "RELEASING.md": FOLDER / "project" / "releasing.md",
    ROOT / "SECURITY.md": FOLDER / "project" / "security.md",
    ROOT / "README.md": FOLDER / "index.md",
    ROOT / "purgatories" / "README.md": FOLDER / "reference" / "purgatories.md",
}
_INCLUDE = re.compile(r"^```\{include\} (\S+)\n```$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")


def rewrite_source(app: Sphinx, name: str, source: list[str]) -> None:
    """Handle Sphinx's event ``source-read``: expand an ``{include}`` and rewrite links."""
    page = FOLDER / f"{name}.md"
    text, origin = source[0], page
    if included := _INCLUDE.search(text):
        origin = (page.parent / included[1]).resolve()
        text = origin.read_text()
        app.env.note_dependency(str(origin))  # the page is built again if the file changes
    source[0] = rewrite_links(text, origin, page)


def rewrite_links(text: str, origin: Path, page: Path) -> str:
    """Return *text* with the links of the file *origin* made relative to the file *page*."""

    def rewritten(link: re.Match[str]) -> str:
        target = (origin.parent / link[1]).resolve()
        target = PAGES.get(target, target)
        if target.is_dir():
            target = next(iter(sorted(target.glob("__init__.py"))), target)
        return f"]({os.path.relpath(target, page.parent)}{link[2] or ''})"

    return _LINK.sub(rewritten, text)
