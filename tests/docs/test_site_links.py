"""Links of files outside docs/ become links of the site's pages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from docs.site_links import FOLDER, ROOT, rewrite_links, rewrite_source


def application(dependencies: list[str]) -> Any:
    """Return an application of Sphinx that adds to *dependencies* those of the page."""
    return SimpleNamespace(env=SimpleNamespace(note_dependency=dependencies.append))


@pytest.mark.parametrize(
    ("link", "rewritten"),
    [
        ("[a](docs/reference/admin.md)", "[a](../reference/admin.md)"),
        ("[a](docs/reference/admin.md#faults)", "[a](../reference/admin.md#faults)"),
        ("[a](CHANGELOG.md)", "[a](changelog.md)"),
        ("[a](ARCHITECTURE.md#decisions)", "[a](../explanation/architecture.md#decisions)"),
        ("[a](broker/node.py)", "[a](../../broker/node.py)"),
        ("![a](docs/explanation/pictures/rooms.svg)", "![a](../explanation/pictures/rooms.svg)"),
        ("[a](https://example.org/docs/x.md)", "[a](https://example.org/docs/x.md)"),
        ("[a](#rules)", "[a](#rules)"),
    ],
)
def test_a_link_is_relative_to_the_page(link: str, rewritten: str) -> None:
    """Files at the top that have a page become that page; other addresses stay."""
    page = FOLDER / "project" / "contributing.md"

    assert rewrite_links(link, ROOT / "CONTRIBUTING.md", page) == rewritten


def test_an_include_has_the_text_of_its_file() -> None:
    """The page depends on the file, so that a change of the file builds it again."""
    source = ["```{include} ../../SECURITY.md\n```\n"]
    dependencies: list[str] = []

    rewrite_source(application(dependencies), "project/security", source)

    assert source[0].startswith("# Security policy\n")
    assert dependencies == [str(ROOT / "SECURITY.md")]


def test_a_page_keeps_its_own_links() -> None:
    """Links between pages of the site do not change."""
    source = ["[a](../reference/admin.md#faults) and [b](pytest.md)\n"]
    before = list(source)

    rewrite_source(application([]), "how-to/faults", source)

    assert source == before
