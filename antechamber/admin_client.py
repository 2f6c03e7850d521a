"""A client of a broker's admin interface: HTTP with JSON, one connection a request.

A request that the broker refuses raises `AdminError` with the broker's message. `NoBroker` means
that no broker is reachable.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

ADMIN_URL_DEFAULT = "http://127.0.0.1:9644"
# How long the broker may take to respond, in addition to the time it is requested to wait.
RESPONSE_TIMEOUT_S = 30.0
REQUESTS_MAX = 10_000  # the most requests in one response of a broker
_DISCOVERY_PATH = "/v1/cluster"

Parameters = Mapping[str, str | int | None]


class AdminError(Exception):
    """The broker refused the request, with an HTTP status and a message of one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class NoBroker(ConnectionError):  # noqa: N818 - the name states the problem
    """No server, or another kind of server, is at the address of the admin interface."""


class AdminClient:
    """A client of the admin interface at *url*; raises `ValueError` if *url* is invalid.

    ``token``: the bearer token, if the broker requires one.
    """

    def __init__(self, url: str = ADMIN_URL_DEFAULT, *, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._host, self._port = _address(self.url)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def cluster(self) -> dict[str, Any]:
        """Return the nodes, topics, leaders, in-sync replicas and offsets."""
        response: dict[str, Any] = self.call("GET", _DISCOVERY_PATH)
        return response

    def requests(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the requests that match: ``parked``, ``api``, ``topic``, ``client``, ``limit``."""
        response: list[dict[str, Any]] = self.call("GET", "/v1/requests", wanted)["requests"]
        return response

    def sessions(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the timeouts of group members, the next one first: ``group``, ``limit``."""
        response: list[dict[str, Any]] = self.call("GET", "/v1/sessions", wanted)["sessions"]
        return response

    def transactions(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the open transactions, the oldest first: ``hanging``, ``limit``."""
        response: list[dict[str, Any]] = self.call("GET", "/v1/transactions", wanted)[
            "transactions"
        ]
        return response

    def abort_transaction(self, topic: str, partition: int, producer_id: int) -> dict[str, Any]:
        """Abort a hanging transaction; returns it. Waits until the marker is replicated."""
        wanted: Parameters = {
            "topic": topic,
            "partition": partition,
            "producer_id": producer_id,
        }
        response: dict[str, Any] = self.call("POST", "/v1/transactions/abort", wanted)
        return response

    def timers(self) -> list[dict[str, Any]]:
        """Return a snapshot of each timer: its wheels and their buckets in use."""
        response: list[dict[str, Any]] = self.call("GET", "/v1/timers")["timers"]
        return response

    def wait(self, what: str, timeout_s: float, **wanted: str | int | None) -> dict[str, Any]:
        """Wait until a condition holds; raises `TimeoutError` with the present state otherwise.

        ``what``: ``parked``, ``hw``, ``isr`` or ``group_stable``; each has its own parameters.
        """
        parameters = {"for": what, "timeout_ms": round(timeout_s * 1000), **wanted}
        try:
            response: dict[str, Any] = self.call("GET", "/v1/wait", parameters, timeout_s)
        except AdminError as error:
            if error.status == HTTPStatus.REQUEST_TIMEOUT:
                raise TimeoutError(str(error)) from None
            raise
        return response

    def order(self, node: int, order: str) -> dict[str, Any]:
        """Pause, resume, stop or start a node; returns the node's new state."""
        response: dict[str, Any] = self.call("POST", f"/v1/nodes/{node}/{order}")
        return response

    def call(
        self, method: str, path: str, wanted: Parameters | None = None, wait_s: float = 0.0
    ) -> Any:
        """Return the JSON value of the response, which may take *wait_s* longer than usual.

        Parameters that are None are left out. Raises `AdminError` and `NoBroker`.
        """
        given = {name: value for name, value in (wanted or {}).items() if value is not None}
        target = f"{path}?{urlencode(given)}" if given else path
        connection = http.client.HTTPConnection(
            self._host, self._port, timeout=wait_s + RESPONSE_TIMEOUT_S
        )
        try:
            connection.request(method, target, headers=self._headers)
            response = connection.getresponse()
            value = json.loads(response.read())
        except TimeoutError:
            raise NoBroker(f"{self.url} does not respond") from None
        except http.client.RemoteDisconnected:  # as a Kafka port or a stopping broker
            words = "closed the connection; is it the admin interface of a broker?"
            raise NoBroker(f"{self.url} {words}") from None
        except OSError as error:
            raise NoBroker(f"no broker at {self.url}: {_reason(error)}") from None
        except (http.client.HTTPException, ValueError):
            raise NoBroker(f"{self.url} is not the admin interface of a broker") from None
        finally:
            connection.close()
        if response.status != HTTPStatus.OK:
            raise AdminError(response.status, _refusal(value))
        return value


def _address(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = url.count("/") == 2 and not {"@", "?", "#"} & set(url)
    if host is None or port is None or parts.scheme != "http" or not plain:
        raise ValueError(f"{url!r} is not http://HOST:PORT")
    return host, port


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _refusal(value: object) -> str:
    """The broker's message, or the representation of a value that has none."""
    return str(value["error"]) if isinstance(value, dict) and "error" in value else repr(value)
