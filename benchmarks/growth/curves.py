"""All growth curves by name."""

from __future__ import annotations

from benchmarks.growth import crowds, data, followed

CURVES = {
    curve.name: curve
    for curve in (
        crowds.PARKED,
        crowds.CONNECTIONS,
        crowds.MEMBERS,
        data.GROUPS,
        data.PARTITIONS,
        followed.FOLLOWED,
        data.RECORDS,
        data.LOG_SIZE,
    )
}
