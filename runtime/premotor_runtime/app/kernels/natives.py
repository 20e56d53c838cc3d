"""Everything native beside the language model, compiled ahead of its first use: kernels, maps, planning."""

from __future__ import annotations

from collections.abc import Iterator

from premotor_accelerators.protocol import HasNative
from premotor_planners.costmap.native.library import build_costmap
from premotor_planners.planning.native.library import build_planning
from premotor_planners.se2.native.library import build_se2
from premotor_runtime.app.kernels.catalogue import KERNELS, kernel_named

_LIBRARIES = {"costmap": build_costmap, "planning": build_planning, "se2": build_se2}


def build_natives() -> Iterator[str]:
    """Compile each kernel that has a native version, and what plans paths; a line for each.

    Raises BuildError without a compiler.
    """
    for name in KERNELS:
        kernel = kernel_named(name)
        if isinstance(kernel, HasNative):
            yield f"kernel    {name}: {kernel.native().description}"
    for name, build in _LIBRARIES.items():
        yield f"library   {name}: {build()}"
