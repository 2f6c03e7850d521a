"""The corpus: sessions that once ended a broker, as files of hexadecimal lines.

A line is a connection: its frames, each with its length, then the way in which the client
disconnects. `tests/test_corpus.py` plays every file to a broker in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from integration.fuzz.sessions import End, Session

CORPUS = Path(__file__).parents[2] / "tests" / "corpus"


def save(sessions: Sequence[Session], what: str) -> Path:
    """Write sessions to a file of the corpus; *what* is its first line, a comment."""
    lines = [f"# {what}"]
    lines += [" ".join([*(frame.hex() for frame in each.frames), each.end]) for each in sessions]
    text = "\n".join(lines) + "\n"
    path = CORPUS / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def load(path: Path) -> Iterator[Session]:
    """Return the sessions of a file."""
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            *frames, end = line.split()
            raw = tuple(bytes.fromhex(frame) for frame in frames)
            yield Session(raw, End(end), (None,) * len(raw))


def shrunk(
    sessions: Sequence[Session], does_harm: Callable[[Sequence[Session]], bool]
) -> list[Session]:
    """Return minimal sessions and frames for which *harms* is true, as it must be at first."""
    kept = list(sessions)
    size = len(kept) // 2
    while size:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if fewer and does_harm(fewer):
                kept = fewer
            else:
                at += size
        size //= 2
    for index, session in enumerate(kept):
        for position in reversed(range(len(session.frames))):
            frames = kept[index].frames
            if len(frames) > 1:
                left = frames[:position] + frames[position + 1 :]
                fewer = [*kept]
                fewer[index] = Session(left, session.end, (None,) * len(left))
                if does_harm(fewer):
                    kept = fewer
    return kept
