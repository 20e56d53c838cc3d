"""Which processor core the reflex and the brain run on, and whether it is the same one. Pure."""

from __future__ import annotations

from premotor_runtime.app.settings import Cores
from premotor_runtime.processes.layout import BoardLayout

LANE = "core"
"""The board's only lane in a mission on the CPU: the core of the reflex."""
LAYOUT = BoardLayout((LANE,))


def share_a_core(cores: Cores, usable: frozenset[int]) -> bool:
    """Whether both run on one core: pinned to the same one, or there is no other. A core not in `usable` is no pin."""
    if len(usable) == 1:
        return True
    return cores.reflex is not None and cores.reflex == cores.brain and cores.reflex in usable


def core_to_keep_awake(cores: Cores, usable: frozenset[int]) -> int | None:
    """The reflex's, where that is wanted and it has it for itself; else None."""
    return cores.reflex if cores.keep_awake and not share_a_core(cores, usable) else None


def cores_left(cores: Cores, usable: frozenset[int]) -> frozenset[int]:
    """Where everything but the reflex may run: off its core, where there is another."""
    return usable - {cores.reflex} or usable
