"""The brain process: loads the language model, turns words into a plan, a question or a refusal."""

from __future__ import annotations

import os
import signal
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

from premotor_foundation.errors import EXIT_FAILED, PremotorError
from premotor_planners.task.answers.prompt import catalogue_block
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.from_world import catalogue_from_world
from premotor_planners.world.model import World
from premotor_runtime.app.checkpoints import load_planner
from premotor_runtime.app.core_sharing import LANE
from premotor_runtime.app.language_model import EngineLanguageModel
from premotor_runtime.app.messages import BrainReady, Failed, Planned, PlanTask, Shutdown
from premotor_runtime.app.motion_kit import read_surroundings
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.processes.board import Board
from premotor_runtime.processes.heartbeats import Phase
from premotor_runtime.processes.memory_use import be_first_to_go
from premotor_runtime.processes.pacing import StepPacer

IDLE_BEAT_S = 0.5


def main(pipe: Connection, world: Path, settings: RuntimeSettings, board_name: str, shares_core: bool) -> None:
    """Entry of the process. Interrupts are the supervisor's to handle; a supervisor that is gone ends it.

    With `shares_core` its steps keep out of the way of the reflex, whose releases are on the board.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    be_first_to_go()
    try:
        _pin(settings.cores.brain)
        with Board(board_name) as board:
            pacer = pacer_on(board, shares_core)
            pacer.beat(Phase.STARTING)
            _serve(pipe, read_surroundings(world, settings).world, settings, pacer)
    except (EOFError, BrokenPipeError):
        return
    except PremotorError as error:
        pipe.send(Failed(str(error), error.exit_code))
    except Exception:
        pipe.send(Failed(f"the brain process failed:\n{traceback.format_exc()}", EXIT_FAILED))


def pacer_on(board: Board, shares_core: bool) -> StepPacer:
    """For steps on the core of the reflex, or on one of the brain's own."""
    forecasts = board.forecast_reader(LANE) if shares_core else None
    if shares_core:
        os.nice(19)  # whatever is not a step, and the short looks at the board, give way to the reflex too
    return StepPacer(forecasts, board.heartbeat_writer("brain"), board.step_writer(), time.monotonic_ns, time.sleep)


def _serve(pipe: Connection, world: World, settings: RuntimeSettings, pacer: StepPacer) -> None:
    clock = MonotonicClock()
    started = clock.now()
    catalogue = catalogue_from_world(world)
    planner = load_planner(settings.planner)
    chosen = settings.planner
    model = EngineLanguageModel(planner, clock, chosen.prefill_chunk_tokens, chosen.draft_tokens, pacer)
    model.warm(catalogue_block(catalogue))
    decomposer = Decomposer(model)
    pipe.send(BrainReady(model.name, clock.now() - started, planner.notice, planner.runner))
    while not isinstance(order := _next_order(pipe, pacer), Shutdown):
        if isinstance(order, PlanTask):
            decomposition = decomposer.decompose(order.task, catalogue)
            pipe.send(Planned(decomposition, tuple(model.records)))
            model.records.clear()


def _next_order(pipe: Connection, pacer: StepPacer) -> object:
    while not pipe.poll(IDLE_BEAT_S):
        pacer.beat()
    return pipe.recv()


def _pin(core: int | None) -> None:
    if core is not None and core in os.sched_getaffinity(0):
        os.sched_setaffinity(0, {core})
