"""The page of a report."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from datetime import timedelta

from pipeline.report.causes import CAUSES_READ, Cause, Causes, Mark
from pipeline.report.findings import TIME_BINS
from pipeline.report.page import page
from pipeline.report.words import KINDS
from tests.pipeline.report.findings_made import START, made, wait


def test_a_page_has_no_external_references() -> None:
    """A page has no addresses, one script, and a section for each link."""
    text = page([made()])

    assert not re.search(r'(src|href)="(?!#|data:)', text)
    assert not re.search(r"@import|url\(", text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) > 8
    assert set(re.findall(r'href="#([^"]+)', text)) == set(ids) - {"scheme"}


def test_the_policy_allows_only_the_script_of_the_page() -> None:
    """By its hash; nothing can be loaded."""
    text = page([made()])

    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in text
    assert "default-src &#x27;none&#x27;" in text


def test_causes_are_ranked_and_idle_polls_are_apart() -> None:
    """The headline names the largest cause that is no queue."""
    text = page([made()])

    assert "The largest cause is replica 3 (paused): 30 s of waiting" in text
    assert "<b>queue of client billing</b>" in text
    assert "7 fetches of consumers (3.5 s) waited for records that did not exist yet" in text
    assert "node 3: paused" in text
    assert "rule slow: delay" in text


def test_the_period_names_the_windows_to_which_it_is_rounded() -> None:
    """A recording may be shorter than one window; a compared one has a period of its own."""
    one = made()
    late = replace(one, over_time={("Produce", "request"): {(START + timedelta(hours=15), 8): 1}})

    first = "2025-11-21 09:00:00 to 09:06:00 UTC, rounded to windows of 60 s"
    second = "2025-11-22 00:00:00 to 00:01:00 UTC, rounded to windows of 60 s"
    assert re.findall('class="source">([^<]+)', page([one])) == [f"ours · {first}"]
    compared = re.findall('class="source">([^<]+)', page([one, late]))
    assert compared == ["ours against ours", first, second]


def test_a_period_over_midnight_has_two_dates() -> None:
    """The second one only if it differs."""
    cells = {(START, 8): 1, (START + timedelta(days=1), 8): 1}

    text = page([replace(made(), over_time={("Produce", "request"): cells})])

    assert "2025-11-21 09:00:00 to 2025-11-22 09:01:00 UTC" in text


def test_a_wait_is_below_its_cause_with_its_steps() -> None:
    """The cause is that of its longest part."""
    text = page([made()])
    shown = text[text.index("<b>replica 3 (paused)</b>") :]
    replica = shown[: shown.index("</ol>")]

    assert "parked: high watermark, replica 3 (paused)" in replica
    assert "parked: fault, fault rule slow (delay)" in replica
    assert "in the queue of its connection" in replica


def test_the_tables_of_an_older_run_have_a_page() -> None:
    """They have neither causes nor the parts of waits."""
    older = {"parked_us": 5, "api": "Fetch", "explanation": None, "purgatory": "Fetch"}
    text = page([replace(made(), blame=Causes(), top=[older])])

    assert "No wait delayed a request." in text
    assert 'id="causes"' not in text


def test_the_records_of_a_proxy_have_no_figures_of_waits() -> None:
    """A proxy does not see them; zeros would be untrue."""
    one = made()
    apis = [replace(api, unexplained=api.count, parked=0, timeouts=0) for api in one.apis]
    text = page([replace(one, apis=apis, blame=Causes()), made("kafka")])
    proxy = text[text.index("<main>") : text.index(">kafka</p>")]

    assert "The waits and their causes are not known: recorded by a proxy." in proxy
    assert "timed out" not in proxy
    assert "of the requests were parked" not in proxy


def test_the_size_of_a_page_is_bounded() -> None:
    """Also with as many bins, APIs, causes and waits as the findings can have."""
    one = made()
    moments = [START + timedelta(minutes=n) for n in range(TIME_BINS)]
    cells = {(at, row): 1 + (n * row) % 97 for n, at in enumerate(moments) for row in range(4, 52)}
    apis = [f"Api{n}" for n in range(40)]
    blame = replace(
        one.blame,
        found=[Cause("client", "x" * 100 + str(n), None, 1, 1, 1) for n in range(CAUSES_READ)],
        over_time={(at, kind): 10**7 for at in moments for kind in KINDS},
        marks=[Mark(at, "rule", f"r{n}", "delay", 1) for n, at in enumerate(moments * 16)],
    )
    many = replace(
        one,
        series=[replace(one.series[0], api=name) for name in apis],
        over_time={(name, "request"): cells for name in apis},
        blame=blame,
        top=[wait(1_000_000, "x" * 500) for _ in range(5_000)],
    )

    assert len(page([many])) < 2_000_000


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
    assert re.findall('<p class="name">([^<]+)', text) == ["ours", "theirs"]
