"""Finding room for words on a crowded map: the best of some candidate boxes, one label after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from premotor_sim.report.canvas import Box, Point

LINE_HEIGHT = 1.25
"""Height of a line of text as a multiple of its size."""


_CLEAR = 7.0  # pixels between words and the middle of a path


class LabelSpace:
    """What is already taken, in pixels. Boxes cost by overlap, points (of a path) by number inside."""

    def __init__(self, bounds: Box) -> None:
        self._bounds = bounds
        self._boxes: list[Box] = []
        self._points: list[Point] = []

    def reserve(self, box: Box) -> None:
        """Later labels keep off this box where they can."""
        self._boxes.append(box)

    def avoid(self, points: Iterable[Point]) -> None:
        """Later labels keep off these points where they can."""
        self._points.extend(points)

    def take(self, candidates: Iterable[Box], at_most: float = float("inf")) -> Box | None:
        """Reserve and return the cheapest candidate inside the bounds (the first of equals); None above `at_most`."""
        best, least = None, float("inf")
        for box in candidates:
            if not _inside(box, self._bounds):
                continue
            cost = self.cost(box)
            if cost < least:
                best, least = box, cost
            if cost == 0.0:
                break
        if best is None or least > at_most:
            return None
        self.reserve(best)
        return best

    def cost(self, box: Box) -> float:
        """Share of the box that is covered by others, plus a little for each point on it."""
        covered = sum(_overlap(box, other) for other in self._boxes) / _area(box)
        x0, y0, x1, y1 = box[0] - _CLEAR, box[1] - _CLEAR, box[2] + _CLEAR, box[3] + _CLEAR
        points = sum(x0 <= x <= x1 and y0 <= y <= y1 for x, y in self._points)
        return covered + 0.08 * points


def around(at: Point, gap: float, width: float, height: float) -> Iterator[Box]:
    """Boxes around a point at a few distances: right, left, above, below, then the corners."""
    x, y = at
    for away in (gap, gap * 1.7, gap * 2.6):
        for dx, dy in ((1, 0), (-1, 0), (0, -1), (0, 1), (0.8, -0.8), (-0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)):
            middle_x, middle_y = x + dx * (away + width / 2), y + dy * (away + height / 2)
            yield centred((middle_x, middle_y), width, height)


def within(area: Box, width: float, height: float, step: float = 6) -> Iterator[Box]:
    """Boxes inside an area, the middle first and then outwards."""
    reach_x, reach_y = (area[2] - area[0] - width) / 2, (area[3] - area[1] - height) / 2
    if reach_x < 0 or reach_y < 0:
        return
    middle = ((area[0] + area[2]) / 2, (area[1] + area[3]) / 2)
    offsets = [(dx, dy) for dx in _offsets(reach_x, step) for dy in _offsets(reach_y, step)]
    for dx, dy in sorted(offsets, key=lambda offset: abs(offset[0]) + abs(offset[1])):
        yield centred((middle[0] + dx, middle[1] + dy), width, height)


def beside(area: Box, gap: float, width: float, height: float) -> Iterator[Box]:
    """Boxes along the four sides of an area, outside it."""
    x, y = (area[0] + area[2]) / 2, (area[1] + area[3]) / 2
    yield centred((x, area[3] + gap + height / 2), width, height)
    yield centred((x, area[1] - gap - height / 2), width, height)
    yield centred((area[2] + gap + width / 2, y), width, height)
    yield centred((area[0] - gap - width / 2, y), width, height)


def centred(middle: Point, width: float, height: float) -> Box:
    """The box of this size around a point."""
    return (middle[0] - width / 2, middle[1] - height / 2, middle[0] + width / 2, middle[1] + height / 2)


def middle_of(box: Box) -> Point:
    """The point in the middle of a box."""
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def _offsets(reach: float, step: float) -> list[float]:
    count = int(reach // step)
    return [i * step for i in range(-count, count + 1)]


def _inside(inner: Box, outer: Box) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _overlap(a: Box, b: Box) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _area(box: Box) -> float:
    return max(1e-9, (box[2] - box[0]) * (box[3] - box[1]))
