"""How much a lane slows down while others use the memory that all share.

Slowdowns are in thousandths (1130: it takes 1.13 times as long). They grow with a lane's own demand and with that of
all others, so that the sum of the largest demands of the other lanes bounds every real situation.
"""

from __future__ import annotations

from dataclasses import dataclass

from premotor_accelerators.boards import Board, PowerMode
from premotor_runtime.scheduler.errors import BadTask

ALONE = 1000
_DEVICE_SENSITIVITY = {"tensorrt": 1140, "cuda": 1140, "dla": 1710, "cpu": 1140}
"""Fitted to NVIDIA/TensorRT#2745 (Orin, GPU 45 ms beside DLA 17 ms); a CPU core is taken to suffer as a GPU does."""


@dataclass(frozen=True)
class Sensitivity:
    """Slowdown beyond 1, in thousandths, of a lane that alone would use all bandwidth beside others that would, too."""

    lane: str
    milli: int


@dataclass(frozen=True)
class Contention:
    """Of one power mode and memory clock. `capacity_mbps` is the bandwidth (MB/s); 0: lanes do not disturb each other.

    slowdown = max(1 + sensitivity * own * others, own + others), demands as shares of the capacity; the second term is
    a memory that is asked for more than it has.
    """

    capacity_mbps: int = 0
    sensitivities: tuple[Sensitivity, ...] = ()

    def __post_init__(self) -> None:
        if self.capacity_mbps < 0 or any(each.milli < 0 for each in self.sensitivities):
            raise BadTask("contention: bandwidth and sensitivities must not be negative")

    def sensitivity_milli(self, lane: str) -> int:
        """Of `lane`; 0 where none is given."""
        return next((each.milli for each in self.sensitivities if each.lane == lane), 0)

    def slowdown_milli(self, lane: str, own_mbps: int, others_mbps: int) -> int:
        """Of a lane that draws `own_mbps` while the others together draw `others_mbps`; rounded up."""
        return slowdown_milli(self.capacity_mbps, self.sensitivity_milli(lane), own_mbps, others_mbps)


def slowdown_milli(capacity_mbps: int, sensitivity_milli: int, own_mbps: int, others_mbps: int) -> int:
    """See `Contention`."""
    if not capacity_mbps or not own_mbps or not others_mbps:
        return ALONE
    disturbed = ALONE - (-sensitivity_milli * own_mbps * others_mbps // capacity_mbps**2)
    return max(disturbed, -(-ALONE * (own_mbps + others_mbps) // capacity_mbps))


def contention_of(board: Board, mode: PowerMode | None = None, memory_mhz: float | None = None) -> Contention:
    """For a board in a power mode, its memory clock capped to `memory_mhz` (the lower of that and the mode's).

    A board whose memory is not described has none: then profiles must be taken under load.
    """
    if board.memory is None:
        return Contention()
    caps = [board.memory.clock_mhz, mode.memory_mhz if mode else None, memory_mhz]
    clock = min(cap for cap in caps if cap is not None)
    capacity = int(1000 * board.memory.gbps * clock / board.memory.clock_mhz)
    return Contention(capacity, tuple(Sensitivity(lane.name, _DEVICE_SENSITIVITY[lane.device]) for lane in board.lanes))
