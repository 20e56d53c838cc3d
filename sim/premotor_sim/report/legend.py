"""The words around the map: the task and its result above, the steps and the key at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from premotor_sim.report import palette
from premotor_sim.report.canvas import Box, Canvas, Color, shortened, text_width, wrapped
from premotor_sim.report.floor_plan import draw_object
from premotor_sim.report.route import Station, station_colors

_PAD = 26
_KEY_HEIGHT = 272
_ROW_MAX, _ROW_MIN, _ROW_WITH_REASON = 46.0, 24.0, 36.0


def draw_heading(canvas: Canvas, box: Box, task: str, result: str, success: bool) -> None:
    """The task in at most two lines, then a coloured word and the result."""
    width = box[2] - box[0]
    size = 34 if text_width(task, 34) <= width else 24
    lines = wrapped(task, size, width)
    shown = [*lines[:1], " ".join(lines[1:])] if len(lines) > 1 else lines
    for index, line in enumerate(shown):
        canvas.text((box[0], 24 + size / 2 + index * size * 1.2), shortened(line, size, width), size, palette.INK)
    word, color = ("done", palette.GOOD) if success else ("failed", palette.BAD)
    chip = (box[0], 90.0, box[0] + text_width(word, 18) + 26, 118.0)
    canvas.rectangle(chip, color, radius=14)
    canvas.text(((chip[0] + chip[2]) / 2, 104), word, 18, palette.PAPER, "mm")
    canvas.text((chip[2] + 14, 104), shortened(result, 18, box[2] - chip[2] - 14), 18, palette.QUIET)


def draw_steps(canvas: Canvas, panel: Box, stations: Sequence[Station]) -> None:
    """One row a step, as many as fit: number in the colour of its leg, words, time or what went wrong."""
    top, bottom = panel[1] + 66, panel[3] - _KEY_HEIGHT
    canvas.text((panel[0] + _PAD, panel[1] + 36), "Plan, step by step", 20, palette.INK)
    row = max(_ROW_MIN, min(_ROW_MAX, (bottom - top) / max(1, len(stations))))
    fit = int((bottom - top) // row)
    shown = stations if len(stations) <= fit else stations[: fit - 1]
    for index, (station, color) in enumerate(zip(shown, station_colors(shown), strict=True)):
        _draw_step(canvas, panel, top + row * (index + 0.5), row, index + 1, station, color)
    if len(shown) < len(stations):
        words = f"and {len(stations) - len(shown)} more steps"
        canvas.text((panel[0] + _PAD, top + row * (len(shown) + 0.5)), words, 15, palette.QUIET)


def _draw_step(canvas: Canvas, panel: Box, y: float, row: float, number: int, station: Station, color: Color) -> None:
    left, right, radius = panel[0] + _PAD, panel[2] - _PAD, min(14.0, row * 0.42)
    started = station.status != "not_started"
    canvas.circle((left + 14, y), radius, color if started else palette.RULE)
    canvas.text((left + 14, y), str(number), radius * 1.15, palette.PAPER if started else palette.QUIET, "mm")
    done = station.status == "succeeded"
    note = f"{station.duration_s:.1f} s" if done else station.status.replace("_", " ")
    canvas.text((right, y), note, 15, palette.QUIET if done or not started else palette.BAD, "rm")
    room = right - left - 50 - text_width(note, 15)
    words = shortened(station.words, 17, room)
    reason = shortened(station.reason, 14, right - left - 38) if row >= _ROW_WITH_REASON else ""
    canvas.text((left + 38, y - 7 if reason else y), words, 17, palette.INK if started else palette.QUIET)
    canvas.text((left + 38, y + 13), reason, 14, palette.BAD)


def draw_key(canvas: Canvas, panel: Box) -> None:
    """What the lines and dots mean."""
    left, top = panel[0] + _PAD, panel[3] - _KEY_HEIGHT + 14
    canvas.line([(left, top), (panel[2] - _PAD, top)], palette.RULE, 1.5)
    for index, (words, sign) in enumerate(_SIGNS):
        y = top + 28 + index * 34
        sign(canvas, left, y)
        canvas.text((left + 66, y), words, 16, palette.INK)


def _planned_sign(canvas: Canvas, x: float, y: float) -> None:
    canvas.dashes([(x, y), (x + 50, y)], palette.PLANNED, 2.2)


def _driven_sign(canvas: Canvas, x: float, y: float) -> None:
    for index in range(3):
        canvas.line([(x + index * 17 + 3, y), (x + index * 17 + 13, y)], palette.leg_color(index), 6)


def _stop_sign(canvas: Canvas, x: float, y: float) -> None:
    canvas.line([(x + 9, y), (x + 30, y)], palette.leg_color(0), 2)
    canvas.circle((x + 9, y), 8, palette.PAPER, palette.leg_color(0), 4)
    canvas.rectangle((x + 20, y - 12, x + 50, y + 12), palette.leg_color(0), radius=12)
    canvas.text((x + 35, y), "1-2", 15, palette.PAPER, "mm")


def _start_sign(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle((x + 25, y), 12, palette.PAPER, palette.INK, 2)
    canvas.line([(x + 25, y), (x + 37, y)], palette.INK, 2)


def _object_sign(canvas: Canvas, x: float, y: float) -> None:
    draw_object(canvas, (x + 25, y), palette.BAD)


def _taken_sign(canvas: Canvas, x: float, y: float) -> None:
    draw_object(canvas, (x + 25, y), palette.BAD, moved_away=True)


def _person_sign(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle((x + 25, y), 11, palette.PERSON, palette.PAPER, 2)
    canvas.circle((x + 25, y), 5.5, palette.PAPER)


_SIGNS: tuple[tuple[str, Callable[[Canvas, float, float], None]], ...] = (
    ("planned path", _planned_sign),
    ("driven path, a colour for each drive", _driven_sign),
    ("where steps were done", _stop_sign),
    ("robot at the start", _start_sign),
    ("object", _object_sign),
    ("object was here before", _taken_sign),
    ("person", _person_sign),
)
