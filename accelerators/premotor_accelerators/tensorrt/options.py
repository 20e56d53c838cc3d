"""What an engine is built for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from premotor_accelerators.protocol import Precision

RTX_CAPABILITIES = ("7.5", "8.0", "8.6", "8.9", "12.0", "12.1")
RECIPE = "1"
"""Raised whenever this package builds differently from the same options, so that older engines no longer hit."""


@dataclass(frozen=True)
class BuildOptions:
    """Options of a build; all of them are part of an engine's key.

    `unit` is where every layer has to run. `dla_core` is the core an engine is pinned to, with unit dla.
    `compute_capability` names a GPU that is not here, such as `8.6`: TensorRT-RTX only; None is the GPU present.
    `level` is the builder's optimization level, 0 to 5; `workspace_mib` bounds its scratch memory.
    """

    precision: Precision = "fp16"
    unit: Literal["gpu", "dla"] = "gpu"
    dla_core: int | None = None
    compute_capability: str | None = None
    level: int = 3
    workspace_mib: int = 256

    def __post_init__(self) -> None:
        if (self.unit == "dla") != (self.dla_core is not None):
            raise ValueError("`dla_core` belongs to unit dla, and only there")
        if self.compute_capability not in (None, *RTX_CAPABILITIES):
            raise ValueError(f"compute capability {self.compute_capability}; allowed: {', '.join(RTX_CAPABILITIES)}")
        if not 0 <= self.level <= 5 or self.workspace_mib < 1:
            raise ValueError(f"{self}: `level` is 0 to 5 and `workspace_mib` at least 1")

    def flags(self) -> dict[str, str]:
        """As text, for the key."""
        return {
            "recipe": RECIPE,
            "unit": self.unit,
            "dla_core": str(self.dla_core),
            "level": str(self.level),
            "workspace_mib": str(self.workspace_mib),
        }
