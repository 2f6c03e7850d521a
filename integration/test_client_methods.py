"""Every public method of every client library does with our broker what it does with Kafka.

All libraries that are asked for are played at once, to both systems, before the first test looks at
its own outcome. Where no real Kafka can be had, calls end as docs/client_methods.json has it.
`--write-uses` writes that file; `make docs` makes the page of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from integration.kafka_source import missing_kafka
from integration.methods.card import read_card, write_card
from integration.methods.comparison import Key, fault
from integration.methods.known import known
from integration.methods.libraries import LIBRARIES, nets_of
from integration.methods.playing import parts
from integration.methods.session import Session, play
from integration.requirements import need, required

NETS = [net for library in LIBRARIES for net in nets_of(library)]
KEYS = [Key(part.net.name, part.method, part.shape) for part in parts(NETS)]
CLIENTS = [net.name for net in NETS]

pytestmark = pytest.mark.timeout(300)


def _name(key: Key) -> str:
    return f"{key.client}.{key.method}-{key.shape}".replace(" ", ".")


def _client(parameters: Mapping[str, Any]) -> str:
    name: str = parameters["key"].client if "key" in parameters else parameters["client"]
    return name


@pytest.fixture(scope="module")
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """What both systems did, of the libraries that this run asks for."""
    asked = {
        _client(item.callspec.params)
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.path == request.path
    }
    libraries = [each for each in LIBRARIES if any(name.startswith(f"{each} ") for name in asked)]
    if required():
        need("kafka", missing_kafka())
    session = play(libraries, tmp_path_factory.mktemp("methods") / "records.jsonl")
    if request.config.getoption("--write-uses"):
        need("kafka", missing_kafka())
        write_card(session.clients())
    return session


@pytest.mark.parametrize("client", CLIENTS)
def test_every_public_method_is_called(session: Session, client: str) -> None:
    """The installed class has no method that its net lacks; nor has the net one that it lost."""
    (net,) = [net for net in NETS if net.name == client]
    assert set(session.public[client]) == set(net.methods)


@pytest.mark.parametrize("key", KEYS, ids=_name)
def test_a_method_does_as_with_kafka(session: Session, key: Key) -> None:
    """In each shape of its arguments; a difference that is expected must still be there."""
    assert fault(key, session.ours[key], session.theirs.get(key)) is None


@pytest.mark.parametrize("key", KEYS, ids=_name)
def test_a_call_ends_as_written_down(session: Session, key: Key) -> None:
    """docs/client_methods.json has how it ends on Kafka, and so it does here."""
    written = read_card()[key.client].methods[key.method].ends[key.shape]
    if key in session.theirs:
        assert session.theirs[key].ending == written
    if known(key.client, key.method, key.shape) is None:
        assert session.ours[key].ending == written


@pytest.mark.parametrize("client", CLIENTS)
def test_the_requests_are_as_written_down(session: Session, client: str) -> None:
    """What docs/clients.md says a method sends, it has sent."""
    written = read_card()[client].methods
    assert set(written) == set(session.public[client])
    for method, seen in written.items():
        used = session.uses.get((client, method), {})
        for api, versions in seen.requests.items():
            assert set(versions) <= set(used.get(api, ())), f"{method}: {api}"
