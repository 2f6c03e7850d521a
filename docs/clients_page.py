"""The page of client methods, from the results in `docs/client_methods.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from integration.methods.comparison import RETURNS
from integration.methods.known import known
from integration.methods.libraries import NOT_CALLED
from integration.methods.observations import Client, Seen, read_observations

_HEAD = """\
# Client methods

Tests in [integration/methods](../../integration/methods/__init__.py) call every public method of
these client libraries on this broker and on a real Apache Kafka 4.3.1, and compare the results
value by value, except for ports, identifiers and times. The tables list, for each method, the
shapes of the arguments, each with the exception that the method raises on Kafka; the requests
that the client sent to this broker, with their versions; and whether both brokers had the same
result. Requests that prepare a call are listed too; requests that are sent by time, such as
heartbeats, are not.
"""


def clients() -> str:
    """Return the page."""
    read = read_observations()
    return "\n".join([_HEAD, *_summary(read), *(_client(name, read[name]) for name in read)])


def _summary(read: Mapping[str, Client]) -> Iterator[str]:
    yield "| class | release | methods | as Kafka in every shape |\n| --- | --- | --- | --- |"
    for name, client in read.items():
        same = sum(not _differences(name, method, seen) for method, seen in client.methods.items())
        anchor = name.lower().replace(" ", "-").replace(".", "")
        yield f"| [{name}](#{anchor}) | {client.release} | {len(client.methods)} | {same} |"
    yield ""
    yield "| class | not called |\n| --- | --- |"
    yield from (f"| {name} | {why} |" for name, why in NOT_CALLED.items())
    yield ""


def _client(name: str, client: Client) -> str:
    rows = [
        f"| `{method}` | {_shapes(seen)} | {_requests(seen)} | {_same(name, method, seen)} |"
        for method, seen in sorted(client.methods.items())
    ]
    head = "| method | shapes | requests | as Kafka |\n| --- | --- | --- | --- |"
    return "\n".join([f"## {name}\n", head, *rows, ""])


def _shapes(seen: Seen) -> str:
    return ", ".join(
        shape.replace("_", " ") + ("" if end == RETURNS else f" ({end})")
        for shape, end in seen.ends.items()
    )


def _requests(seen: Seen) -> str:
    """Name the requests, without the ApiVersions that every client begins with."""
    return ", ".join(
        f"{api} {'/'.join(map(str, versions))}"
        for api, versions in seen.requests.items()
        if api != "ApiVersions"
    )


def _same(client: str, method: str, seen: Seen) -> str:
    differences = _differences(client, method, seen)
    if len(set(differences.values())) == 1 and len(differences) == len(seen.ends):
        return next(iter(differences.values()))
    return "; ".join(f"{shape}: {why}" for shape, why in differences.items()) or "same"


def _differences(client: str, method: str, seen: Seen) -> dict[str, str]:
    """Return why shapes differ from Kafka, by shape."""
    expected = {shape: known(client, method, shape) for shape in seen.ends}
    return {
        shape.replace("_", " "): each.reason for shape, each in expected.items() if each is not None
    }
