"""Planning without motion: one decomposer in this process, for the commands `plan` and `eval`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.from_world import catalogue_from_world
from premotor_runtime.app.checkpoints import load_planner
from premotor_runtime.app.language_model import EngineLanguageModel
from premotor_runtime.app.motion_kit import read_surroundings
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.clock import MonotonicClock

RULES = "rules"
"""As the name of a model: no language model, the rules plan alone."""


@dataclass(frozen=True)
class PlanningKit:
    """A decomposer; `notice` says so when its model is not the configured one."""

    decomposer: Decomposer
    notice: str


def load_catalogue(world: Path, settings: RuntimeSettings) -> Catalogue:
    """The catalogue of a checked world file; raises ConfigError (exit 2) with file and line."""
    return catalogue_from_world(read_surroundings(world, settings).world)


def load_planning(settings: RuntimeSettings) -> PlanningKit:
    """Load the configured language model; raises CheckpointError (exit 2)."""
    if settings.planner.model == RULES:
        return PlanningKit(Decomposer(None), "")
    chosen = settings.planner
    planner = load_planner(chosen)
    model = EngineLanguageModel(planner, MonotonicClock(), chosen.prefill_chunk_tokens, chosen.draft_tokens)
    return PlanningKit(Decomposer(model), planner.notice)
