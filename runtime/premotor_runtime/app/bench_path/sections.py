"""The sections of `premotor bench path` by name; each is given the number of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from premotor_foundation.errors import UsageError
from premotor_runtime.app.bench_path.against_onnxruntime import cost_to_go_section, cspace_section
from premotor_runtime.app.bench_path.constant_time import constant_time_section
from premotor_runtime.app.bench_path.mppi import mppi_section
from premotor_runtime.app.bench_path.section import Section

SECTIONS: dict[str, Callable[[int], Section]] = {
    "cost_to_go": cost_to_go_section,
    "cspace": cspace_section,
    "constant_time": constant_time_section,
    "mppi": mppi_section,
}


def chosen_sections(only: Sequence[str]) -> dict[str, Callable[[int], Section]]:
    """Those named, or all. Raises UsageError for a name that is none of them."""
    for name in only:
        if name not in SECTIONS:
            raise UsageError(f"there is no section `{name}`; known: {', '.join(SECTIONS)}")
    return {name: section for name, section in SECTIONS.items() if not only or name in only}
