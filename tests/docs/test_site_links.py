"""Links of files outside docs/ become links of the site's pages."""

from __future__ import annotations

import pytest

from docs.site_links import FOLDER, ROOT, rewrite_links, rewrite_source


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
    """With its links rewritten."""
    source = ["```{include} ../../SECURITY.md\n```\n"]

    rewrite_source(None, "project/security", source)  # type: ignore[arg-type]  # not used

    assert source[0].startswith("# Security policy\n")


def test_a_page_keeps_its_own_links() -> None:
    """Links between pages of the site do not change."""
    source = ["[a](../reference/admin.md#faults) and [b](pytest.md)\n"]
    before = list(source)

    rewrite_source(None, "how-to/faults", source)  # type: ignore[arg-type]  # not used

    assert source == before
