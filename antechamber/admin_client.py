"""A client of a broker's admin interface: its operations, each a request of `HttpClient`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from antechamber.admin_endpoint import ADMIN_URL_DEFAULT
from antechamber.admin_errors import AdminError, InvalidArgument, NoBroker
from antechamber.admin_http import HttpClient, Parameters
from antechamber.quantities import WAIT_MAX_S, whole_milliseconds

__all__ = [
    "ADMIN_URL_DEFAULT",
    "DISCOVERY_PATH",
    "REQUESTS_MAX",
    "AdminClient",
    "AdminError",
    "InvalidArgument",
    "NoBroker",
    "Parameters",
]

REQUESTS_MAX = 10_000  # the most requests in one response of a broker
DISCOVERY_PATH = "/v1/cluster"


class AdminClient(HttpClient):
    """The operations of the admin interface; the parameters are those of `HttpClient`."""

    def cluster(self) -> dict[str, Any]:
        """Return the nodes, topics, leaders, in-sync replicas and offsets."""
        return self._object("GET", DISCOVERY_PATH)

    def requests(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the requests that match: ``parked``, ``api``, ``topic``, ``client``, ``limit``."""
        return self._list("requests", wanted)

    def sessions(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the timeouts of group members, the next one first: ``group``, ``limit``."""
        return self._list("sessions", wanted)

    def groups(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the groups with their members and offsets: ``group``, ``limit``."""
        return self._list("groups", wanted)

    def share_partitions(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return share partitions: ``group``, ``topic``, ``partition``, ``batches``, ``limit``."""
        return self._list("share_partitions", wanted)

    def connections(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the open connections, the oldest first: ``client``, ``followers``, ``limit``."""
        return self._list("connections", wanted)

    def mark(self) -> str:
        """Mark the requests so far; a wait can count those that begin later."""
        return str(self.call("POST", "/v1/marks")["mark"])

    def transactions(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """Return the open transactions, the oldest first: ``hanging``, ``limit``."""
        return self._list("transactions", wanted)

    def abort_transaction(self, topic: str, partition: int, producer_id: int) -> dict[str, Any]:
        """Abort a hanging transaction; returns it. Waits until the marker is replicated."""
        wanted: Parameters = {
            "topic": topic,
            "partition": partition,
            "producer_id": producer_id,
        }
        return self._object("POST", "/v1/transactions/abort", wanted)

    def timers(self) -> list[dict[str, Any]]:
        """Return a snapshot of each timer: its wheels and their buckets in use."""
        return self._list("timers")

    def clock(self) -> dict[str, Any]:
        """Return the state of the broker's clock."""
        return self._object("GET", "/v1/clock")

    def adjust_clock(self, adjustment: str, **wanted: str | int | None) -> dict[str, Any]:
        """Do ``freeze`` or ``run``; returns the new state of the clock."""
        return self._object("POST", f"/v1/clock/{adjustment}", wanted)

    def advance_clock(self, timeout_s: float, **wanted: str | int | None) -> dict[str, Any]:
        """Move the clock forwards by ``ms``, or ``to`` an event; returns what happened."""
        return self._object("POST", "/v1/clock/advance", wanted, timeout_s)

    def reset(self, prefix: str | None = None) -> dict[str, Any]:
        """Remove what clients have made, or what has the prefix; returns what was removed."""
        return self._object("POST", "/v1/reset", {"prefix": prefix})

    def work_on(
        self, topic: str, partition: int | None, work: str, **wanted: str | int | None
    ) -> list[dict[str, Any]]:
        """Do ``compact``, ``roll``, ``expire`` or ``elect``; returns the partitions afterwards."""
        path = f"/v1/topics/{quote(topic, safe='')}"
        if partition is not None:
            path += f"/partitions/{partition}"
        found: list[dict[str, Any]] = self._object("POST", f"{path}/{work}", wanted)["partitions"]
        return found

    def wait(self, what: str, timeout_s: float, **wanted: str | int | None) -> dict[str, Any]:
        """Wait until a condition holds; raises `TimeoutError` with the present state otherwise.

        Raises `ValueError` for a timeout that is negative or longer than an hour.
        ``what``: a name of docs/reference/admin.md; each has its own parameters.
        """
        timeout_ms = whole_milliseconds("timeout", timeout_s, WAIT_MAX_S)
        parameters = {"for": what, "timeout_ms": timeout_ms, **wanted}
        try:
            return self._object("GET", "/v1/wait", parameters, timeout_ms / 1000)
        except AdminError as error:
            if error.status == HTTPStatus.REQUEST_TIMEOUT:
                raise TimeoutError(str(error)) from None
            raise

    def faults(self) -> list[dict[str, Any]]:
        """Return all fault rules."""
        response: list[dict[str, Any]] = self.call("GET", "/v1/faults")["rules"]
        return response

    def firings(self) -> list[dict[str, Any]]:
        """Return which requests the fault rules have fired on, in order."""
        return self._list("firings")

    def fault(self, rule: int) -> dict[str, Any]:
        """Return a fault rule."""
        return self._object("GET", f"/v1/faults/{rule}")

    def add_faults(self, rules: list[Any]) -> list[dict[str, Any]]:
        """Set all of these rules, or none; returns them with their ids."""
        if len(rules) == 1 and isinstance(rules[0], dict):  # then the message names no place
            return [self.call("POST", "/v1/faults", body=rules[0])]
        response: list[dict[str, Any]] = self.call("POST", "/v1/faults", body={"rules": rules})[
            "rules"
        ]
        return response

    def remove_fault(self, rule: int) -> dict[str, Any]:
        """Remove a fault rule; returns it."""
        return self._object("DELETE", f"/v1/faults/{rule}")

    def clear_faults(self) -> int:
        """Remove all fault rules; returns their number."""
        return int(self.call("DELETE", "/v1/faults")["removed"])

    def order(self, node: int, order: str) -> dict[str, Any]:
        """Pause, resume, stop, shut down or start a node; returns the node's new state."""
        return self._object("POST", f"/v1/nodes/{node}/{order}")

    def _object(
        self, method: str, path: str, wanted: Parameters | None = None, wait_s: float = 0.0
    ) -> dict[str, Any]:
        """As `call`, for a response that is an object."""
        response: dict[str, Any] = self.call(method, path, wanted, wait_s)
        return response

    def _list(self, name: str, wanted: Parameters | None = None) -> list[dict[str, Any]]:
        """The list of that name, which is also its path."""
        response: list[dict[str, Any]] = self.call("GET", f"/v1/{name}", wanted)[name]
        return response
