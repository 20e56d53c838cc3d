"""For what a model is checked: board, precision, TensorRT."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal, cast

from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_accelerators.dla.sources import LAYERS, MODULES
from premotor_accelerators.dla.versions import Gate, gate, parse_version
from premotor_foundation.errors import UsageError

DlaPrecision = Literal["fp16", "int8"]
_PRECISIONS = ("fp32", "fp16", "int8", "bf16", "fp8", "int4")


@dataclass(frozen=True)
class Module:
    """A Jetson module as far as DLA goes."""

    name: str
    dla_cores: int
    family: Literal["agx_orin", "orin_nx", "orin_nano", "thor"]


MODULES_KNOWN = (
    Module("agx_orin_64", 2, "agx_orin"),
    Module("agx_orin_32", 2, "agx_orin"),
    Module("orin_nx_16", 2, "orin_nx"),
    Module("orin_nx_8", 1, "orin_nx"),
    Module("orin_nano_8", 0, "orin_nano"),
    Module("orin_nano_4", 0, "orin_nano"),
    Module("thor", 0, "thor"),
)
"""From the module data sheets. Some guides give Orin Nano a DLA core; it has none."""
_SHORT = {"agx_orin": "agx_orin_64", "orin_nx": "orin_nx_16", "orin_nano": "orin_nano_8", "agx_thor": "thor"}


@dataclass(frozen=True)
class Target:
    """Board, precision and TensorRT for which a DLA engine can be built, or may be (see `gate`)."""

    module: Module
    precision: DlaPrecision
    version: tuple[int, ...]
    gate: Gate

    @property
    def bytes_per_value(self) -> int:
        """1 for int8, 2 for fp16."""
        return 1 if self.precision == "int8" else 2

    @property
    def tensorrt(self) -> str:
        """The version as text."""
        return ".".join(map(str, self.version))


def make_target(board: str = "agx_orin_64", precision: str = "fp16", tensorrt: str = "10.3") -> Target:
    """The target, once it is known that something can be built for it.

    Raises UsageError for a board, precision or version that does not exist, DlaUnavailable for one without DLA.
    """
    module = _module(board)
    if precision not in _PRECISIONS:
        raise UsageError(f"the precision is `{precision}`; give fp16 or int8")
    version = parse_version(tensorrt)
    if module.dla_cores == 0:
        raise DlaUnavailable(
            "no-dla-core", f"{module.name} has no DLA core", "check for agx_orin_64 or orin_nx_16", MODULES
        )
    if precision not in ("fp16", "int8"):
        raise DlaUnavailable(
            "dla-precision", f"DLA computes fp16 and int8, never {precision}", "give --precision fp16 or int8", LAYERS
        )
    return Target(module, cast(DlaPrecision, precision), version, gate(version, module.family))


def _module(name: str) -> Module:
    wanted = _SHORT.get(name, name)
    for module in MODULES_KNOWN:
        if module.name == wanted:
            return module
    names = [module.name for module in MODULES_KNOWN]
    close = difflib.get_close_matches(name, [*names, *_SHORT], 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise UsageError(f"the board is `{name}`; known are {', '.join(names)}{hint}")
