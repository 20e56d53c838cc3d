"""The shares over utilization as a picture."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from premotor_runtime.scheduler.study.shares import Row, Study

_SIZE = (1120, 640)
_FRAME = (90, 60, 780, 560)
_INK, _GRID, _PAPER = (30, 33, 40), (222, 225, 230), (255, 255, 255)


class _Line(NamedTuple):
    field: str
    label: str
    colour: tuple[int, int, int]
    dashed: bool


_LINES = (
    _Line("policy", "ours, never seen to miss", (120, 170, 120), True),
    _Line("hard_proved", "ours, proved at admission", (20, 110, 60), False),
    _Line("utilization_bound", "utilization bound", (40, 90, 190), False),
    _Line("fifo", "plain FIFO, never seen to miss", (200, 70, 50), True),
)


def write_plot(study: Study, path: Path) -> None:
    """A PNG: one line for each test; dashed ones are upper limits by simulation. Raises OSError."""
    image = Image.new("RGB", _SIZE, _PAPER)
    pen = ImageDraw.Draw(image)
    _axes(pen, study)
    for number, line in enumerate(_LINES):
        points = [_point(row.utilization, _share(row, line.field)) for row in study.rows if row.sets]
        _polyline(pen, points, line)
        _legend(pen, number, line)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def _share(row: Row, field: str) -> float:
    return int(getattr(row, field)) / row.sets


def _point(x: float, y: float) -> tuple[float, float]:
    left, top, right, bottom = _FRAME
    return left + x * (right - left), bottom - y * (bottom - top)


def _axes(pen: ImageDraw.ImageDraw, study: Study) -> None:
    left, top, right, bottom = _FRAME
    small, large = _font(17), _font(20)
    for tenth in range(0, 11, 2):
        x, y = _point(tenth / 10, tenth / 10)
        pen.line((left, y, right, y), fill=_GRID)
        pen.line((x, top, x, bottom), fill=_GRID)
        pen.text((left - 12, y), f"{tenth * 10} %", fill=_INK, font=small, anchor="rm")
        pen.text((x, bottom + 10), f"{tenth / 10:g}", fill=_INK, font=small, anchor="mt")
    pen.rectangle(_FRAME, outline=_INK)
    sets = sum(row.sets for row in study.rows)
    title = f"Share of {sets:,} random task sets whose hard deadlines are safe"
    pen.text((left, top - 16), title, fill=_INK, font=large, anchor="ls")
    pen.text(((left + right) / 2, bottom + 44), "utilization of the busiest lane", fill=_INK, font=small, anchor="mt")


def _polyline(pen: ImageDraw.ImageDraw, points: list[tuple[float, float]], line: _Line) -> None:
    for start, end in pairwise(points):
        for piece in range(0, 8, 2 if line.dashed else 8):
            until = piece + (1 if line.dashed else 8)
            ends = [(start[i] + (end[i] - start[i]) * at / 8) for at in (piece, until) for i in (0, 1)]
            pen.line(ends, fill=line.colour, width=3)
    for x, y in points:
        pen.ellipse((x - 4, y - 4, x + 4, y + 4), fill=line.colour)


def _legend(pen: ImageDraw.ImageDraw, number: int, line: _Line) -> None:
    y = _FRAME[1] + 30 + 40 * number
    _polyline(pen, [(800, y), (840, y)], line)
    pen.text((852, y), line.label, fill=_INK, font=_font(17), anchor="lm")


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
