"""Elements of the page. Texts are escaped here, so that nothing recorded can be markup."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape


def element(tag: str, *content: str, **attributes: str | float | None) -> str:
    """An element; *content* is markup, attributes are texts. ``class_`` is ``class``."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{named}>{''.join(content)}</{tag}>"


def text(tag: str, words: str, **attributes: str | float | None) -> str:
    """An element whose content is a text."""
    return element(tag, escape(words), **attributes)


def data(value: object) -> str:
    """The JSON of a value, for an attribute that the script of the page reads."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of texts, in a frame of its own that scrolls if it is too wide."""
    top = "".join(text("th", cell, scope="col") for cell in head)
    lines = "".join(element("tr", *(text("td", cell) for cell in row)) for row in rows)
    body = element("thead", element("tr", top)) + element("tbody", lines)
    return element("div", element("table", body), class_="wide", tabindex="0", role="region")


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
