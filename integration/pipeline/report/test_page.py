"""The page in a real browser: no errors in the console, and no overflow in a narrow window.

Headless Chromium writes its console to stderr, and the rendered page to stdout.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from integration.machine.browser import browser_path
from pipeline.report.page import page
from tests.pipeline.report.findings_made import made

NARROW_PX = 500  # the narrowest window of Chromium
MEASURED = "<script>document.title = document.documentElement.scrollWidth</script>"


@pytest.fixture
def browser() -> str:
    """The path of a browser."""
    return browser_path()


def opened(browser: str, text: str, folder: Path) -> tuple[str, list[str]]:
    """Return the final title of the page, and the messages of its console."""
    (folder / "page.html").write_text(text)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    flags += [f"--user-data-dir={folder / 'profile'}", f"--window-size={NARROW_PX},900"]
    ended = subprocess.run(
        [browser, *flags, "--dump-dom", (folder / "page.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=90,
    )
    title = re.search(r"<title>(.*?)</title>", ended.stdout)
    assert title
    return title[1], [line for line in ended.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("names", [("ours",), ("ours", "theirs")])
def test_a_page_opens_without_errors(browser: str, names: tuple[str, ...], tmp_path: Path) -> None:
    """One set of records and two; wide tables and plots scroll in their own frames."""
    text = page([made(name) for name in names])
    width, console = opened(browser, text.replace("</body>", f"{MEASURED}</body>"), tmp_path)

    assert console == []
    assert int(width) <= NARROW_PX


def test_a_broken_page_has_errors(browser: str, tmp_path: Path) -> None:
    """The check detects errors in the console."""
    broken = "<title>x</title><img src='none.png'><script>throw new Error('broken')</script>"
    _, console = opened(browser, broken, tmp_path)

    assert any("broken" in line for line in console)
