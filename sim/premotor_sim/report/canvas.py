"""A drawing surface with smooth edges: shapes are drawn large and shrunk, text is drawn at its final size on top."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Color = tuple[int, int, int]
Anchor = Literal["lm", "mm", "rm"]
OVERSAMPLING = 3


@dataclass(frozen=True)
class _Words:
    at: Point
    text: str
    size: float
    color: Color
    anchor: Anchor


class Canvas:
    """Pixels with y down; every call takes final pixels. `finish` gives the image."""

    def __init__(self, width: int, height: int, background: Color) -> None:
        self.width, self.height = width, height
        self._image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), background)
        self._draw = ImageDraw.Draw(self._image)
        self._words: list[_Words] = []

    def rectangle(self, box: Box, fill: Color, edge: Color | None = None, width: float = 1, radius: float = 0) -> None:
        """A filled box with an optional edge and rounded corners."""
        x0, y0, x1, y1 = _large(box)
        if x1 <= x0 or y1 <= y0:
            return
        stroke = max(1, round(width * OVERSAMPLING)) if edge else 0
        self._draw.rounded_rectangle((x0, y0, x1, y1), radius * OVERSAMPLING, fill, edge, stroke)

    def circle(self, at: Point, radius: float, fill: Color | None, edge: Color | None = None, width: float = 1) -> None:
        """A disc, a ring, or both."""
        box = _large((at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius))
        self._draw.ellipse(box, fill, edge, max(1, round(width * OVERSAMPLING)) if edge else 0)

    def polygon(self, points: Sequence[Point], fill: Color) -> None:
        """A filled polygon."""
        self._draw.polygon(_large_points(points), fill)

    def line(self, points: Sequence[Point], color: Color, width: float) -> None:
        """A line with round joints and ends."""
        if len(points) < 2:
            return
        self._draw.line(_large_points(points), color, round(width * OVERSAMPLING), joint="curve")
        for end in (points[0], points[-1]):
            self.circle(end, width / 2, color)

    def dashes(self, points: Sequence[Point], color: Color, width: float, on: float = 9, off: float = 7) -> None:
        """A dashed line, in step along the whole of it."""
        for dash in _dashes(points, on, off):
            self._draw.line(_large_points(dash), color, round(width * OVERSAMPLING), joint="curve")

    def text(self, at: Point, text: str, size: float, color: Color, anchor: Anchor = "lm") -> None:
        """Words on top of all shapes; characters the built-in font lacks are replaced."""
        self._words.append(_Words(at, legible(text), size, color, anchor))

    def finish(self) -> Image.Image:
        """The image at its final size."""
        image = self._image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        draw = ImageDraw.Draw(image)
        for words in self._words:
            draw.text(words.at, words.text, words.color, _font(words.size), words.anchor)
        return image


def legible(text: str) -> str:
    """`text` in characters that the built-in font has: accents are dropped, the rest becomes `?`."""
    plain = {"–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "ß": "ss", "×": "x"}
    spelled = unicodedata.normalize("NFKD", "".join(plain.get(c, c) for c in text))
    kept = (c for c in spelled if not unicodedata.combining(c))
    return "".join(c if " " <= c <= "~" or c in "·…°" else " " if c.isspace() else "?" for c in kept)


def text_width(text: str, size: float) -> float:
    """Width of `text` in pixels."""
    return float(_font(size).getlength(legible(text)))


def shortened(text: str, size: float, width: float) -> str:
    """`text`, cut with an ellipsis where it is wider than `width` pixels."""
    if text_width(text, size) <= width:
        return text
    kept = len(text)
    while kept > 0 and text_width(text[:kept].rstrip() + "…", size) > width:
        kept -= 1
    return text[:kept].rstrip() + "…"


def wrapped(text: str, size: float, width: float) -> list[str]:
    """`text` in lines of whole words no wider than `width` pixels, where words allow it."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=size)


def _large(box: Box) -> Box:
    return (box[0] * OVERSAMPLING, box[1] * OVERSAMPLING, box[2] * OVERSAMPLING, box[3] * OVERSAMPLING)


def _large_points(points: Sequence[Point]) -> list[Point]:
    return [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points]


def _dashes(points: Sequence[Point], on: float, off: float) -> Iterator[list[Point]]:
    left, drawing, dash = on, True, list(points[:1])
    for start, end in pairwise(points):
        length, done = math.dist(start, end), 0.0
        while length - done > left:
            done += left
            cut = (start[0] + (end[0] - start[0]) * done / length, start[1] + (end[1] - start[1]) * done / length)
            if drawing:
                yield [*dash, cut]
            drawing, dash = not drawing, [cut]
            left = on if drawing else off
        left -= length - done
        dash.append(end)
    if drawing and len(dash) > 1:
        yield dash
