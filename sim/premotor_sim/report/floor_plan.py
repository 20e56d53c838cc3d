"""The house from above: rooms, walls, furniture, dock, people and objects, and the names of the places."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.world.model import Place, Rectangle, World
from premotor_sim.report import palette
from premotor_sim.report.canvas import Box, Canvas, Color, Point, text_width, wrapped
from premotor_sim.report.labels import LINE_HEIGHT, LabelSpace, around, beside, centred, middle_of, within


@dataclass(frozen=True)
class MapView:
    """Metres to pixels: the world's bounds fitted into a box, centred, y turned down."""

    bounds_m: Rectangle
    box: Box

    @property
    def scale(self) -> float:
        """Pixels a metre."""
        xmin, ymin, xmax, ymax = self.bounds_m
        return min((self.box[2] - self.box[0]) / (xmax - xmin), (self.box[3] - self.box[1]) / (ymax - ymin))

    def point(self, at: Point) -> Point:
        """A point of frame `map` in pixels."""
        middle, (xmin, ymin, xmax, ymax) = middle_of(self.box), self.bounds_m
        return (
            middle[0] + (at[0] - (xmin + xmax) / 2) * self.scale,
            middle[1] - (at[1] - (ymin + ymax) / 2) * self.scale,
        )

    def area(self, area: Rectangle) -> Box:
        """A rectangle of frame `map` in pixels."""
        (x0, y1), (x1, y0) = self.point((area[0], area[1])), self.point((area[2], area[3]))
        return (x0, y0, x1, y1)


@dataclass(frozen=True)
class Sheet:
    """What a map is drawn on: pixels, the view that maps metres to them, and the room left for words."""

    canvas: Canvas
    view: MapView
    space: LabelSpace


@dataclass(frozen=True)
class Style:
    """Size in pixels and colour of words, and the gap between them and what they name."""

    size: float
    color: Color
    gap: float = 11


def draw_house(sheet: Sheet, world: World) -> None:
    """Everything that stands still, without words."""
    for index, room in enumerate(world.rooms):
        sheet.canvas.rectangle(sheet.view.area(room.area_m), palette.ROOMS[index % len(palette.ROOMS)])
    for place in world.places:
        fill, edge = _place_colors(place)
        sheet.canvas.rectangle(sheet.view.area(place.area_m), fill, edge, 1.4, radius=4)
    for wall in world.walls_m:
        sheet.canvas.rectangle(sheet.view.area(wall), palette.WALL)


def draw_person(sheet: Sheet, name: str, at: Point) -> None:
    """A head and shoulders seen from above, and the name."""
    x, y = sheet.view.point(at)
    size = max(7.0, 0.16 * sheet.view.scale)
    sheet.canvas.circle((x, y), size, palette.PERSON, palette.PAPER, 2)
    sheet.canvas.circle((x, y), size * 0.5, palette.PAPER)
    write_near(sheet, (x, y), name, Style(14, palette.INK, size + 4))


def draw_object(canvas: Canvas, at: Point, color: Color, moved_away: bool = False) -> None:
    """A dot at pixel `at`, hollow for where an object was taken from."""
    if moved_away:
        canvas.circle(at, 6, palette.PAPER, palette.seen_on_paper(color), 2.5)
    else:
        canvas.circle(at, 6.5, color, palette.darker(color), 1.5)


def write_near(sheet: Sheet, at: Point, text: str, style: Style, at_most: float = float("inf")) -> None:
    """Words beside pixel `at`, where they cover least; none where more than the share `at_most` would cover things."""
    width, height = text_width(text, style.size), style.size * LINE_HEIGHT
    box = sheet.space.take(around(at, style.gap, width, height), at_most)
    if box is not None:
        sheet.canvas.text(middle_of(box), text, style.size, style.color, "mm")


def name_places(sheet: Sheet, world: World) -> None:
    """Furniture names, on the furniture where they fit and are not in the way, else beside it."""
    for place in world.places:
        _, edge = _place_colors(place)
        color = edge if place.kind == "dock" else palette.FURNITURE_NAME
        area = sheet.view.area(place.area_m)
        lines = wrapped(place.name, 13, max(area[2] - area[0] - 6, 1))
        width, height = max(text_width(line, 13) for line in lines), 13 * LINE_HEIGHT * len(lines)
        box = sheet.space.take(within(area, width, height), at_most=0.2)
        if box is None:
            lines, width, height = [place.name], text_width(place.name, 13), 13 * LINE_HEIGHT
            box = sheet.space.take([*beside(area, 3, width, height), *around(middle_of(area), 20, width, height)])
        _draw_lines(sheet.canvas, box, lines, 13, color)


def name_rooms(sheet: Sheet, world: World) -> None:
    """Room names, large and pale, where the room is emptiest."""
    for room in world.rooms:
        name, size, area = room.name.upper(), 17, sheet.view.area(room.area_m)
        box = sheet.space.take(within(area, text_width(name, size), size * LINE_HEIGHT, step=12))
        _draw_lines(sheet.canvas, box, [name], size, palette.ROOM_NAME)


def reserve_walls(sheet: Sheet, world: World) -> None:
    """Keep words off the walls."""
    for wall in world.walls_m:
        x0, y0, x1, y1 = sheet.view.area(wall)
        sheet.space.reserve((x0 - 4, y0 - 4, x1 + 4, y1 + 4))


def dot_box(at: Point, radius: float) -> Box:
    """The box around a dot."""
    return centred(at, 2 * radius, 2 * radius)


def _draw_lines(canvas: Canvas, box: Box | None, lines: list[str], size: float, color: Color) -> None:
    if box is None:
        return
    x, _ = middle_of(box)
    for index, line in enumerate(lines):
        canvas.text((x, box[1] + size * LINE_HEIGHT * (index + 0.5)), line, size, color, "mm")


def _place_colors(place: Place) -> tuple[Color, Color]:
    if place.kind == "dock":
        return palette.DOCK, palette.DOCK_EDGE
    return palette.FURNITURE, palette.FURNITURE_EDGE
