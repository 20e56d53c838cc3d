"""One second of lanes for each set-up as a PNG: who holds the core, each release, each missed one red."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from premotor_runtime.app.bench_realtime.lanes import CONTROL, LLM, MISS, SHOWN_S, Second
from premotor_runtime.app.bench_realtime.picture_layout import Panel, layout
from premotor_runtime.app.bench_realtime.report import TITLES
from premotor_runtime.executor.records import Instant, Span

_PAPER, _INK, _PALE, _GRID = (255, 255, 255), (30, 33, 40), (110, 116, 128), (228, 231, 236)
_ROW = (244, 245, 248)
_COLOURS = {CONTROL: (20, 110, 60), LLM: (240, 178, 72)}
_MISSED, _MISSED_PALE = (205, 40, 40), (250, 222, 220)
_TITLE, _LABEL = 30, 24
_TICK = 16


def write_picture(seconds: Sequence[Second], found: Mapping[str, Any], path: Path) -> None:
    """`found` is the report whose set-ups are shown. Raises OSError."""
    plan = layout([len(second.rows) for second in seconds])
    image = Image.new("RGB", (plan.width, plan.height), _PAPER)
    pen = ImageDraw.Draw(image)
    for panel, second in zip(plan.panels, seconds, strict=True):
        _heading(pen, panel, second, found["setups"][second.name])
        _lanes(pen, panel, second)
    _axis(pen, plan.panels[-1])
    _legend(pen, plan.panels[0].left, plan.height - 22)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def _heading(pen: ImageDraw.ImageDraw, panel: Panel, second: Second, found: Mapping[str, Any]) -> None:
    title = TITLES[second.name]
    pen.text((panel.margin, panel.top), title, fill=_INK, font=_font(_TITLE), anchor="lt")
    missed = f"{found['misses']:,} of {found['periods']:,} deadlines missed"
    rest = f"   response p99 {_milliseconds(found['response_ms']['p99'])}   LLM {found['llm_tok_s']:.0f} tok/s"
    font = _font(_LABEL)
    right, y = panel.right, panel.top + 3
    pen.text((right, y), rest, fill=_INK, font=font, anchor="rt")
    colour = _MISSED if found["misses"] else _COLOURS[CONTROL]
    pen.text((right - pen.textlength(rest, font=font), y), missed, fill=colour, font=font, anchor="rt")


def _lanes(pen: ImageDraw.ImageDraw, panel: Panel, second: Second) -> None:
    for number, row in enumerate(second.rows):
        top, bottom = panel.row(number)
        pen.rectangle((panel.left, top, panel.right, bottom), fill=_ROW)
        pen.text((panel.left - 12, (top + bottom) / 2), row, fill=_PALE, font=_font(_LABEL), anchor="rm")
    instants = [each for each in second.records if isinstance(each, Instant)]
    _missed_bands(pen, panel, second, instants)
    for name in (LLM, CONTROL):  # control lies above: where both claim a core, it has it
        _spans(pen, panel, second, name)
    for instant in instants:
        x = panel.x((instant.at_s - second.start_s) / SHOWN_S)
        colour, width = (_MISSED, 5) if instant.name == MISS else (_INK, 2)
        pen.line((x, panel.ticks, x, panel.ticks + _TICK), fill=colour, width=width)


def _spans(pen: ImageDraw.ImageDraw, panel: Panel, second: Second, name: str) -> None:
    for each in second.records:
        if isinstance(each, Span) and each.name == name:
            top, bottom = panel.row(second.rows.index(each.lane))
            left, right = (panel.x((at - second.start_s) / SHOWN_S) for at in (each.start_s, each.end_s))
            pen.rectangle((left, top + 4, max(left + 1, right - 1), bottom - 4), fill=_COLOURS[name])


def _missed_bands(pen: ImageDraw.ImageDraw, panel: Panel, second: Second, instants: Sequence[Instant]) -> None:
    """Behind the bars of control's row, from each missed release to the next one."""
    top, bottom = panel.row(0)
    for instant in instants:
        if instant.name == MISS:
            left = panel.x((instant.at_s - second.start_s) / SHOWN_S)
            pen.rectangle((left, top, min(panel.right, left + panel.period), bottom), fill=_MISSED_PALE)


def _axis(pen: ImageDraw.ImageDraw, panel: Panel) -> None:
    for tenth in range(0, 11, 2):
        x = panel.x(tenth / 10)
        pen.line((x, panel.bottom, x, panel.bottom + 8), fill=_PALE, width=2)
        text = f"{tenth * 100 * SHOWN_S:g} ms" if tenth == 10 else f"{tenth * 100 * SHOWN_S:g}"
        pen.text((x, panel.bottom + 14), text, fill=_PALE, font=_font(_LABEL), anchor="rt" if tenth == 10 else "mt")


def _legend(pen: ImageDraw.ImageDraw, x: float, y: float) -> None:
    entries = (
        ("control, 50 times a second", _COLOURS[CONTROL]), ("a step of the language model", _COLOURS[LLM]),
        ("deadline missed", _MISSED),
    )  # fmt: skip
    for text, colour in entries:
        pen.rectangle((x, y - 10, x + 26, y + 10), fill=colour)
        pen.text((x + 38, y), text, fill=_INK, font=_font(_LABEL), anchor="lm")
        x += 38 + pen.textlength(text, font=_font(_LABEL)) + 44


def _milliseconds(value: float) -> str:
    return f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
