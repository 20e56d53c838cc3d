"""What is asked of the set-ups. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from premotor_runtime.app.bench_path.section import Line
from premotor_runtime.app.bench_realtime.figures import Figures, SetUpFigures

LATENESS_MS = 1.0
IDLE_TIMES = 1.5
OWN_LANE_SHARE = 0.95
SHARED_LANE_SHARE = 0.85
NAIVE_TIMES = 20.0


def bars(found: Figures) -> list[Line]:
    """One line for each bar whose set-ups were measured."""
    own, shared, naive = (found.set_ups.get(name) for name in ("own_lane", "shared_lane", "naive"))
    lines: list[Line] = []
    if own is not None:
        lines += _own_lane(own, found.idle_lateness_ms.p999)
    if shared is not None:
        lines += _shared_lane(shared)
    if own is not None and naive is not None:
        times = naive.control.response_ms.p99 / own.control.response_ms.p99
        lines.append(
            Line("control response, p99, naive against own lane", f"{times:.0f}x", f">= {NAIVE_TIMES:g}x",
                 times >= NAIVE_TIMES)
        )  # fmt: skip
    return lines


def free_share(cpu_share: float) -> float:
    """What control leaves of a core."""
    return max(0.0, 1.0 - cpu_share)


def _own_lane(own: SetUpFigures, idle_ms: float) -> Iterator[Line]:
    yield _misses("own lane", own)
    late, most = own.control.lateness_ms.p999, max(LATENESS_MS, IDLE_TIMES * idle_ms)
    limit = f"<= {LATENESS_MS:g} ms, or {IDLE_TIMES:g}x an idle loop's {idle_ms:.2f}"
    yield Line("own lane: wake-up lateness, p99.9", f"{late:.2f} ms", limit, late <= most)
    share = own.llm_share
    yield Line("own lane: LLM rate of that alone", f"{share:.1%}", f">= {OWN_LANE_SHARE:.0%}", share >= OWN_LANE_SHARE)


def _shared_lane(shared: SetUpFigures) -> Iterator[Line]:
    yield _misses("shared lane", shared)
    free = free_share(shared.cpu_share or 0.0)
    share = shared.llm_share / free if free > 0 else 0.0
    measure = f"shared lane: LLM rate of what control leaves, {free:.0%} of the core"
    yield Line(measure, f"{share:.1%}", f">= {SHARED_LANE_SHARE:.0%}", share >= SHARED_LANE_SHARE)


def _misses(name: str, found: SetUpFigures) -> Line:
    control = found.control
    return Line(f"{name}: deadlines missed", f"{control.misses} of {control.periods:,}", "0", control.misses == 0)
