"""All growth curves by name."""

from __future__ import annotations

from benchmarks.growth import crowds, data

CURVES = {
    curve.name: curve
    for curve in (
        crowds.PARKED,
        crowds.CONNECTIONS,
        crowds.MEMBERS,
        data.GROUPS,
        data.PARTITIONS,
        data.RECORDS,
        data.LOG_SIZE,
    )
}
