"""``antechamber fault``: causes faults of nodes, and sets rules by which requests fail."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from antechamber.admin_client import AdminClient, AdminError
from antechamber.commands import fault_options
from antechamber.commands.command_line import CommandParser, run
from antechamber.sentences.phrases import counted
from antechamber.usage_error import UsageError

NODE_ORDERS = ("pause", "resume", "stop", "shutdown", "start")
RULE_ORDERS = ("add", "list", "show", "remove", "clear")
ORDERS = (*NODE_ORDERS, *RULE_ORDERS)
_DESCRIPTION = """\
Cause a fault in a node of a running broker.

  pause NODE    its followers stop fetching, so acks=all waits for it; it still
                serves as a leader
  resume NODE   its followers fetch again
  stop NODE     it ends as after kill -9: connections close, its partitions get
                other leaders
  shutdown NODE it stops in an orderly way, as in a rolling restart: first its
                partitions get other leaders
  start NODE    it starts again, with its own logs

Or set a rule by which requests, connections, partitions or links between
nodes fail. The options select them; without options, all requests of clients
match.

  add error NAME        respond with an error, such as NOT_LEADER_OR_FOLLOWER
  add close             close the connection
  add hang              never respond
  add delay 300ms       handle the request later; --after: respond later
  add half_open         neither receive nor send any more
  add slow 10           send the response with 10 bytes per second
  add throttle 1s       throttle the client
  add corrupt           give a batch of a Fetch response a wrong CRC
  add stale_metadata    describe nodes and topics as they are now, also later
  add refuse_connections
                        reset new connections when they are accepted
  add node stop NODE    stop a node, or pause, resume or start it
  add delay 50ms --link 1:2      what node 1 sends to node 2 arrives later
  add loss 10 --link 1:2         10 percent of it is lost
  add cut --link 1:controller    nothing of it arrives
  add hold_high_watermark 5 --topic orders --partition 0
                        do not advance the high watermark beyond offset 5
  add hold_isr --topic orders
                        do not change the in-sync replicas
  list, show ID, remove ID, clear
"""

# The options and words for the properties of a rule; those of ``match`` have the names of flags.
_PARAMETERS = {
    "for_ms": "--for in ms",
    "link.from": "--link",
    "link.to": "--link",
    "action.seed": "--seed",
    "action.error": "add error",
    "action.percent": "add loss",
    "action.bytes_per_second": "add slow",
    "action.at": "add hold_high_watermark",
    "action.node": "add node",
}
_SCHEDULE_FIELDS = frozenset({"schedule", "seed", "rules"})


class _FaultParser(CommandParser):
    """Accepts options between the words of a rule."""

    def _parsed(self, args: Any, namespace: Any) -> tuple[Any, list[str]]:
        return self.parse_known_intermixed_args(args, namespace)


def fault(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _give)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = _FaultParser("fault", _DESCRIPTION, _PARAMETERS)
    command.add_argument("order", choices=ORDERS, metavar="ORDER", help="what to do, as above")
    command.add_argument(
        "words",
        nargs="*",
        default=[],
        metavar="WORD",
        help="the id of a node or rule, or an action",
    )
    fault_options.add_options(command)
    command.add_argument("--json", action="store_true", help="the rules as JSON")
    return command


def _give(client: AdminClient, given: argparse.Namespace) -> None:
    order, words = given.order, given.words
    _check_options(given)
    if order in NODE_ORDERS:
        node = client.order(_number(words, "NODE", "node"), order)
        sys.stdout.write(f"node {node['id']} is {node['state']}\n")
    elif order == "add":
        _show(_add(client, given), given.json)
    elif order == "list":
        _no_more(order, words)
        _show(client.faults(), given.json)
    elif order == "show":
        _show([client.fault(_number(words, "ID", "fault rule"))], given.json)
    elif order == "remove":
        rule = client.remove_fault(_number(words, "ID", "fault rule"))
        times = counted(rule["fired"], "time")
        sys.stdout.write(f"fault rule {rule['id']} is removed; it fired {times}\n")
    else:
        _no_more(order, words)
        removed = client.clear_faults()
        be = "is" if removed == 1 else "are"
        sys.stdout.write(f"{counted(removed, 'fault rule')} {be} removed\n")


def _add(client: AdminClient, given: argparse.Namespace) -> list[dict[str, Any]]:
    if given.rules is None:
        return client.add_faults([fault_options.rule_of(given, given.words)])
    if given.words or fault_options.given_options(given):
        raise UsageError("--rules: give no action and no other option beside it")
    rules = fault_options.read_rules(given.rules)
    # A schedule; the broker refuses other fields and versions.
    if isinstance(rules, dict) and "rules" in rules and rules.keys() <= _SCHEDULE_FIELDS:
        rules = rules["rules"] if rules.get("schedule", 1) == 1 else rules
    if rules == []:
        raise UsageError(f"--rules: {given.rules} has no rule; give a rule or a list of them")
    try:
        return client.add_faults(rules if isinstance(rules, list) else [rules])
    except AdminError as error:  # the message names a property of the file
        raise AdminError(error.status, f"--rules: {error}") from None


def _check_options(given: argparse.Namespace) -> None:
    """Refuse options that the order does not have."""
    options = fault_options.given_options(given)
    if given.order != "add" and options:
        raise UsageError(f"{options[0]}: only fault add has this option")
    if given.order != "add" and given.rules is not None:
        raise UsageError("--rules: only fault add has this option")


def _show(rules: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        sys.stdout.write(f"{json.dumps({'rules': rules})}\n")
        return
    from rich.console import Console

    from antechamber.commands.fault_table import fault_table

    Console().print(fault_table(rules))


def _no_more(order: str, words: Sequence[str]) -> None:
    if words:
        raise UsageError(f"{order}: {words[0]!r} is one word too many")


def _number(words: Sequence[str], name: str, what: str) -> int:
    if len(words) != 1:
        raise UsageError(f"{name}: give the id of one {what}")
    [text] = words
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        raise UsageError(f"{name}: {text!r} is not the id of a {what}")
    return int(text)
