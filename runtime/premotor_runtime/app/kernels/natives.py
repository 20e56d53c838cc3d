"""The kernels' native versions, compiled ahead of their first use."""

from __future__ import annotations

from collections.abc import Iterator

from premotor_accelerators.protocol import HasNative
from premotor_runtime.app.kernels.catalogue import KERNELS, kernel_named


def build_natives() -> Iterator[str]:
    """Compile each kernel that has a native version; a line for each. Raises BuildError without a compiler."""
    for name in KERNELS:
        kernel = kernel_named(name)
        if isinstance(kernel, HasNative):
            yield f"kernel    {name}: {kernel.native().description}"
