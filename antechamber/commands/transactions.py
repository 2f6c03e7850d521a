"""``antechamber transactions``: lists open and hanging transactions, and aborts hanging ones."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, limit, run
from antechamber.sentences import durations
from antechamber.usage_error import UsageError

_DESCRIPTION = """\
Show the open transactions of a running broker, the oldest first: the
transactional id, its state, and the partitions whose markers are outstanding.

  list     show the transactions that coordinators have open; with --hanging,
           those that are open in a partition and that no coordinator has. These
           hold back read_committed consumers until they are aborted
  abort    write an abort marker for a hanging transaction, as
           kafka-transactions.sh does; needs --topic, --partition and
           --producer-id, which list --hanging shows
"""
_PARTITIONS_MAX = 4


def transactions(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _do)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("transactions", _DESCRIPTION)
    add = command.add_argument
    add(
        "action",
        nargs="?",
        choices=("list", "abort"),
        default="list",
        metavar="list|abort",
        help="the action (%(default)s)",
    )
    add("--hanging", action="store_true", help="list: only transactions that hang")
    add("--json", action="store_true", help="one JSON object a line, instead of a table")
    add("--limit", metavar="N", type=limit, default=100, help="list: at most N (%(default)s)")
    add("--topic", metavar="NAME", help="abort: the topic")
    add("--partition", metavar="N", type=_number, help="abort: the partition")
    add("--producer-id", metavar="N", type=_number, help="abort: the producer id")
    return command


def _do(client: AdminClient, given: argparse.Namespace) -> None:
    if given.action == "abort":
        _abort(client, given)
        return
    if (given.topic, given.partition, given.producer_id) != (None, None, None):
        raise UsageError("list: --topic, --partition and --producer-id are for abort")
    found = client.transactions(hanging=1 if given.hanging else None, limit=given.limit)
    if given.json:
        sys.stdout.write("".join(f"{json.dumps(each)}\n" for each in found))
        return
    if not found:
        sys.stdout.write(f"no transaction {'hangs' if given.hanging else 'is open'}\n")
        return
    lines = [f"{'open':>10}  transaction", *map(_hanging if given.hanging else _open, found)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _abort(client: AdminClient, given: argparse.Namespace) -> None:
    if None in (given.topic, given.partition, given.producer_id):
        raise UsageError("abort: give --topic, --partition and --producer-id")
    if given.hanging:
        raise UsageError("abort: --hanging is for list; abort ends only hanging transactions")
    aborted = client.abort_transaction(given.topic, given.partition, given.producer_id)
    if given.json:
        sys.stdout.write(f"{json.dumps(aborted)}\n")
    else:
        sys.stdout.write(
            f"aborted the transaction of producer id {aborted['producer_id']} in "
            f"{_name(aborted)} from offset {aborted['first_offset']}\n"
        )


def _open(transaction: Mapping[str, Any]) -> str:
    partitions = transaction["partitions"]
    missing = transaction["markers_outstanding"]
    if missing:
        partitions = [each for each in partitions if not each["has_marker"]]
    names = [_name(each) for each in partitions[:_PARTITIONS_MAX]]
    more = len(partitions) - len(names)
    words = ", ".join(names) + (f" and {more} more" if more else "")
    state = transaction["state"] + (f", markers missing in {missing}" if missing else "")
    return (
        f"{_age(transaction)}  {transaction['transactional_id']} (producer id "
        f"{transaction['producer_id']}, epoch {transaction['producer_epoch']}): {state}: {words}, "
        f"coordinated by node {transaction['node']}"
    )


def _hanging(transaction: Mapping[str, Any]) -> str:
    return (
        f"{_age(transaction)}  producer id {transaction['producer_id']}, epoch "
        f"{transaction['producer_epoch']}, in {_name(transaction)} from offset "
        f"{transaction['first_offset']}, led by node {transaction['node']}"
    )


def _age(transaction: Mapping[str, Any]) -> str:
    return f"{durations.format_us(transaction['age_ms'] * 1000):>10}"


def _name(partition: Mapping[str, Any]) -> str:
    return f"{partition['topic']}-{partition['partition']}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)
