"""Random programs of acquisitions and acknowledgements, compared with a model of single offsets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import ErrorCode
from tests.broker.share.bench import LOCK_MS, Bench, Settings

LENGTHS = st.lists(st.integers(1, 6), min_size=3, max_size=12)
MEMBERS = st.sampled_from("ab")
ACTIONS = st.one_of(
    st.tuples(st.just("acquire"), MEMBERS, st.integers(1, 12), st.booleans()),
    st.tuples(
        st.just("acknowledge"),
        MEMBERS,
        st.tuples(st.integers(0, 40), st.integers(0, 8)),
        st.sampled_from(["accept", "release", "reject", "gap", "renew"]),
    ),
    st.tuples(st.just("wait"), MEMBERS, st.integers(1, LOCK_MS), st.none()),
    st.tuples(st.just("leave"), MEMBERS, st.none(), st.none()),
)
_AFTER = {
    "accept": "ACKNOWLEDGED",
    "release": "AVAILABLE",
    "reject": "ARCHIVED",
    "gap": "ARCHIVED",
}


@dataclass
class Record:
    """One offset in flight."""

    state: str = "AVAILABLE"
    count: int = 0
    member: str = ""
    deadline_ms: float = 0

    def free(self, state: str) -> None:
        self.state, self.member = state, ""


class Model:
    """A share partition as a table of offsets."""

    def __init__(self, log: list[tuple[int, int]], limit: int) -> None:
        self.log = log
        self.limit = limit
        self.records: dict[int, Record] = {}
        self.in_flight: list[tuple[int, int]] = []
        self.start = 0
        self.now_ms = 0.0

    def acquire(self, member: str, max_records: int, exact: bool) -> set[tuple[int, int]]:
        """The acquired offsets, with their delivery counts."""
        taken: list[int] = []
        for first, last in self.in_flight:
            if len(taken) < max_records:
                free = [
                    each
                    for each in range(first, last + 1)
                    if each >= self.start and self.records[each].state == "AVAILABLE"
                ]
                taken += free[: max_records - len(taken)] if exact else free
        end = self.in_flight[-1][1] + 1 if self.in_flight else self.start
        wanted = end + max_records - len(taken)
        new = [each for each in self.log if each[0] >= end and each[0] < wanted]
        if new:
            self.in_flight.append((new[0][0], new[-1][1]))
            offsets = range(new[0][0], new[-1][1] + 1)
            self.records |= {each: Record() for each in offsets}
            taken += [each for each in offsets if not exact or each < wanted]
        for each in taken:
            record = self.records[each]
            record.state, record.member = "ACQUIRED", member
            record.count += 1
            record.deadline_ms = self.now_ms + LOCK_MS
        return {(each, self.records[each].count) for each in taken}

    def acknowledge(self, member: str, first: int, last: int, kind: str) -> bool:
        """Whether the acknowledgement is accepted."""
        if last < self.start:
            return True
        touched = [self.records.get(each) for each in range(max(first, self.start), last + 1)]
        if any(each is None or each.member != member for each in touched):
            return False
        for each in touched:
            assert each is not None
            if kind == "renew":
                each.deadline_ms = self.now_ms + LOCK_MS
            else:
                self._free(each, _AFTER[kind])
        self._advance()
        return True

    def _free(self, record: Record, state: str) -> None:
        if state == "AVAILABLE" and record.count >= self.limit:
            state = "ARCHIVED"
        record.free(state)

    def wait(self, duration_ms: float) -> None:
        self.now_ms += duration_ms
        for each in self.records.values():
            if each.member and each.deadline_ms <= self.now_ms:
                self._free(each, "AVAILABLE")
        self._advance()

    def leave(self, member: str) -> None:
        for each in self.records.values():
            if each.member == member:
                self._free(each, "AVAILABLE")
        self._advance()

    def _advance(self) -> None:
        complete = ("ACKNOWLEDGED", "ARCHIVED")
        while self.start in self.records and self.records[self.start].state in complete:
            del self.records[self.start]
            self.start += 1
        self.in_flight = [each for each in self.in_flight if each[1] >= self.start]


def _play(bench: Bench, model: Model, action: tuple[str, str, object, object]) -> None:
    """Perform one action on both, and compare the results."""
    name, member, first, second = action
    if name == "acquire":
        assert isinstance(first, int)
        offset = bench.partition.records.next_fetch_offset()
        read = [each for each in model.log if each[1] >= offset]
        acquired = bench.acquire(
            member, " ".join(f"{a}-{b}" for a, b in read), first, exact=bool(second)
        )
        assert _offsets(acquired) == model.acquire(member, first, bool(second))
    elif name == "acknowledge":
        assert isinstance(first, tuple)
        begin, end = first[0], first[0] + first[1]
        error = bench.acknowledge(member, f"{begin}-{end} {second}")
        assert (error is ErrorCode.NONE) == model.acknowledge(member, begin, end, str(second))
    elif name == "wait":
        assert isinstance(first, int)
        bench.wait(first)
        model.wait(first)
    else:
        bench.release(member)
        model.leave(member)


def _offsets(acquired: str) -> set[tuple[int, int]]:
    found = set()
    for each in acquired.split():
        offsets, _, count = each.partition("#")
        first, last = map(int, offsets.split("-"))
        found |= {(offset, int(count)) for offset in range(first, last + 1)}
    return found


def _states(bench: Bench) -> dict[int, tuple[str, int, str]]:
    start = bench.partition.records.start_offset
    return {
        offset: (run.state.name, run.delivery_count, run.member_id)
        for run in bench.partition.records.window.runs()
        for offset in range(max(run.first, start), run.last + 1)
    }


def _log(lengths: list[int]) -> list[tuple[int, int]]:
    ends = list(accumulate(lengths))
    return [(end - length, end - 1) for end, length in zip(ends, lengths, strict=True)]


@given(LENGTHS, st.lists(ACTIONS, max_size=30))
def test_every_offset_is_as_in_the_model(
    lengths: list[int], actions: list[tuple[str, str, object, object]]
) -> None:
    """Each action has the result, and each offset the state, that the model says."""
    limit = 1000  # no group of records becomes smaller
    bench = Bench(Settings(delivery_count_limit=limit))
    model = Model(_log(lengths), limit)
    for action in actions:
        _play(bench, model, action)
        assert bench.partition.records.start_offset == model.start
        expected = {
            offset: (record.state, record.count, record.member)
            for offset, record in model.records.items()
        }
        assert _states(bench) == expected
        complete = sum(each[0] in ("ACKNOWLEDGED", "ARCHIVED") for each in expected.values())
        assert bench.partition.records.complete_count == complete
        locks = {record.deadline_ms for record in model.records.values() if record.member}
        assert bool(bench.timer.size) == bool(locks)


@given(LENGTHS, st.lists(ACTIONS, max_size=30), st.integers(2, 6), st.booleans())
def test_nothing_is_lost_or_delivered_too_often(
    lengths: list[int],
    actions: list[tuple[str, str, object, object]],
    limit: int,
    is_slow: bool,
) -> None:
    """With any limit, also while writes fail: a member that accepts everything gets the rest."""
    bench = Bench(Settings(delivery_count_limit=limit))
    bench.persister.is_slow = is_slow
    log = _log(lengths)
    accepted: set[int] = set()
    for number, (name, member, first, second) in enumerate(actions):
        if name == "acquire":
            assert isinstance(first, int)
            acquired = _acquire(bench, log, member, first)
            assert all(count <= limit and offset not in accepted for offset, count in acquired)
        elif name == "acknowledge":
            assert isinstance(first, tuple)
            error = bench.acknowledge(member, f"{first[0]}-{first[0] + first[1]} {second}")
            if is_slow and error is None:
                failed = number % 3 == 0
                code = ErrorCode.COORDINATOR_NOT_AVAILABLE if failed else ErrorCode.NONE
                bench.persister.answer(code)
                error = code
            if error is ErrorCode.NONE and second in ("accept", "reject", "gap"):
                accepted |= set(range(first[0], first[0] + first[1] + 1))
        elif name == "wait":
            assert isinstance(first, int)
            bench.persister.is_slow = False
            bench.wait(first)
            bench.persister.is_slow = is_slow
    bench.persister.is_slow = False
    bench.wait(LOCK_MS)
    _accept_all(bench, log, limit)
    assert bench.offsets == (log[-1][1] + 1, log[-1][1] + 1)
    assert bench.timer.size == 0


def _acquire(
    bench: Bench, log: list[tuple[int, int]], member: str, most: int
) -> set[tuple[int, int]]:
    offset = bench.partition.records.next_fetch_offset()
    read = " ".join(f"{first}-{last}" for first, last in log if last >= offset)
    return _offsets(bench.acquire(member, read, most))


def _accept_all(bench: Bench, log: list[tuple[int, int]], limit: int) -> None:
    for _ in range(log[-1][1] * limit + 1):
        acquired = _acquire(bench, log, "z", 100)
        if not acquired:
            return
        for offset, _ in sorted(acquired):
            assert bench.acknowledge("z", f"{offset}-{offset} accept") is ErrorCode.NONE
