"""The page of a report."""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.report.page import page
from tests.pipeline.report.findings_made import made


def test_a_page_has_no_external_references() -> None:
    """A page has no addresses except XML names, no scripts, and unique ids."""
    text = page([made()])

    assert not re.search(r'(src|href)="(?!#|data:)', text)
    assert not re.search(r"@import|<script|url\((?!#)", text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) > 10
    assert set(re.findall(r'(?:url\(#|xlink:href="#)([^")]+)', text)) <= set(ids)


def test_recorded_names_are_escaped() -> None:
    """A client id may contain HTML."""
    text = page([made("<b>x</b>")])

    assert "<title>&lt;b&gt;x&lt;/b&gt;" in text
    assert "Produce 1 &lt;waited&gt; &amp; ended." in text
    assert "<b>x</b>" not in text


def test_control_characters_are_shown_escaped() -> None:
    """Names in foreign records may contain control characters."""
    one = made("ours\x1b[2J")
    one = replace(
        one,
        apis=[replace(api, name=f"{api.name}\x1b]0;\x07") for api in one.apis],
        causes={(at, f"{cause}\x1b"): count for (at, cause), count in one.causes.items()},
        top=[{**wait, "explanation": "of client\r\u202e"} for wait in one.top],
        deliveries=[{**each, "topic": "t\n", "consumer": "c\x1b"} for each in one.deliveries],
        clients=[{**each, "principal": "User:a\x1b"} for each in one.clients],
    )

    text = page([one, one]) + page([one])

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert r"ours\x1b[2J" in text
    assert r"of client\r\u202e" in text
    assert r"<td>c\x1b</td>" in text


def test_clients_are_listed_with_principal_and_listener() -> None:
    """Records of older brokers have neither."""
    text = page([made()])

    assert "<td>billing</td><td>User:alice</td><td>SASL_SSL</td><td>1,000</td>" in text
    assert "<td>(no name)</td><td>-</td><td>-</td><td>1</td>" in text


def test_two_sets_are_compared() -> None:
    """Each API has a row with both sets."""
    text = page([made("ours"), made("theirs")])

    assert "<td>Produce · ours</td>" in text
    assert "<td>Produce · theirs</td>" in text
    assert text.index('<p class="name">ours') < text.index('<p class="name">theirs')
