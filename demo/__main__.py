"""``python -m demo``: records twenty seconds of a busy cluster, and analyses the records."""

from __future__ import annotations

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from antechamber import Cluster
from demo.clients import NEWS, ORDERS, PAYMENTS, WORKERS

SECONDS = 20.0
LAG_MS = 1_500
# The job is too short to benefit from Java's optimising compiler.
_SHORT = "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1"


def main(words: list[str] | None = None) -> int:
    """Record and analyse; returns the exit code of the analysis."""
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/demo"), metavar="DIR")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long clients work")
    given = parser.parse_args(words)
    given.out.mkdir(parents=True, exist_ok=True)
    records = given.out / "records.jsonl"
    for left in given.out.glob("records.jsonl*"):
        left.unlink()
    _print(f"three nodes and {len(WORKERS)} workers, for {given.seconds:.0f} s")
    record(records, given.seconds)
    _print("analysing the wait records with Spark")
    return analyse(records, given.out)


def record(records: Path, seconds: float) -> None:
    """Run every worker on three nodes for *seconds*; the wait records are written to *records*."""
    config = {"min.insync.replicas": 2, "replica.lag.time.max.ms": LAG_MS}
    topics = [f"{topic}:3:3" for topic in (ORDERS, PAYMENTS, NEWS)]
    over = Event()
    with (
        Cluster(3, topics=topics, config=config, records=records) as kafka,
        ThreadPoolExecutor(len(WORKERS)) as pool,
    ):
        working = [pool.submit(work, kafka, over) for work in WORKERS]
        over.wait(seconds)
        over.set()
        for work in working:
            work.result()


def analyse(records: Path, out: Path) -> int:
    """Analyse *records* with the command line."""
    command = [sys.executable, "-m", "antechamber", "analyze", str(records), "--window", "1"]
    command += ["--master", "local[2]", "--conf", _SHORT, "--out", str(out / "analysis")]
    return subprocess.run(command, check=False).returncode


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
