"""The pictures of the explanation pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docs.svg import Svg, on_circle

WHEEL_SIZE = 20
DELAY_MS = 450


def purgatory() -> str:
    """An operation in its watch lists and in the timer."""
    svg = Svg(480, 300, "A delayed operation in two watch lists and in the timing wheel")
    svg.text(16, 26, "Watch lists, by key", kind="strong")
    rows = (("orders-0", ("fetch A", "fetch B")), ("orders-1", ("fetch A",)))
    for number, (key, operations) in enumerate(rows):
        top = 40 + 52 * number
        svg.box(16, top, 96, 36, key)
        for place, operation in enumerate(operations):
            left = 150 + 112 * place
            svg.line((left - 38 if place == 0 else left - 24, top + 18), (left - 4, top + 18))
            kind = "mark" if operation == "fetch A" else "box"
            svg.box(left, top, 88, 36, operation, kind=kind)
    svg.text(16, 168, "Timer", kind="strong")
    for number in range(10):
        svg.box(16 + 34 * number, 180, 34, 28, kind="mark" if number == 6 else "box")
    svg.text(16 + 34 * 6.5, 199, "A", anchor="middle")
    svg.text(366, 199, "timing wheel", kind="small")
    svg.line((284, 110), (244, 110))
    svg.box(286, 92, 180, 44, "an append to orders-1", "checks this list")
    svg.line((237, 246), (237, 212))
    svg.box(132, 248, 210, 36, "the end of the delay: A expires")
    return str(svg)


def produce() -> str:
    """The messages of one acks=all produce, with the high watermark."""
    svg = Svg(480, 400, "An acks=all produce to three replicas")
    names = ("producer", "leader 1", "follower 2", "follower 3")
    columns = (60, 180, 300, 420)
    for name, x in zip(names, columns, strict=True):
        svg.box(x - 44, 12, 88, 28, name)
        svg.line((x, 40), (x, 388), kind="line dash", arrow=False)
    producer, leader, second, third = columns
    messages: Sequence[tuple[int, int, int, str]] = (
        (producer, leader, 76, "Produce"),
        (second, leader, 150, "Fetch from 42"),
        (third, leader, 252, "Fetch from 42"),
        (leader, producer, 344, "response"),
    )
    svg.box(leader - 56, 90, 112, 38, "log end 42", "", kind="box")
    svg.text(leader, 121, "high watermark 41", anchor="middle", kind="small")
    svg.box(leader - 56, 166, 112, 44, "waits for", "follower 3", kind="mark")
    svg.box(leader - 56, 268, 112, 52, "high watermark", "42", kind="done")
    for begin, end, y, text in messages:
        svg.line((begin, y), (end, y))
        middle = (begin + end) / 2 if text != "Fetch from 42" or begin == second else 352
        svg.text(middle, y - 6, text, anchor="middle", kind="small")
    svg.text(6, 216, "parked", kind="small")
    svg.line((producer - 10, 84), (producer - 10, 344), kind="path")
    return str(svg)


def wheels() -> str:
    """The three wheels through which a task of 450 ms passes."""
    svg = Svg(480, 620, f"A task of {DELAY_MS} ms in three timing wheels")
    for number, (tick_ms, bucket_ms, now_ms) in enumerate(path(DELAY_MS)):
        centre = (112, 110 + 200 * number)
        _wheel(svg, centre, (bucket_ms // tick_ms) % WHEEL_SIZE, (now_ms // tick_ms) % WHEEL_SIZE)
        svg.text(centre[0], centre[1] - 2, f"{tick_ms} ms", anchor="middle", kind="strong")
        svg.text(centre[0], centre[1] + 15, "a bucket", anchor="middle", kind="small")
        left, top = 230, centre[1]
        verb = "added" if now_ms == 0 else "added again"
        svg.text(left, top - 40, f"at {now_ms} ms: {verb}", kind="strong")
        svg.text(left, top - 18, f"{DELAY_MS - now_ms} ms are left;")
        svg.text(left, top, f"this wheel covers {tick_ms * WHEEL_SIZE:,} ms")
        span = f"{bucket_ms} to {bucket_ms + tick_ms - 1} ms" if tick_ms > 1 else f"{bucket_ms} ms"
        svg.text(left, top + 22, f"into the bucket of {span},")
        end = "the task runs" if tick_ms == 1 else "which fires at its start"
        svg.text(left, top + 40, end)
        if tick_ms > 1:
            svg.line((left + 30, top + 56), (left + 30, top + 138), kind="path")
            svg.text(left + 42, top + 104, f"fires at {bucket_ms} ms", kind="small")
    return str(svg)


def path(delay_ms: int) -> Iterator[tuple[int, int, int]]:
    """Yield tick, bucket and time of each stop of a task that is added at 0, all in ms."""
    now_ms = 0
    while now_ms < delay_ms:
        tick_ms = 1
        while delay_ms >= (now_ms // tick_ms + WHEEL_SIZE) * tick_ms:
            tick_ms *= WHEEL_SIZE
        bucket_ms = delay_ms - delay_ms % tick_ms
        yield tick_ms, bucket_ms, now_ms
        now_ms = bucket_ms


def _wheel(svg: Svg, centre: tuple[float, float], marked: int, current: int) -> None:
    for number in range(WHEEL_SIZE):
        turns = (number / WHEEL_SIZE, (number + 1) / WHEEL_SIZE)
        svg.sector(centre, (52, 86), turns, "mark" if number == marked else "box")
    middle = (current + 0.5) / WHEEL_SIZE
    svg.line(on_circle(centre, 34, middle), on_circle(centre, 51, middle))


def rooms() -> str:
    """The packages and what they import."""
    svg = Svg(480, 330, "The packages and their imports")
    svg.box(16, 16, 200, 60, "antechamber", "command, handle, plugin")
    svg.box(16, 130, 200, 60, "broker", "sockets, logs, groups")
    svg.box(16, 250, 110, 60, "protocol", "bytes, values")
    svg.box(140, 250, 120, 60, "purgatories", "timers, waits")
    svg.box(280, 130, 184, 60, "recorder", "proxy before a Kafka")
    svg.box(280, 16, 184, 60, "pipeline", "analysis on Spark")
    svg.line((116, 76), (116, 126), kind="line dash")
    svg.text(124, 106, "starts; HTTP", kind="small")
    svg.line((71, 190), (71, 246))
    svg.line((190, 190), (190, 246))
    svg.line((340, 190), (340, 222), (100, 222), (100, 246))
    svg.line((280, 28), (220, 28))
    svg.line((372, 130), (372, 80), kind="line dash")
    svg.text(380, 106, "wait records", kind="small")
    svg.line((216, 150), (248, 150), (248, 46), (276, 46), kind="line dash")
    svg.text(300, 280, "solid: imports", kind="small")
    svg.text(300, 298, "dashed: process or data", kind="small")
    return str(svg)
