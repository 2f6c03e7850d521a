"""``antechamber wait``: waits until a condition of a running broker holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from http import HTTPStatus

from antechamber.admin_client import AdminClient, AdminError
from antechamber.commands.command_line import CommandParser, run
from antechamber.sentences.durations import milliseconds
from antechamber.usage_error import UsageError
from antechamber.waits import WAIT_TIMEOUT_S

_DESCRIPTION = """\
Wait until a condition of a running broker holds, and end with exit code 0.
After the timeout the exit code is 1, and a line on stderr says what is missing.

  assigned          each of at least --members members (1) of --group has at
                    least --partitions partitions (1); with --topic, of that
                    topic, and each of its partitions is assigned
  committed         --group has committed at least --offset, and its lag is at
                    most --lag; without both, the lag is 0
  group-stable      no rebalance of --group is in progress; it has at least
                    --count members (1)
  share-acquired    members of the share group --group hold --count records (1)
  share-lag         all records but --lag (0) are acknowledged or archived in
                    each partition of the share group --group
  topic             all nodes know --topic, with --partitions partitions (1)
  topic-deleted     no node knows --topic
  hw                all records are replicated: the high watermark is the log
                    end
  lso               no transaction is open: the last stable offset is the log
                    end, or at least --offset
  isr               all replicas are in sync, or exactly --count of them
  client-connected  --client has --count connections (1)
  client-gone       --client has no connection
  parked            --count requests (1) of --api, --topic and --client wait
  requests          --count requests (1) of --api and --client have begun since
                    the mark --since, which antechamber requests --mark makes
  fault-fired       the fault rule --rule has fired --count times (1)
"""
CONDITIONS = (
    "assigned",
    "committed",
    "group-stable",
    "share-acquired",
    "share-lag",
    "topic",
    "topic-deleted",
    "hw",
    "lso",
    "isr",
    "client-connected",
    "client-gone",
    "parked",
    "requests",
    "fault-fired",
)
_PARAMETERS = {
    "group": ("ID", "the group"),
    "topic": ("NAME", "the topic"),
    "partition": ("N", "a partition of the topic"),
    "members": ("N", "the least number of members"),
    "partitions": ("N", "the least number of partitions"),
    "offset": ("N", "the least offset"),
    "lag": ("N", "the largest lag"),
    "api": ("NAME", "the API of requests, by Kafka's name: Produce, Fetch, ..."),
    "client": ("ID", "the client id"),
    "since": ("MARK", "requests before this mark do not count"),
    "count": ("N", "of requests, connections, members, records or replicas"),
    "rule": ("N", "the id of a fault rule"),
}
_TIMEOUT_MS = round(WAIT_TIMEOUT_S * 1000)


def wait(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _wait)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("wait", _DESCRIPTION, {"timeout_ms": "--timeout"})
    add = made.add_argument
    add("condition", choices=CONDITIONS, metavar="CONDITION", help="one of those above")
    for name, (metavar, help_text) in _PARAMETERS.items():
        add(f"--{name}", metavar=metavar, help=help_text)
    add(
        "--timeout",
        type=milliseconds,
        default=_TIMEOUT_MS,
        metavar="DURATION",
        help="how long to wait, such as 500ms, 10s or 2m (30s)",
    )
    add("--json", action="store_true", help="print what the condition has found, in one line")
    return made


def _wait(client: AdminClient, given: argparse.Namespace) -> None:
    wanted = {name: getattr(given, name) for name in _PARAMETERS}
    what = given.condition.replace("-", "_")
    try:
        found = client.wait(what, given.timeout / 1000, **wanted)
    except TimeoutError as error:
        raise AdminError(HTTPStatus.REQUEST_TIMEOUT, str(error)) from None
    except ValueError as error:  # the timeout
        raise UsageError(f"--{error}") from None
    except AdminError as error:
        raise error.with_remedy("since", "antechamber requests --mark makes one") from None
    if given.json:
        sys.stdout.write(f"{json.dumps(found)}\n")
