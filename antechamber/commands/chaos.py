"""``antechamber chaos``: runs a program under schedules of faults until it fails."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from antechamber.admin_errors import NoBroker
from antechamber.broker_process import StartError
from antechamber.chaos.draw import draw
from antechamber.chaos.schedule_file import (
    SCHEMA_FILE,
    as_yaml,
    check_writable,
    read_schedule,
    schedule,
)
from antechamber.chaos.search import Found, Search
from antechamber.chaos.split_mix import SEED_MAX
from antechamber.chaos.trial import Laboratory
from antechamber.commands.local_parser import LocalParser
from antechamber.usage_error import UsageError

EXIT_FAILED, EXIT_USAGE, EXIT_FAILS_ALWAYS, EXIT_INTERRUPTED = 1, 2, 3, 130
BROKERS_DEFAULT, REPLICAS_MAX = 3, 3
TIMEOUT_DEFAULT_S, TIMEOUT_MAX_S = 60, 86_400
SHRINK_RUNS_DEFAULT = 60
_COUNT_MAX = 1_000_000
_PLACEHOLDER = "schedule.yaml"
_NONE_FIRED = (
    "warning: no rule fired in any run; does the program connect to KAFKA_BOOTSTRAP_SERVERS?"
)

_DESCRIPTION = """\
Run a program under schedules of faults: errors that clients must retry, lost
responses, closed connections, delays, nodes that stop or pause. Each run has a
new cluster. The exit code of the program decides whether it has survived.

  chaos --seed 7                           print the schedule of a seed
  chaos --seed 7 --against CMD...          run CMD under it
  chaos --seed 1 --seeds 50 --against CMD...   under those of seeds 1 to 50
  chaos --schedule FILE --against CMD...   under a schedule from a file
"""
_EPILOG = """\
The program finds the cluster by the variables KAFKA_BOOTSTRAP_SERVERS and
KAFKA_BOOTSTRAP, and the admin interface by ANTECHAMBER_ADMIN; {bootstrap} in
its arguments is replaced. First it runs without faults. The schedule of a run
that fails is repeated, shrunk to the rules that are needed, and printed as YAML
on stdout. The progress is on stderr.

exit codes:
  0    the program survived all schedules
  1    it failed under a schedule
  2    an argument or the schedule is invalid, or no broker or program starts,
       or the broker ends
  3    it fails without faults too
  130  interrupted by Ctrl-C
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command's arguments."""
    made = LocalParser("chaos", _DESCRIPTION, _EPILOG)
    add = made.add_argument
    add("--seed", type=_whole(0, SEED_MAX), metavar="N", help="draw the schedule from this number")
    add(
        "--seeds",
        type=_whole(1, _COUNT_MAX),
        default=1,
        metavar="K",
        help="how many seeds to run, from --seed on (%(default)s)",
    )
    add("--schedule", metavar="FILE", help="a schedule as YAML or JSON, instead of --seed")
    add(
        "--brokers",
        type=_whole(1, 100),
        default=BROKERS_DEFAULT,
        metavar="N",
        help="number of nodes of each cluster (%(default)s)",
    )
    add(
        "--topic",
        action="append",
        default=[],
        metavar="NAME[:PARTITIONS[:REPLICATION]]",
        help="create this topic in each cluster; may be repeated",
    )
    add(
        "-c",
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a broker setting with its name in Kafka; may be repeated",
    )
    add(
        "--timeout",
        type=_whole(1, TIMEOUT_MAX_S),
        default=TIMEOUT_DEFAULT_S,
        metavar="S",
        help="seconds after which a run is ended, and has failed (%(default)s)",
    )
    add(
        "--shrink-runs",
        type=_whole(0, _COUNT_MAX),
        metavar="N",
        help=f"at most this many runs to shrink a schedule: {SHRINK_RUNS_DEFAULT} for seeds, "
        "0 for --schedule",
    )
    add("--output", metavar="FILE", help="write the schedule of a failed run to this file")
    add("--schema", action="store_true", help="print the JSON Schema of schedules")
    add("-v", "--verbose", action="store_true", help="show the output of each run on stderr")
    add(
        "--against",
        nargs=argparse.REMAINDER,
        metavar="CMD",
        help="the program and its arguments, as the last option",
    )
    return made


def chaos(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    try:
        with _ended_by_signals():
            return _chaos(parser().parse_args(arguments))
    except (UsageError, StartError, NoBroker) as error:
        sys.stderr.write(f"antechamber chaos: {error}\n")
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _chaos(given: argparse.Namespace) -> int:
    if given.schema:
        sys.stdout.write(SCHEMA_FILE.read_text("utf-8"))
        return 0
    if (given.seed is None) == (given.schedule is None):
        raise UsageError("give either --seed N or --schedule FILE")
    if given.seed is not None and given.seed + given.seeds - 1 > SEED_MAX:
        raise UsageError(f"--seeds: the last seed is greater than {SEED_MAX}")
    if given.against is None and given.seed is not None:
        sys.stdout.write(as_yaml(schedule(draw(given.seed, given.brokers), given.seed)))
        return 0
    if not given.against:
        raise UsageError("--against: give a program and its arguments")
    return _test(given)


def _test(given: argparse.Namespace) -> int:
    """Run the program, and print the schedule with which it fails."""
    rules = None if given.schedule is None else read_schedule(given.schedule)["rules"]
    if given.output is not None:
        check_writable("--output", given.output)
    search = Search(_laboratory(given).run, _report, _shrink_runs(given))
    if rules is not None:
        found = search.schedule(given.schedule, rules)
    else:
        if search.without_faults().outcome.failed:
            _report("the program fails without faults; no schedule was run")
            return EXIT_FAILS_ALWAYS
        found = search.seeds(range(given.seed, given.seed + given.seeds), given.brokers)
    if search.rules and not search.fired:
        _report(_NONE_FIRED)
    if found is None:
        return 0
    _write(given, found)
    return EXIT_FAILED


def _laboratory(given: argparse.Namespace) -> Laboratory:
    # Records survive the stop of a node only on other nodes.
    config = {"default.replication.factor": str(min(given.brokers, REPLICAS_MAX))}
    for assignment in given.config:
        key, equals, value = assignment.partition("=")
        if not (key and equals):
            raise UsageError(f"-c: {assignment!r} is not KEY=VALUE")
        config[key] = value
    cluster: dict[str, Any] = {"brokers": given.brokers, "topics": given.topic, "config": config}
    output = sys.stderr.buffer if given.verbose else None
    laboratory = Laboratory(given.against, cluster, given.timeout, output)
    return replace(laboratory, source=given.schedule) if given.schedule else laboratory


def _shrink_runs(given: argparse.Namespace) -> int:
    if given.shrink_runs is None:
        return SHRINK_RUNS_DEFAULT if given.schedule is None else 0
    return int(given.shrink_runs)


def _write(given: argparse.Namespace, found: Found) -> None:
    """Write the schedule to a file, or to stdout without one or if that cannot be written."""
    path = given.output
    if path is not None:
        try:
            Path(path).write_text(_commented(given, found, path), encoding="utf-8")
        except OSError as error:
            words = f"--output: cannot write {path}: {error.strerror}; stdout has the schedule"
            _report(f"antechamber chaos: {words}")
        else:
            _report(f"{path} has the schedule; to replay it: {_replay(given, path)}")
            return
    sys.stdout.write(_commented(given, found, given.schedule or _PLACEHOLDER))


def _commented(given: argparse.Namespace, found: Found, path: str) -> str:
    """The schedule as YAML, with the command that replays it from a file as a comment."""
    lines = [f"# The program fails with this schedule: {found.trial.outcome.description}."]
    lines += [f"# Fired {firing}." for firing in found.trial.firings]
    lines += ["# To replay it:", *(f"#   {line}" for line in _replay(given, path).split("\n"))]
    return "".join(f"{line}\n" for line in lines) + as_yaml(schedule(found.rules, found.seed))


def _replay(given: argparse.Namespace, path: str) -> str:
    words = ["antechamber", "chaos", "--schedule", path]
    words += ["--brokers", str(given.brokers)]
    words += [word for topic in given.topic for word in ("--topic", topic)]
    words += [word for setting in given.config for word in ("-c", setting)]
    if given.timeout != TIMEOUT_DEFAULT_S:
        words += ["--timeout", str(given.timeout)]
    return shlex.join([*words, "--against", *given.against])


def _report(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP exceptions, so that the program and the cluster are ended."""

    def end(number: int, _frame: object) -> NoReturn:
        sys.exit(128 + number)

    names = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _whole(low: int, high: int) -> Any:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 21 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
        return int(text)

    return number
