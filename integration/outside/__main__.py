"""`python -m integration.outside [SUITE ...]`: other projects' suites on ours and on Kafka.

A test that passes on a real Kafka and not on ours fails the run, unless `known.py` lists it with a
reason. The output of each suite is kept in a folder that is printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from integration.kafka.source import missing_kafka
from integration.outside.apache_kafka import ApacheKafka
from integration.outside.brokers import kafka_brokers, our_brokers
from integration.outside.confluent_kafka_go import ConfluentKafkaGo
from integration.outside.go_suites import FRANZ_GO, KAFKA_GO, WATERMILL
from integration.outside.kafka_python import KafkaPython
from integration.outside.kafka_test_classes import CLASSES
from integration.outside.known import KNOWN
from integration.outside.librdkafka import Librdkafka
from integration.outside.rskafka import Rskafka
from integration.outside.sarama import Sarama
from integration.outside.suite import Results, Suite, Verdict

SUITES: tuple[Suite, ...] = (
    Librdkafka(),
    FRANZ_GO,
    KAFKA_GO,
    KafkaPython(),
    Rskafka(),
    Sarama(),
    WATERMILL,
    ConfluentKafkaGo(),
    *(ApacheKafka(name, classes) for name, classes in CLASSES.items()),
)


def main() -> int:
    """Run the suites; the exit code is 1 if ours fails a test without a listed reason."""
    parser = argparse.ArgumentParser(prog="python -m integration.outside", description=__doc__)
    parser.add_argument(
        "suites", nargs="*", metavar="SUITE", help="the suites to run; default: all"
    )
    parser.add_argument("--ours-only", action="store_true", help="do not run a real Kafka")
    options = parser.parse_args()
    if unknown := set(options.suites) - {suite.name for suite in SUITES}:
        parser.error(f"no suite {', '.join(sorted(unknown))}")
    logs = Path(tempfile.mkdtemp(prefix="antechamber-outside-"))
    print(f"output in {logs}", flush=True)
    lost = 0
    for suite in SUITES:
        if options.suites and suite.name not in options.suites:
            continue
        missing = suite.missing() or (None if options.ours_only else missing_kafka())
        if missing:
            print(f"{suite.name}: skipped, {missing}", flush=True)
            continue
        lost += _compare(suite, logs, ours_only=options.ours_only)
    return 1 if lost else 0


def _compare(suite: Suite, logs: Path, *, ours_only: bool) -> int:
    """Run one suite on both, print the differences, and return the number of failures."""
    with our_brokers(suite) as brokers:
        ours = suite.run(brokers, logs / f"{suite.name}-ours.log")
    if ours_only:
        print(f"{suite.name}: {_counted(ours)}", *_failed(ours), sep="\n  ", flush=True)
        return 0
    with kafka_brokers(suite) as brokers:
        theirs = suite.run(brokers, logs / f"{suite.name}-kafka.log")
    print(f"{suite.name}: {_counted(ours)} on ours, {_counted(theirs)} on Kafka", flush=True)
    known, lost = KNOWN[suite.name], 0
    for test in sorted(ours | theirs):
        verdict = ours.get(test, Verdict.FAILED)
        passes = verdict is Verdict.PASSED
        if test in known and passes:
            print(f"  {test} passes, but is listed: {known[test]}", flush=True)
            lost += 1
        elif theirs.get(test) is Verdict.PASSED and not passes:
            reason = known.get(test)
            print(f"  {test} {verdict}: {reason or 'not listed'}", flush=True)
            lost += reason is None
    return lost


def _counted(results: Results) -> str:
    verdicts = list(results.values())
    ran = [verdict for verdict in verdicts if verdict is not Verdict.SKIPPED]
    return f"{ran.count(Verdict.PASSED)} of {len(ran)} passed"


def _failed(results: Results) -> list[str]:
    return [test for test, verdict in sorted(results.items()) if verdict is Verdict.FAILED]


if __name__ == "__main__":
    sys.exit(main())
