"""The way of the robot on the map: planned dashes, driven legs in colours, and the numbered stations of the plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from premotor_planners.world.model import Pose
from premotor_sim.report import palette
from premotor_sim.report.canvas import Canvas, Color, Point, text_width
from premotor_sim.report.floor_plan import Sheet, Style, dot_box, write_near
from premotor_sim.report.labels import around, middle_of

ROBOT_RADIUS_M = 0.22
_SAME_STOP_M = 0.4


@dataclass(frozen=True)
class Station:
    """One step of the plan: words for the legend, where the robot stood, and how it came there (empty: it stayed).

    `status` is the step's (`succeeded` or another word, which is shown), `reason` why it did not succeed. Paths in
    frame `map`.
    """

    words: str
    status: str
    duration_s: float
    at: Point
    planned: tuple[Point, ...] = ()
    driven: tuple[Point, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Stop:
    """Stations at one spot: their numbers (from 1), and the colour of the leg that led there first."""

    at: Point
    numbers: tuple[int, ...]
    color: Color


def station_colors(stations: Sequence[Station]) -> list[Color]:
    """A new colour for each drive; steps on the spot keep that of the drive before them."""
    colors, leg = [], -1
    for station in stations:
        leg += len(station.driven) > 1 or leg < 0
        colors.append(palette.leg_color(leg))
    return colors


def stops(stations: Sequence[Station]) -> list[Stop]:
    """Stations merged where they lie within 0.4 m, in order of first visit. Steps never started have no stop."""
    found: list[Stop] = []
    for number, (station, color) in enumerate(zip(stations, station_colors(stations), strict=True), start=1):
        if station.status == "not_started":
            continue
        index = next((i for i, stop in enumerate(found) if math.dist(stop.at, station.at) < _SAME_STOP_M), None)
        if index is None:
            found.append(Stop(station.at, (number,), color))
        else:
            found[index] = Stop(found[index].at, (*found[index].numbers, number), found[index].color)
    return found


def draw_paths(sheet: Sheet, stations: Sequence[Station]) -> None:
    """Driven legs, later ones thinner and on top so that all stay visible, with arrows; planned paths dashed above."""
    colors = station_colors(stations)
    driven = [(station, color) for station, color in zip(stations, colors, strict=True) if len(station.driven) > 1]
    for index, (station, color) in enumerate(driven):
        pixels = [sheet.view.point(at) for at in station.driven]
        sheet.canvas.line(pixels, color, max(4.0, 8.0 - 1.5 * index))
        sheet.space.avoid(_spaced(pixels, 10))
    for station in stations:
        sheet.canvas.dashes([sheet.view.point(at) for at in station.planned], palette.PLANNED, 2.2)
    for station, color in driven:
        for at, heading in _arrows([sheet.view.point(at) for at in station.driven], every=110):
            _draw_arrow(sheet.canvas, at, heading, color)


def draw_start(sheet: Sheet, start: Pose) -> None:
    """The robot's outline where it began, with its heading, and the word."""
    at, radius = sheet.view.point(start[:2]), ROBOT_RADIUS_M * sheet.view.scale
    sheet.canvas.circle(at, radius, palette.PAPER, palette.INK, 2)
    tip = (at[0] + radius * math.cos(start[2]), at[1] - radius * math.sin(start[2]))
    sheet.canvas.line([at, tip], palette.INK, 2)
    sheet.space.reserve(dot_box(at, radius))
    write_near(sheet, at, "start", Style(14, palette.INK, radius + 4))


def draw_stops(sheet: Sheet, found: Sequence[Stop]) -> None:
    """A ring where the robot stood, and beside it a flag with the numbers of the steps done there."""
    rings = [sheet.view.point(stop.at) for stop in found]
    for at, stop in zip(rings, found, strict=True):
        sheet.canvas.circle(at, 9, palette.PAPER, stop.color, 4)
        sheet.space.reserve(dot_box(at, 10))
    for at, stop in zip(rings, found, strict=True):
        text = number_words(stop.numbers)
        width = max(26.0, text_width(text, 17) + 16)
        box = sheet.space.take(around(at, 12, width, 26))
        if box:
            sheet.canvas.line([at, middle_of(box)], stop.color, 2)
            sheet.canvas.circle(at, 9, palette.PAPER, stop.color, 4)
            sheet.canvas.rectangle(box, stop.color, palette.PAPER, 2, radius=13)
            sheet.canvas.text(middle_of(box), text, 17, palette.PAPER, "mm")


def number_words(numbers: Sequence[int]) -> str:
    """Numbers in short, runs joined: `1-3, 6`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _spaced(points: Sequence[Point], every: float) -> Iterator[Point]:
    for at, _ in _arrows(points, every):
        yield at


def _arrows(points: Sequence[Point], every: float) -> Iterator[tuple[Point, float]]:
    """Points at equal distances along a line, the first at half a distance, with the line's direction (y down)."""
    left = every / 2
    for start, end in pairwise(points):
        length = math.dist(start, end)
        heading, done = math.atan2(end[1] - start[1], end[0] - start[0]), 0.0
        while length - done >= left:
            done += left
            left = every
            yield (start[0] + math.cos(heading) * done, start[1] + math.sin(heading) * done), heading
        left -= length - done


def _draw_arrow(canvas: Canvas, at: Point, heading: float, color: Color) -> None:
    def corner(size: float, turn: float) -> Point:
        return (at[0] + size * math.cos(heading + turn), at[1] + size * math.sin(heading + turn))

    for size, fill in ((13.0, palette.PAPER), (9.5, color)):
        canvas.polygon([corner(size, 0), corner(size, 2.45), corner(size, -2.45)], fill)
