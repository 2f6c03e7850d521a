"""The results in JUnit's reports."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from integration.outside.suite import Results, Verdict

# In the failure of a test that needs an object that only Kafka's broker has.
_INSIDE = "inside of the broker: "


def results_of(reports: Path, class_name: str) -> Results:
    """The results of a class by its simple name and method; that of the class, if it has none.

    Of a test with parameters the worst invocation counts.
    """
    simple = class_name.rpartition(".")[2]
    results: Results = {}
    for path in reports.glob("TEST-*.xml"):
        for case in ET.parse(path).iter("testcase"):
            method = re.split(r"[(\[{]", case.get("name", ""))[0]
            name = f"{simple}.{method}"
            results[name] = max(results.get(name, Verdict.SKIPPED), _verdict(case), key=_rank)
    return results or {simple: Verdict.FAILED}


def _verdict(case: ET.Element) -> Verdict:
    problem = case.find("failure")
    problem = case.find("error") if problem is None else problem
    if problem is not None:
        text = f"{problem.get('message')} {problem.text}"
        return Verdict.SKIPPED if _INSIDE in text else Verdict.FAILED
    return Verdict.PASSED if case.find("skipped") is None else Verdict.SKIPPED


def _rank(verdict: Verdict) -> int:
    return [Verdict.SKIPPED, Verdict.PASSED, Verdict.FAILED].index(verdict)
