"""``make parity``: runs all or the named scenarios, and prints the comparison.

make parity                                      all of them; writes docs/reference/parity.md

make parity ARGS="fetch_wakes_on_produce"        one, by its name or a part of it

make parity ARGS="fetch_waits --transcripts"     an area, with the transcripts
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from integration.kafka.source import missing_kafka
from integration.parity.page import write_page
from integration.parity.runner import Outcome, run
from integration.parity.scenario import Scenario
from integration.parity.scenarios import SCENARIOS
from integration.parity.verdict import GOOD, reason, verdict


def main() -> int:
    """Run, print, and write the page if all scenarios ran; returns 1 if something differs."""
    parser = argparse.ArgumentParser(prog="make parity", description="Compare with a real Kafka.")
    parser.add_argument("names", nargs="*", help="scenarios or areas, or parts of their names")
    parser.add_argument("--transcripts", action="store_true", help="print the transcripts")
    given = parser.parse_args()
    chosen = _chosen(given.names)
    if not chosen:
        print(f"no scenario is named {' or '.join(given.names)}", file=sys.stderr)
        return 2
    missing = missing_kafka()
    if missing is not None:
        print(f"there is no real Kafka to compare with: {missing}", file=sys.stderr)
        return 2
    started = time.monotonic()
    outcomes = run(chosen)
    for outcome in outcomes:
        _print(outcome, transcript=given.transcripts)
    failed = [each for each in outcomes if verdict(each) not in GOOD]
    seconds = time.monotonic() - started
    print(f"{len(outcomes)} scenarios in {seconds:.0f} s, {len(failed)} failed")
    if not given.names and not failed:
        write_page(outcomes)
    return 1 if failed else 0


def _chosen(names: Sequence[str]) -> list[Scenario]:
    """Return all scenarios, or those that match a name; exact names take precedence."""
    meant = {each.name for name in names for each in _called(name)}
    return [each for each in SCENARIOS.values() if not names or each.name in meant]


def _called(name: str) -> list[Scenario]:
    exactly = [each for each in SCENARIOS.values() if name in (each.name, each.area_name)]
    return exactly or [each for each in SCENARIOS.values() if name in each.name]


def _print(outcome: Outcome, *, transcript: bool) -> None:
    result = verdict(outcome)
    steady = " (differed at first)" if outcome.unsteady else ""
    because = f": {reason(outcome)}" if reason(outcome) else ""
    print(f"{outcome.scenario.name:52} {result}{steady}{because}")
    if transcript:
        for line in outcome.theirs.lines:
            print(f"    {line}")
    if transcript or result not in GOOD:
        print(outcome.difference)


if __name__ == "__main__":
    sys.exit(main())
