"""A client of a broker's admin interface: HTTP with JSON, also over TLS, one connection a request.

A request that the broker refuses raises `AdminError` with the broker's message. `NoBroker` means
that no broker is reachable.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
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


class InvalidArgument(ValueError):  # noqa: N818 - the name states the problem
    """The ``argument`` ``url``, ``token`` or ``ca`` of a client cannot be used."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message)
        self.argument = argument


class NoBroker(ConnectionError):  # noqa: N818 - the name states the problem
    """No server, or another kind of server, is at the address of the admin interface."""


class AdminClient:
    """A client of the admin interface at *url*; raises `InvalidArgument`.

    ``token``: the bearer token, if the broker requires one.
    ``ca``: a PEM file with the certificates that ``https`` trusts; by default those of the system.
    """

    def __init__(
        self,
        url: str = ADMIN_URL_DEFAULT,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._address = _address(self.url)
        self._headers = {} if token is None else {"Authorization": f"Bearer {_checked(token)}"}
        self._context = _trusting(ca) if self.url.startswith("https:") else None

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

    def clock(self) -> dict[str, Any]:
        """Return the state of the broker's clock."""
        response: dict[str, Any] = self.call("GET", "/v1/clock")
        return response

    def adjust_clock(self, adjustment: str, **wanted: str | int | None) -> dict[str, Any]:
        """Do ``freeze`` or ``run``; returns the new state of the clock."""
        response: dict[str, Any] = self.call("POST", f"/v1/clock/{adjustment}", wanted)
        return response

    def advance_clock(self, timeout_s: float, **wanted: str | int | None) -> dict[str, Any]:
        """Move the clock forwards by ``ms``, or ``to`` an event; returns what happened."""
        response: dict[str, Any] = self.call("POST", "/v1/clock/advance", wanted, timeout_s)
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
        connection = self._connection(wait_s + RESPONSE_TIMEOUT_S)
        try:
            connection.request(method, target, headers=self._headers)
            response = connection.getresponse()
            value = json.loads(response.read())
        except TimeoutError:
            raise NoBroker(f"{self.url} does not respond") from None
        except http.client.RemoteDisconnected:  # as a Kafka port or a stopping broker
            words = "closed the connection; is it the admin interface of a broker?"
            raise NoBroker(f"{self.url} {words}") from None
        except ssl.SSLCertVerificationError as error:
            reason = error.verify_message.rstrip(".")
            hint = "" if "mismatch" in reason else "; give its authority as the CA"
            raise NoBroker(f"{self.url} has no valid certificate: {reason}{hint}") from None
        except ssl.SSLError as error:
            raise NoBroker(f"TLS with {self.url} failed: {error.reason}") from None
        except OSError as error:
            raise NoBroker(f"no broker at {self.url}: {_reason(error)}") from None
        except (http.client.HTTPException, ValueError):
            raise NoBroker(f"{self.url} is not the admin interface of a broker") from None
        finally:
            connection.close()
        if response.status != HTTPStatus.OK:
            raise AdminError(response.status, _refusal(value))
        return value

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        host, port = self._address
        if self._context is None:
            return http.client.HTTPConnection(host, port, timeout=timeout_s)
        return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=self._context)


def _address(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = url.count("/") == 2 and not {"@", "?", "#"} & set(url)
    if host is None or port is None or parts.scheme not in {"http", "https"} or not plain:
        raise InvalidArgument("url", f"{url!r} is not http://HOST:PORT or https://HOST:PORT")
    return host, port


def _checked(token: str) -> str:
    if not (token and token.isascii() and token.isprintable()) or " " in token:
        raise InvalidArgument("token", "it must be one word of ASCII characters")
    return token


def _trusting(ca: str | os.PathLike[str] | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError:
        raise InvalidArgument("ca", f"{ca} has no certificate in PEM form") from None
    except OSError as error:
        raise InvalidArgument("ca", f"cannot read {ca}: {error.strerror}") from None
    # As curl and Java: each certificate in the file is trusted, not only those of authorities.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _refusal(value: object) -> str:
    """The broker's message, or the representation of a value that has none."""
    return str(value["error"]) if isinstance(value, dict) and "error" in value else repr(value)
