"""All benchmarks by name, in the order in which they run."""

from __future__ import annotations

from benchmarks import (
    consuming,
    expiry,
    fairness,
    fault_rules,
    groups,
    limits,
    memory,
    parked,
    pipelined,
    producing,
    recording,
    replicating,
    round_trip,
    share,
    start,
    storage,
    tls,
    transactions,
    wake_up,
)
from benchmarks.growth.curves import CURVES

BENCHMARKS = {
    benchmark.name: benchmark
    for benchmark in (
        start.BENCHMARK,
        round_trip.BENCHMARK,
        limits.BENCHMARK,
        wake_up.BENCHMARK,
        producing.BENCHMARK,
        pipelined.BENCHMARK,
        consuming.BENCHMARK,
        expiry.BENCHMARK,
        fairness.BENCHMARK,
        parked.BENCHMARK,
        memory.BENCHMARK,
        groups.BENCHMARK,
        share.BENCHMARK,
        expiry.WITH_PENDING,
        replicating.BENCHMARK,
        wake_up.REPLICATED,
        pipelined.REPLICATED,
        transactions.BENCHMARK,
        transactions.REPLICATED,
        tls.BENCHMARK,
        recording.BENCHMARK,
        fault_rules.BENCHMARK,
        storage.BENCHMARK,
        *(curve.benchmark() for curve in CURVES.values()),
    )
}
