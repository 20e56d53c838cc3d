"""What is done once before the trials, so that each start-up finds the same caches."""

from __future__ import annotations

import os

from premotor_foundation.locations import named_config
from premotor_runtime.app.bench_faults import busy_brain
from premotor_runtime.app.bench_faults.busy_brain import BusyBrain
from premotor_runtime.app.bench_faults.settings import FaultSettings
from premotor_runtime.app.child import Child
from premotor_runtime.app.core_sharing import LAYOUT
from premotor_runtime.app.messages import BrainReady
from premotor_runtime.bench.weights import hf_folder, shape
from premotor_runtime.processes.board import OwnedBoard
from premotor_runtime.processes.output_pump import PassedOn

_FIRST_START_TIMEOUT_S = 600.0


def settings_for(model: str, seed: int) -> FaultSettings:
    """On the first two cores that may be used, or on the only one. Raises UsageError for an unknown model."""
    cores = sorted(os.sched_getaffinity(0))
    brain, reflex = (cores[0], cores[1]) if len(cores) > 1 else (None, None)
    weights = hf_folder(model, shape(model))
    return FaultSettings(weights, model, reflex, brain, world=named_config("worlds", "house"), seed=seed)


def warm_up(settings: FaultSettings) -> None:
    """Start the brain once and end it: the native runner is built, the weights are in memory. Raises ProcessFailed."""
    spec = BusyBrain(settings.weights, settings.brain_core, settings.runner)
    with (
        OwnedBoard(LAYOUT) as board,
        Child("brain", busy_brain.main, (spec, board.name, False), PassedOn("brain")) as brain,
    ):
        brain.expect(BrainReady, _FIRST_START_TIMEOUT_S)
