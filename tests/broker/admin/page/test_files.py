"""The files of the live page."""

from __future__ import annotations

import re

import pytest

from broker.admin.access import AccessRules
from broker.admin.http import HttpError, HttpRequest, PlainText
from broker.admin.page.files import page_files
from broker.admin.routes import Router
from broker.security.admin_tokens import AdminTokens

pytestmark = pytest.mark.anyio


def texts() -> dict[str, str]:
    """The files by path."""
    found = {}
    for path, response in page_files().items():
        assert isinstance(response.value, PlainText)
        found[path] = response.value.text
    return found


def test_the_page_may_load_only_its_own_files() -> None:
    """Each response has the policy, which also allows no script in the HTML."""
    for response in page_files().values():
        policy = response.headers["Content-Security-Policy"].split("; ")
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "connect-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy


def test_each_file_that_is_named_is_served() -> None:
    """By the page, its style sheet and its modules; nothing is loaded from elsewhere."""
    files = texts()
    named = {path for text in files.values() for path in re.findall(r'"(/page/[^"]*)"', text)}

    assert named == files.keys() - {"/"}
    for text in files.values():
        assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []


def test_text_is_never_parsed_as_html() -> None:
    """The modules do not use the functions that could do so, nor attributes with scripts."""
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|srcdoc"
    for path, text in texts().items():
        assert not re.search(unsafe, text), path
    assert not re.search(r"\son\w+=|<script>|style=", texts()["/"])


@pytest.mark.parametrize("path", ["/", "/page/main.js"])
async def test_a_file_needs_no_token(path: str) -> None:
    """A browser cannot send one with it; the page requests the token."""
    rules = AccessRules(frozenset({"h"}), AdminTokens("secret"))
    router = Router({}, rules, page_files())

    response = await router(HttpRequest("GET", path, {"host": "h", "sec-fetch-site": "cross-site"}))

    assert response is page_files()[path]


async def test_a_file_is_served_under_the_name_of_the_server_only() -> None:
    """As all of the interface."""
    router = Router({}, AccessRules(frozenset({"h"})), page_files())

    with pytest.raises(HttpError) as refused:
        await router(HttpRequest("GET", "/", {"host": "other"}))

    assert refused.value.status == 403


async def test_a_file_cannot_be_changed() -> None:
    """Another method is that of an unknown path."""
    router = Router({}, AccessRules(frozenset({"h"})), page_files())

    with pytest.raises(HttpError) as refused:
        await router(HttpRequest("POST", "/", {"host": "h"}))

    assert refused.value.status == 404
