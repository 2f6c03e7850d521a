"""Every public method of every client library has the same outcome as with Kafka.

All selected libraries run concurrently on both systems before the first test. Without a real Kafka,
calls must end as listed in docs/client_methods.json. `--write-uses` writes that file; `make docs`
makes its page.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.source import missing_kafka
from integration.machine.requirements import need, required
from integration.methods.comparison import Key, fault
from integration.methods.known import known
from integration.methods.libraries import (
    CLIENT_CLASS,
    CLIENT_MODULES,
    JAVA,
    LIBRARIES,
    NOT_CALLED,
    PACKAGES,
    entries_of,
)
from integration.methods.observations import read_observations, write_observations
from integration.methods.session import Session, play
from integration.methods.uses import IN_THE_BACKGROUND, of_client

ENTRIES = {name: methods for each in LIBRARIES for name, methods in entries_of(each).items()}


def _of_java(client: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.jvm] if client.startswith(f"{JAVA} ") else []


CLIENTS = [pytest.param(client, marks=_of_java(client)) for client in ENTRIES]
KEYS = [
    pytest.param(
        Key(client, method, shape),
        marks=_of_java(client),
        id=f"{client}.{method}-{shape}".replace(" ", "."),
    )
    for client, methods in ENTRIES.items()
    for method, entry in methods.items()
    for shape in entry.shapes
]

pytestmark = pytest.mark.timeout(1800)


def _client(parameters: Mapping[str, Any]) -> str:
    name: str = parameters["key"].client if "key" in parameters else parameters["client"]
    return name


@pytest.fixture(scope="module")
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The outcomes of the selected libraries on both systems."""
    requested = {
        _client(item.callspec.params)
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.path == request.path
        if "session" in item.fixturenames
    }
    if missing_for_a_jvm() is not None:
        requested = {client for client in requested if not _of_java(client)}
    libraries = [
        each for each in LIBRARIES if any(name.startswith(f"{each} ") for name in requested)
    ]
    if required():
        need("kafka", missing_kafka())
    session = play(libraries, tmp_path_factory.mktemp("methods"))
    if request.config.getoption("--write-uses"):
        need("kafka", missing_kafka())
        write_observations(session.clients())
    return session


def test_every_client_class_is_called() -> None:
    """The exported client classes of the Python libraries, except those listed with a reason."""
    classes = {
        f"{library} {name}"
        for module in map(import_module, CLIENT_MODULES)
        for library, package in PACKAGES.items()
        for name, each in vars(module).items()
        if isinstance(each, type) and CLIENT_CLASS.search(name)
        if module.__name__.split(".")[0] == package
    }
    assert classes <= ENTRIES.keys() | NOT_CALLED.keys()


@pytest.mark.parametrize("client", CLIENTS)
def test_every_public_method_is_called(session: Session, client: str) -> None:
    """The installed class and its table have the same methods; in Java, the same overloads."""
    assert set(session.public[client]) == set(ENTRIES[client])
    assert not session.uncalled.get(client)


@pytest.mark.parametrize("key", KEYS)
def test_a_method_has_kafkas_outcome(session: Session, key: Key) -> None:
    """The outcomes of each shape of its arguments are equal, or differ as listed."""
    assert fault(key, session.ours[key], session.theirs.get(key)) is None


@pytest.mark.parametrize("key", KEYS)
def test_a_call_ends_as_listed(session: Session, key: Key) -> None:
    """The end of the call on Kafka is listed in docs/client_methods.json."""
    written = read_observations()[key.client].methods[key.method].ends[key.shape]
    if key in session.theirs:
        assert session.theirs[key].ending == written
    if known(key.client, key.method, key.shape) is None:
        assert session.ours[key].ending == written


@pytest.mark.parametrize("client", CLIENTS)
def test_the_requests_are_as_listed(session: Session, client: str) -> None:
    """docs/reference/clients.md lists the requests; any method may send background requests.

    Their version depends on what the client knows when it sends them, such as the id of a topic.
    """
    written = read_observations()[client].methods
    assert set(written) == set(session.public[client])
    of_any = of_client(session.uses, client)
    for method, seen in written.items():
        of_method = session.uses.get((client, method), {})
        for api, versions in seen.requests.items():
            if api in IN_THE_BACKGROUND:
                assert set(versions) & set(of_any.get(api, ())), f"{method}: {api}"
            else:
                assert set(versions) <= set(of_method.get(api, ())), f"{method}: {api}"
