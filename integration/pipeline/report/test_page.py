"""The page in a real browser: by keyboard and pointer, in both schemes, and in a narrow window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from integration.machine.browser import Page, browser, browser_path
from integration.machine.deadlines import eventually
from pipeline.report.page import page as page_of
from tests.pipeline.report.findings_made import made, wait

NARROW_PX, WIDE_PX, HEIGHT_PX = 420, 1280, 900
# A name that would run a script if the page parsed it as HTML.
INJECTED = "<img src=x onerror=\"document.title='injected'\"></script><script>alert(1)</script>"
COLOURS = "(style => [style.color, style.backgroundColor])(getComputedStyle(document.body))"


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Page]:
    """An empty page."""
    with browser(browser_path(), tmp_path / "profile") as opened:
        opened.resize(WIDE_PX, HEIGHT_PX)
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file for the page."""
    return tmp_path / "page.html"


def show(window: Page, file: Path, text: str) -> None:
    """Open a page, and wait until its script has run."""
    file.write_text(text, encoding="utf-8")
    window.open(file.as_uri())
    ready = "document.readyState === 'complete' && document.getElementById('scheme')?.textContent"
    eventually(lambda: window.evaluate(ready), "the page")


def press(window: Page, key: str) -> None:
    """Press a key, as a user does."""
    codes = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowUp": 38, "End": 35}
    text = {"text": "\r"} if key == "Enter" else {}
    for kind in ("keyDown", "keyUp"):
        window.command(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=key,
            windowsVirtualKeyCode=codes[key],
            **(text if kind == "keyDown" else {}),
        )


def readout(window: Page, section: str) -> str:
    """The text below the first chart of a section."""
    found: str = window.evaluate(f"document.querySelector('#{section} .readout').textContent")
    return found


@pytest.mark.parametrize("names", [("ours",), ("ours", "theirs")])
@pytest.mark.parametrize("width", [NARROW_PX, WIDE_PX])
def test_a_page_opens_without_errors(
    window: Page, file: Path, names: tuple[str, ...], width: int
) -> None:
    """One set of records and two, without requests and without scrolling sideways."""
    window.resize(width, HEIGHT_PX)
    show(window, file, page_of([made(name) for name in names]))
    window.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")

    assert window.evaluate("document.documentElement.scrollWidth") <= width
    assert window.console == []
    assert {url.partition(":")[0] for url in window.requested} <= {"file", "data"}


def test_names_of_records_are_text(window: Page, file: Path) -> None:
    """Names with markup make no element and run no script."""
    one = made(INJECTED)
    for each in one.blame.found:
        each.name = INJECTED
    named = {"client_id": INJECTED, "api": INJECTED}
    waits = [{**wait(5_000_000, INJECTED), **named}]
    clients = [{**each, "client_id": INJECTED} for each in one.clients]
    marks = [replace(each, name=INJECTED) for each in one.blame.marks]
    blame = replace(one.blame, marks=marks)
    series = [replace(each, api=INJECTED) for each in one.series]
    over_time = {(INJECTED, "request"): next(iter(one.over_time.values()))}
    show(
        window,
        file,
        page_of(
            [
                replace(
                    one,
                    top=waits,
                    clients=clients,
                    blame=blame,
                    series=series,
                    over_time=over_time,
                )
            ]
        ),
    )

    assert window.evaluate("document.querySelectorAll('img').length") == 0
    assert window.evaluate("document.querySelectorAll('script').length") == 1
    assert window.evaluate("document.title") == f"{INJECTED}: waits of requests"
    assert window.console == []


def test_a_foreign_script_does_not_run(window: Page, file: Path) -> None:
    """The policy refuses a script and an event handler that are not the page's."""
    foreign = "<script>document.title = 'ran'</script><img src=x onerror=\"document.title='ran'\">"
    show(window, file, page_of([made()]).replace("</main>", f"{foreign}</main>"))

    assert window.evaluate("document.title") == "ours: waits of requests"
    assert any("Content Security Policy" in line for line in window.console)


def test_a_chart_is_read_by_keys(window: Page, file: Path) -> None:
    """Arrow keys move through time, and up a heat map."""
    show(window, file, page_of([made()]))
    window.evaluate("document.querySelector('#time .plot').focus()")
    assert readout(window, "time").startswith("09:00:00: replica 30 s, queue")
    press(window, "End")
    eventually(
        lambda: readout(window, "time") == "09:05:00: fault rule 20 ms. Faults: rule slow: delay",
        "the last column",
    )

    window.evaluate("document.querySelector('#heat .plot').focus()")
    first = readout(window, "heat")
    assert first.endswith(": 998 requests")
    press(window, "ArrowUp")
    eventually(lambda: readout(window, "heat").endswith(": 0 requests"), "the place above")


def test_a_chart_is_read_by_pointer(window: Page, file: Path) -> None:
    """The readout has the place below the pointer."""
    show(window, file, page_of([made()]))
    window.evaluate("document.querySelector('#curves').scrollIntoView({behavior: 'instant'})")
    box: Any = window.evaluate(
        "(box => [box.left, box.top, box.width, box.height])"
        "(document.querySelector('#curves .plot').getBoundingClientRect())"
    )
    x, y = box[0] + box[2] - 2, box[1] + box[3] / 2
    window.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    eventually(lambda: "Produce 30 s" in readout(window, "curves"), "the rarest requests")


def test_causes_are_opened_by_keys(window: Page, file: Path) -> None:
    """Enter opens a cause, Tab leads to its longest waits, Enter opens the waterfall of one."""
    show(window, file, page_of([made()]))
    causes = "[...document.querySelectorAll('.cause > summary')]"
    window.evaluate(f"{causes}.find(each => each.innerText.includes('replica 3')).focus()")
    press(window, "Enter")
    is_open = "document.querySelector('.cause[open]') !== null"
    eventually(lambda: window.evaluate(is_open), "an open cause")
    press(window, "Tab")  # the table of delayed APIs, which may scroll
    press(window, "Tab")
    press(window, "Enter")

    steps = "document.querySelector('.cause .request[open] .waterfall')?.innerText ?? ''"
    eventually(lambda: "parked: high watermark" in window.evaluate(steps), "the waterfall")
    shown = window.evaluate("document.querySelector('.cause .request[open] > p').innerText")
    assert shown == "Produce 1 <waited> & ended."


def test_the_scheme_is_that_of_the_system_or_of_the_button(window: Page, file: Path) -> None:
    """The text is bright on a dark ground in the dark scheme."""
    show(window, file, page_of([made()]))
    light = window.evaluate(COLOURS)
    window.prefer("dark")
    dark = window.evaluate(COLOURS)
    assert dark != light

    button = "document.getElementById('scheme')"
    window.evaluate(f"{button}.click()")
    assert window.evaluate(f"{button}.textContent") == "Colours: light"
    assert window.evaluate(COLOURS) == light
    window.evaluate(f"{button}.click()")
    assert window.evaluate(COLOURS) == dark


def test_a_broken_page_has_errors(window: Page, file: Path) -> None:
    """The check of the console detects errors."""
    file.write_text("<title>x</title><script>throw new Error('broken')</script>")
    window.open(file.as_uri())

    def failed() -> bool:
        window.evaluate("0")  # receives what has happened
        return any("broken" in line for line in window.console)

    eventually(failed, "the error")
