"""`mission.png`: the house, the way, and what was done where."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from premotor_foundation.atomic_write import write_atomically
from premotor_planners.world.model import Pose, World
from premotor_sim.report import palette
from premotor_sim.report.canvas import Canvas, Color, Point
from premotor_sim.report.floor_plan import (
    MapView,
    Sheet,
    Style,
    dot_box,
    draw_house,
    draw_object,
    draw_person,
    name_places,
    name_rooms,
    reserve_walls,
    write_near,
)
from premotor_sim.report.labels import LabelSpace
from premotor_sim.report.legend import draw_heading, draw_key, draw_steps
from premotor_sim.report.route import Station, draw_paths, draw_start, draw_stops, stops

WIDTH, HEIGHT = 1600, 1100
_HEADING_BOTTOM, _PANEL_WIDTH, _MARGIN = 132, 400, 28
_MOVED_M = 0.15
_IN_HAND_M = 0.1


@dataclass(frozen=True)
class MissionPicture:
    """All that the picture shows. Positions in frame `map`; `result` is one line of plain text below the title."""

    world: World
    task: str
    result: str
    success: bool
    start: Pose
    stations: tuple[Station, ...]
    objects_before: Mapping[str, Point]
    objects_after: Mapping[str, Point]
    people: Mapping[str, Point]


def write_mission_png(path: Path, picture: MissionPicture) -> None:
    """Draw and write the PNG whole or not at all; raises OSError."""
    data = io.BytesIO()
    draw_mission(picture).save(data, "PNG")
    write_atomically(path, data.getvalue())


def draw_mission(picture: MissionPicture) -> Image.Image:
    """The picture, 1600 x 1100."""
    canvas = Canvas(WIDTH, HEIGHT, palette.PAPER)
    draw_heading(canvas, (_MARGIN, 0, WIDTH - _MARGIN, _HEADING_BOTTOM), picture.task, picture.result, picture.success)
    panel = (WIDTH - _PANEL_WIDTH, _HEADING_BOTTOM, WIDTH, HEIGHT)
    canvas.rectangle(panel, palette.PANEL)
    draw_steps(canvas, panel, picture.stations)
    draw_key(canvas, panel)
    area = (_MARGIN, _HEADING_BOTTOM + _MARGIN, panel[0] - _MARGIN, HEIGHT - _MARGIN - 22)
    view = MapView(picture.world.bounds_m, area)
    _draw_map(Sheet(canvas, view, LabelSpace(view.area(view.bounds_m))), picture)
    return canvas.finish()


def _draw_map(sheet: Sheet, picture: MissionPicture) -> None:
    reserve_walls(sheet, picture.world)
    draw_house(sheet, picture.world)
    for at in (*picture.objects_after.values(), *picture.people.values()):
        sheet.space.reserve(dot_box(sheet.view.point(at), 9))
    draw_paths(sheet, picture.stations)
    draw_start(sheet, picture.start)
    draw_stops(sheet, stops(picture.stations))
    _draw_things(sheet, picture)
    for place in picture.world.places:
        sheet.space.reserve(sheet.view.area(place.area_m))
    name_rooms(sheet, picture.world)
    _draw_scale(sheet.canvas, sheet.view)


def _draw_things(sheet: Sheet, picture: MissionPicture) -> None:
    """Objects that moved, people, places, other objects: what matters most finds room for its name first."""
    moved = [name for name in picture.objects_after if _has_moved(picture, name)]
    for name in moved:
        _draw_moved(sheet, picture, name)
    for name, at in picture.people.items():
        draw_person(sheet, name, at)
    name_places(sheet, picture.world)
    for name in picture.objects_after:
        if name not in moved:
            _draw_still(sheet, picture, name)


def _has_moved(picture: MissionPicture, name: str) -> bool:
    return math.dist(picture.objects_before[name], picture.objects_after[name]) > _MOVED_M


def _draw_moved(sheet: Sheet, picture: MissionPicture, name: str) -> None:
    """A hollow dot where the object was, a full one where it is (beside a person who holds it), both named."""
    color = _color(picture, name)
    for at, away in ((picture.objects_before[name], True), (picture.objects_after[name], False)):
        pixel = sheet.view.point(at)
        if not away and any(math.dist(at, person) < _IN_HAND_M for person in picture.people.values()):
            pixel = (pixel[0] + 0.26 * sheet.view.scale, pixel[1])
        draw_object(sheet.canvas, pixel, color, away)
        sheet.space.reserve(dot_box(pixel, 7))
        write_near(sheet, pixel, name, Style(14, palette.QUIET if away else palette.INK))


def _draw_still(sheet: Sheet, picture: MissionPicture, name: str) -> None:
    """A dot, named only where that covers nothing."""
    pixel = sheet.view.point(picture.objects_after[name])
    draw_object(sheet.canvas, pixel, _color(picture, name))
    write_near(sheet, pixel, name, Style(12, palette.QUIET), at_most=0.02)


def _color(picture: MissionPicture, name: str) -> Color:
    red, green, blue = picture.world.item(name).color_rgb
    return (round(red * 255), round(green * 255), round(blue * 255))


def _draw_scale(canvas: Canvas, view: MapView) -> None:
    x0, _, _, y = view.area(view.bounds_m)
    x1, y = x0 + view.scale, y + 16
    canvas.line([(x0, y), (x1, y)], palette.QUIET, 2)
    for x in (x0, x1):
        canvas.line([(x, y - 4), (x, y + 4)], palette.QUIET, 2)
    canvas.text((x1 + 10, y), "1 m", 14, palette.QUIET)
