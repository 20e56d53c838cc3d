"""The sections of `premotor bench path` by name; each is given the number of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from premotor_foundation.errors import UsageError
from premotor_runtime.app.bench_path.against_onnxruntime import cost_to_go_section, cspace_section
from premotor_runtime.app.bench_path.constant_time import constant_time_section
from premotor_runtime.app.bench_path.movingai import movingai_section
from premotor_runtime.app.bench_path.mppi import mppi_section
from premotor_runtime.app.bench_path.section import Section

SECTIONS: dict[str, Callable[[int], Section]] = {
    "cost_to_go": cost_to_go_section,
    "cspace": cspace_section,
    "constant_time": constant_time_section,
    "mppi": mppi_section,
}


MOVINGAI = "movingai"


def chosen_sections(
    only: Sequence[str], data: Path | None = None, most_queries: int | None = None
) -> dict[str, Callable[[int], Section]]:
    """Those named, or all; `movingai` with data only. Raises UsageError for a name that is none of them."""
    known = dict(SECTIONS)
    if data is not None:
        known[MOVINGAI] = partial(movingai_section, folder=data, most_queries=most_queries)
    for name in only:
        if name == MOVINGAI and data is None:
            raise UsageError(f"`--only {MOVINGAI}` needs maps; name their folder with --data")
        if name not in known:
            raise UsageError(f"there is no section `{name}`; known: {', '.join([*SECTIONS, MOVINGAI])}")
    return {name: section for name, section in known.items() if not only or name in only}
