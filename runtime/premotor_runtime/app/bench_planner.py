"""The planner's model with the runner that is to be measured."""

from __future__ import annotations

from importlib.util import find_spec

from premotor_runtime.app.checkpoints import EMBEDDED, PACKAGE, PlannerModel, default_adapter, embedded_checkpoint
from premotor_runtime.app.settings import PlannerSettings
from premotor_runtime.models.registry import PRETRAINED, load_model
from premotor_runtime.runners.native.choice import RunnerChoice, RunnerName

_BLOCK_SIZE = 16


def bench_planner(settings: PlannerSettings, runner: RunnerName) -> PlannerModel:
    """The pretrained planner with its adapter, or the embedded model where that package is missing.

    Raises CheckpointError, and BuildError for a native runner that cannot be built.
    """
    blocks = -(-settings.kv_tokens // _BLOCK_SIZE)
    make = RunnerChoice(runner)
    if find_spec(PACKAGE) is None:
        return PlannerModel(EMBEDDED, load_model(embedded_checkpoint(), None, blocks, make_runner=make))
    return PlannerModel(PRETRAINED, load_model(PRETRAINED, default_adapter(), blocks, make_runner=make))
