"""Where the picture's panels and rows lie. Pure; pixels from the upper left corner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from premotor_runtime.app.bench_realtime.lanes import SHOWN_S
from premotor_runtime.app.bench_realtime.settings import TIMING

WIDTH = 1660
"""Twice a README's width, for sharp text."""
_MARGIN, _LABELS = 24, 236
_HEADING, _TICKS, _ROW, _GAP, _BETWEEN = 44, 22, 46, 6, 34
_FOOT = 96


@dataclass(frozen=True)
class Panel:
    """A set-up: its heading from `top`, releases from `ticks`, then `rows` lanes down to `bottom`."""

    top: float
    rows: int
    margin: float = _MARGIN
    left: float = _MARGIN + _LABELS
    right: float = WIDTH - _MARGIN

    @property
    def ticks(self) -> float:
        """Where the releases' ticks begin."""
        return self.top + _HEADING

    @property
    def bottom(self) -> float:
        """The last row's lower edge."""
        return self.row(self.rows - 1)[1]

    @property
    def period(self) -> float:
        """How wide a control period is."""
        return (self.right - self.left) * TIMING.period_s / SHOWN_S

    def row(self, number: int) -> tuple[float, float]:
        """Upper and lower edge of a lane."""
        top = self.ticks + _TICKS + number * (_ROW + _GAP)
        return top, top + _ROW

    def x(self, share: float) -> float:
        """Of a moment, as a share of the shown time; what lies outside is put on the edge."""
        return self.left + min(max(share, 0.0), 1.0) * (self.right - self.left)


@dataclass(frozen=True)
class Layout:
    """All panels, one below the other."""

    width: int
    height: int
    panels: tuple[Panel, ...]


def layout(rows: Sequence[int]) -> Layout:
    """Panels of so many lanes each. Raises ValueError for none."""
    if not rows:
        raise ValueError("a picture needs at least one set-up")
    panels: list[Panel] = []
    top = float(_MARGIN)
    for count in rows:
        panels.append(Panel(top, count))
        top = panels[-1].bottom + _BETWEEN
    return Layout(WIDTH, int(panels[-1].bottom + _FOOT), tuple(panels))
