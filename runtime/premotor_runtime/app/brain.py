"""The brain process: loads the language model, turns words into a plan, a question or a refusal."""

from __future__ import annotations

import os
import signal
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

from premotor_foundation.errors import EXIT_FAILED, PremotorError
from premotor_planners.task.answers.prompt import catalogue_block
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.from_world import catalogue_from_world
from premotor_planners.world.model import World
from premotor_runtime.app.checkpoints import load_planner
from premotor_runtime.app.language_model import EngineLanguageModel
from premotor_runtime.app.messages import BrainReady, Failed, Planned, PlanTask, Shutdown
from premotor_runtime.app.motion_kit import read_surroundings
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.clock import MonotonicClock


def main(pipe: Connection, world: Path, settings: RuntimeSettings) -> None:
    """Entry of the process. Interrupts are the supervisor's to handle; a supervisor that is gone ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _pin(settings.cores.brain)
        _serve(pipe, read_surroundings(world, settings).world, settings)
    except (EOFError, BrokenPipeError):
        return
    except PremotorError as error:
        pipe.send(Failed(str(error), error.exit_code))
    except Exception:
        pipe.send(Failed(f"the brain process failed:\n{traceback.format_exc()}", EXIT_FAILED))


def _serve(pipe: Connection, world: World, settings: RuntimeSettings) -> None:
    clock = MonotonicClock()
    started = clock.now()
    catalogue = catalogue_from_world(world)
    planner = load_planner(settings.planner)
    model = EngineLanguageModel(planner, clock, settings.planner.prefill_chunk_tokens, settings.planner.draft_tokens)
    model.warm(catalogue_block(catalogue))
    decomposer = Decomposer(model)
    pipe.send(BrainReady(model.name, clock.now() - started, planner.notice, planner.runner))
    while not isinstance(order := pipe.recv(), Shutdown):
        if isinstance(order, PlanTask):
            decomposition = decomposer.decompose(order.task, catalogue)
            pipe.send(Planned(decomposition, tuple(model.records)))
            model.records.clear()


def _pin(core: int | None) -> None:
    if core is not None and core in os.sched_getaffinity(0):
        os.sched_setaffinity(0, {core})
