"""`python -m integration.transactions`: many seeds, on our broker or on a real Kafka."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager
from typing import Any

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.transactions.judge import anomalies
from integration.transactions.run import NODES, SETTINGS, run

# The first node of a real Kafka is also the controller.
_FAULTY_NODES = {"ours": (1, 2, 3), "kafka": (2, 3)}


def main() -> int:
    """Print the summary and the anomalies of each seed; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m integration.transactions", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="the number of seeds; default: 5")
    parser.add_argument("--first", type=int, default=1, help="the first seed; default: 1")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each seed; default: 10")
    parser.add_argument("--system", choices=_FAULTY_NODES, default="ours")
    parser.add_argument("--without-faults", action="store_true")
    options = parser.parse_args()
    nodes = () if options.without_faults else _FAULTY_NODES[options.system]
    is_correct = True
    with _cluster(options.system) as cluster:
        for seed in range(options.first, options.first + options.seeds):
            done = run(cluster, nodes, options.seconds, seed)
            found = anomalies(done.history)
            is_correct = is_correct and not found
            print(f"seed {seed}: {done.summary()}, {len(found)} anomalies", flush=True)
            for each in found:
                print(f"  {each.kind.name}, {each.kind.value}: {each.details}", flush=True)
    return 0 if is_correct else 1


def _cluster(system: str) -> AbstractContextManager[Any]:
    return RealKafka(NODES, SETTINGS) if system == "kafka" else Cluster(NODES, config=SETTINGS)


if __name__ == "__main__":
    sys.exit(main())
