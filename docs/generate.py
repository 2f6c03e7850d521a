"""Writes the pages of docs/ that the code itself knows best: ``make docs``.

A test compares the pages with what is generated here, so none of them can grow stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from broker.config import DEFAULTS
from broker.config_advice import NO_EFFECT_YET, NOT_HERE
from broker.config_keys import KEYS, Key
from broker.config_kinds import INT_MAX, LONG_MAX, Integer, Kind, Value, written
from broker.dispatch import advertised
from broker.topic_config import TOPIC_KEYS
from protocol.messages import REQUESTS

FOLDER = Path(__file__).parent
_GENERATED = "<!-- written by `make docs`; change the code instead -->\n"
_CONFIGURATION = """\
A broker is configured with `-c KEY=VALUE`, as often as needed, and with `--properties FILE` in
Java's properties syntax; `-c` goes over the file. Keys, values and ranges are Kafka's. An unknown
key stops the start.
"""
_APIS = """\
What a client learns from ApiVersions; the ranges are those of Kafka 4.3. What an API does here, and
where that deviates from Kafka, stands at the top of its file in `broker/handlers/`.
"""


def configuration() -> str:
    """The keys of brokers and topics."""
    differing = [key for key in KEYS.values() if key.because]
    return "\n".join(
        [
            _GENERATED,
            "# Configuration\n",
            _CONFIGURATION,
            "## Where a default is not Kafka's\n",
            _table(
                ("key", "here", "Kafka", "because"),
                ((f"`{k.name}`", _value(k), _shown(k.kafka_default), k.because) for k in differing),
            ),
            "Replication factors that are defaults count at most as many as there are nodes.\n",
            "## Keys of a broker\n",
            _table(
                ("key", "default", "allowed", "meaning"),
                (
                    (f"`{key.name}`", _value(key), _allowed(key.kind), _meaning(key))
                    for key in KEYS.values()
                ),
            ),
            "## Keys of a topic\n",
            "Given when a topic is created; what is not given is the broker's.\n",
            _table(
                ("key", "allowed", "the broker's"),
                (
                    (
                        f"`{key.name}`",
                        _allowed(key.kind),
                        ", else ".join(f"`{name}`" for name, _ in key.synonyms),
                    )
                    for key in TOPIC_KEYS.values()
                ),
            ),
            "## Keys of Kafka that are refused with advice\n",
            _table(("key", "advice"), ((f"`{key}`", hint) for key, hint in NOT_HERE.items())),
        ]
    )


def apis() -> str:
    """The APIs served, as ApiVersions tells them."""
    rows = (
        (
            str(api.api_key),
            REQUESTS[api.api_key].__name__.removesuffix("Request"),
            f"{api.min_version}-{api.max_version}",
        )
        for api in advertised()
    )
    return "\n".join(
        [
            _GENERATED,
            "# APIs served\n",
            _APIS,
            _table(("key", "API", "versions"), rows),
        ]
    )


PAGES: dict[str, Callable[[], str]] = {"configuration.md": configuration, "apis.md": apis}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def _value(key: Key) -> str:
    return _shown(DEFAULTS[key.name])


def _meaning(key: Key) -> str:
    return ("*No effect yet.* " if key.name in NO_EFFECT_YET else "") + key.documentation


def _shown(value: Value) -> str:
    if value in (INT_MAX, LONG_MAX):
        return "no limit"
    return f"`{text}`" if (text := written(value)) is not None else "none"


def _allowed(kind: Kind) -> str:
    if isinstance(kind, Integer) and kind.high in (INT_MAX, LONG_MAX):
        if kind.low < -(2**30):
            return "a whole number"
        also = "" if kind.also is None else f", or {kind.also}"
        return f"a whole number from {kind.low}{also}"
    return kind.allowed


def main() -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page())


if __name__ == "__main__":
    main()
