"""A broker whose heartbeats raise the exception that the group id names, run as a module.

bug             an unexpected exception

inconsistent    a broken invariant of replicated state
"""

from __future__ import annotations

import sys

from broker.__main__ import main
from broker.api.request import Request
from broker.api.table import ALL_APIS
from broker.common.errors import InvariantBroken
from protocol.messages.heartbeat import HeartbeatRequest

_HEARTBEAT = 12
_ERRORS = {
    "bug": ZeroDivisionError("a bug"),
    "inconsistent": InvariantBroken("the log ends too early"),
}


def _heartbeat(request: Request[HeartbeatRequest]) -> None:
    raise _ERRORS[request.body.group_id]


if __name__ == "__main__":
    ALL_APIS.loaded[_HEARTBEAT] = (HeartbeatRequest, _heartbeat)
    sys.exit(main())
