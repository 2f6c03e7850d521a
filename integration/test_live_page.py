"""The live page in a real browser, with a real client and a cluster of three nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, ShareConsumer

from antechamber import Cluster
from antechamber.admin_client import AdminClient
from integration.machine.browser import Page, browser, browser_path
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Serve

NARROW_PX, WIDE_PX, HEIGHT_PX = 420, 1280, 900
# Names that would run a script if the page parsed them as HTML.
CLIENT = "<img src=x onerror=\"document.title='injected'\">"
GROUP = "<script>document.title='injected'</script>"
TOPIC = "orders"
FULL, READ_ONLY = "secret", "look"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """An empty page."""
    with browser(browser_path(), tmp_path / "profile") as opened:
        opened.resize(WIDE_PX, HEIGHT_PX)
        yield opened


@pytest.fixture
def kafka() -> Iterator[Cluster]:
    """Three nodes that keep wait records."""
    with Cluster(brokers=3, topics=[f"{TOPIC}:2:3"], record=True) as cluster:
        yield cluster


def shows(page: Page, section: str, text: str) -> None:
    """Wait until a section is visible and contains a text."""
    visible = "each => each?.checkVisibility() ? each.innerText : ''"
    found = f"({visible})(document.querySelector({json.dumps(section)}))"
    eventually(lambda: text in page.evaluate(found), f"{text!r} in {section}")


def press(page: Page, label: str) -> None:
    """Press the visible button with a text or an accessible name."""
    wanted = json.dumps(label)
    page.evaluate(
        "[...document.querySelectorAll('button')].find(each => each.offsetParent && "
        f"[each.textContent, each.ariaLabel].includes({wanted})).click()"
    )


def test_requests_that_wait_appear_and_leave(page: Page, kafka: Cluster) -> None:
    """A produce waits for a node that a button has paused, until another button resumes it."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "client.id": CLIENT})
    page.open(f"{kafka.admin}/")
    shows(page, "#requests", "No request of a client waits.")

    press(page, "Pause node 3")
    shows(page, "#nodes", "paused")
    producer.produce(TOPIC, b"one", partition=0)
    producer.poll(0)
    shows(page, "#requests", f"of {CLIENT}")
    shows(page, "#requests", "node 3 (paused)")
    press(page, "Resume node 3")
    assert producer.flush(60) == 0
    shows(page, "#requests", "No request of a client waits.")
    shows(page, "#records", f"Produce {CLIENT}")
    page.evaluate("[...document.querySelectorAll('#records .row')].at(0).focus()")
    shows(page, "#records .detail", "in total")

    assert page.console == []
    assert {url.partition("/page/")[0] for url in page.requested} <= {
        kafka.admin,
        f"{kafka.admin}/",
        f"{kafka.admin}/v1/events",
        f"{kafka.admin}/v1/nodes/3/pause",
        f"{kafka.admin}/v1/nodes/3/resume",
    }


def test_the_clock_has_buttons(page: Page, kafka: Cluster) -> None:
    """A frozen clock shows the same time until it is advanced."""
    page.open(f"{kafka.admin}/")
    shows(page, "#clock", "running")

    press(page, "Freeze")
    shows(page, "#clock", "frozen")
    before_us = kafka.clock.state()["now_us"]
    press(page, "+10 s")
    eventually(
        lambda: kafka.clock.state()["now_us"] == before_us + 10_000_000, "an advance of 10 s"
    )
    press(page, "Run")
    shows(page, "#clock", "running")

    assert page.console == []


def test_a_fault_rule_is_set_and_removed(page: Page, kafka: Cluster) -> None:
    """The form sets a rule; a refusal is shown, and the rule is not set."""
    admin = AdminClient(kafka.admin)
    page.open(f"{kafka.admin}/")
    shows(page, "#faults", "No fault rule is set.")
    page.evaluate("document.querySelector('[name=topic]').value = 'nothing'")
    page.evaluate("document.querySelector('[name=value]').value = 'NO_SUCH_ERROR'")
    press(page, "Set rule")
    shows(page, "#problem", "NO_SUCH_ERROR")
    page.evaluate("document.querySelector('[name=api]').value = 'Produce'")
    page.evaluate("document.querySelector('[name=value]').value = 'NOT_LEADER_OR_FOLLOWER'")
    press(page, "Set rule")
    shows(page, "#faults", "Rule 1")
    [rule] = admin.call("GET", "/v1/faults")["rules"]
    assert (rule["match"]["api"], rule["match"]["topic"]) == ("Produce", "nothing")
    assert page.evaluate("document.getElementById('problem').hidden")

    press(page, "Remove fault rule 1")
    shows(page, "#faults", "No fault rule is set.")
    assert admin.call("GET", "/v1/faults") == {"rules": []}


def test_a_rule_for_a_link_is_set(page: Page, kafka: Cluster) -> None:
    """With the ends of the link instead of what requests match."""
    page.open(f"{kafka.admin}/")
    shows(page, "#faults", "No fault rule is set.")
    page.evaluate(
        "{ const type = document.querySelector('[name=type]'); type.value = 'link_delay';"
        " type.dispatchEvent(new Event('change'));"
        " document.querySelector('[name=value]').value = '50';"
        " document.querySelector('[name=from]').value = '1';"
        " document.querySelector('[name=to]').value = 'controller' }"
    )
    press(page, "Set rule")
    shows(page, "#faults", "from 1 to controller")

    [rule] = kafka.faults.all()
    assert rule["link"] == {"from": 1, "to": "controller"}
    assert rule["action"] == {"type": "delay", "ms": 50}
    assert not page.evaluate("document.querySelector('[name=topic]').checkVisibility()")


def test_the_broker_is_reset(page: Page, kafka: Cluster) -> None:
    """By the second press of a button; the first one changes only its text."""
    admin = AdminClient(kafka.admin)
    admin.call("POST", "/v1/clock/freeze")
    page.open(f"{kafka.admin}/")
    shows(page, "#clock", "frozen")

    press(page, "Reset")
    shows(page, "#reset", "Remove everything?")
    assert kafka.clock.state()["state"] == "frozen"
    press(page, "Remove everything?")
    shows(page, "#clock", "running")
    shows(page, "#reset", "Reset")

    assert page.console == []


def test_names_of_clients_are_text(page: Page, kafka: Cluster) -> None:
    """A client id and a group that contain HTML make no element and run no script."""
    consumer = Consumer(
        {"bootstrap.servers": kafka.bootstrap, "group.id": GROUP, "client.id": CLIENT}
    )
    consumer.subscribe([TOPIC])
    eventually(lambda: consumer.poll(0.05) or consumer.assignment(), "an assignment")
    page.open(f"{kafka.admin}/")

    shows(page, "#groups", GROUP)
    shows(page, "#requests", CLIENT)
    consumer.close()

    assert page.evaluate("document.title") == "antechamber"
    assert page.evaluate("document.querySelectorAll('img, #main script').length") == 0
    assert page.console == []


def test_a_narrow_window_does_not_scroll_sideways(page: Page, kafka: Cluster) -> None:
    """With requests that wait, records and long names."""
    kafka.pause(3)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "client.id": "x" * 200})
    producer.produce(TOPIC, b"one", partition=0)
    producer.poll(0)
    page.resize(NARROW_PX, HEIGHT_PX)
    page.open(f"{kafka.admin}/")
    shows(page, "#requests", "x" * 200)
    shows(page, "#records", "x" * 200)

    width = page.evaluate("document.documentElement.scrollWidth")
    kafka.resume(3)
    producer.flush(60)

    assert width <= NARROW_PX


def test_a_dark_scheme_is_used(page: Page, kafka: Cluster) -> None:
    """The text becomes bright and the ground dark."""
    colors = "(style => [style.color, style.backgroundColor])(getComputedStyle(document.body))"
    page.open(f"{kafka.admin}/")
    shows(page, "#nodes", "Node 1")
    light = page.evaluate(colors)
    page.prefer("dark")

    assert page.evaluate(colors) != light


def test_a_lost_broker_is_visible(page: Page, serve: Serve) -> None:
    """The page says that it is disconnected, and connects to the next broker at this address."""
    first = serve("--topic", TOPIC)
    admin = first.ready["admin"]
    page.open(f"{admin}/")
    shows(page, "#connection", "live")
    shows(page, "#records", "--record")
    first.close()
    shows(page, "#connection", "disconnected")
    assert page.evaluate("document.getElementById('main').inert")

    serve("--topic", "payments", "--admin-port", admin.rpartition(":")[2])
    shows(page, "#connection", "live")
    shows(page, "#partitions", "payments")


def test_a_page_without_one_of_its_files_is_loaded_again(page: Page, serve: Serve) -> None:
    """The page says that it is not loaded; it needs no reload by the user when the file arrives."""
    admin = serve("--topic", TOPIC).ready["admin"]
    page.command("Network.setBlockedURLs", urls=["*/page/wheel.js"])
    page.open(f"{admin}/")
    shows(page, "#connection", "not loaded")

    page.command("Network.setBlockedURLs", urls=[])
    shows(page, "#connection", "live")


def test_a_token_is_requested(page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not a part of a URL; with the read-only token there are no buttons."""
    monkeypatch.setenv("ANTECHAMBER_ADMIN_TOKEN", FULL)
    monkeypatch.setenv("ANTECHAMBER_ADMIN_READ_ONLY_TOKEN", READ_ONLY)
    admin = serve("--topic", TOPIC).ready["admin"]
    buttons = "[...document.querySelectorAll('#nodes button, #clock button')]"
    visible = f"{buttons}.filter(each => each.offsetParent).length"

    def give(token: str) -> None:
        page.evaluate(f"document.getElementById('token-text').value = {json.dumps(token)}")
        press(page, "Connect")

    page.open(f"{admin}/")
    shows(page, "#connection", "needs a token")
    assert page.evaluate(visible) == 0
    give("wrong")
    shows(page, "#connection", "needs a token")
    give(READ_ONLY)
    shows(page, "#nodes", "Node 1")
    assert page.evaluate(visible) == 0

    page.evaluate("sessionStorage.clear()")
    page.open(f"{admin}/")
    shows(page, "#connection", "needs a token")
    give(FULL)
    shows(page, "#nodes", "Node 1")
    assert page.evaluate(visible) > 0
    assert not [url for url in page.requested if FULL in url or READ_ONLY in url]


def test_records_that_a_share_consumer_holds_are_shown(page: Page, kafka: Cluster) -> None:
    """With the client that holds them and the time left; an advance of the clock ends the lock."""
    settings = {
        "bootstrap.servers": kafka.bootstrap,
        "client.id": CLIENT,
        "group.id": GROUP,
        "share.acknowledgement.mode": "explicit",
    }
    page.open(f"{kafka.admin}/")
    shows(page, "#shares", "No share group has a partition.")
    consumer = ShareConsumer(settings)
    try:
        consumer.subscribe([TOPIC])
        eventually(lambda: _has_begun(consumer, kafka), "start offsets of both partitions")
        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        producer.produce(TOPIC, b"one", partition=0)
        producer.flush(60)
        eventually(lambda: list(consumer.poll(0.5)), "a record")
        shows(page, "#shares", f"{GROUP}: {TOPIC}-0")
        shows(page, "#shares", "1 record of")
        shows(page, "#shares", "delivery 1 of 5")
        shows(page, "#shares", "lock expires in")
        kafka.clock.advance(31)
        shows(page, "#shares", "1 available")
    finally:
        consumer.close()

    assert page.evaluate("document.title") != "injected"
    assert page.console == []


def _has_begun(consumer: ShareConsumer, kafka: Cluster) -> bool:
    """Whether the group has a start offset in each partition; the consumer fetches meanwhile."""
    assert not list(consumer.poll(0.5))
    found = kafka.share_partitions(GROUP)
    return len(found) == 2 and all(each["start_offset"] is not None for each in found)
