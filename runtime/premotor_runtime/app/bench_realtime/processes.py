"""Starts the processes of the set-ups, has them run their slices in turn, and collects what they found."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection
from typing import TypeAlias

from premotor_foundation.errors import EXIT_FAILED, PremotorError
from premotor_runtime.app.bench_realtime import set_ups
from premotor_runtime.app.bench_realtime.messages import Collect, Found, Ready, RunSlice, SliceDone
from premotor_runtime.app.bench_realtime.set_ups import SHARED, Part
from premotor_runtime.app.bench_realtime.settings import TIMING, RealtimeSettings
from premotor_runtime.app.bench_realtime.slices import Measured, Slice
from premotor_runtime.app.child import Child
from premotor_runtime.app.messages import Failed, Shutdown
from premotor_runtime.processes.board import OwnedBoard
from premotor_runtime.processes.layout import BoardLayout

Make: TypeAlias = Callable[[RealtimeSettings, str], Part]
_PARTS: Mapping[Measured, Mapping[str, Make]] = {
    "naive": {"whole": set_ups.naive},
    "threads": {"whole": set_ups.threads},
    "own_lane": {
        "reflex": set_ups.reflex_beside,
        "brain": set_ups.brain_alone,
        "witness": set_ups.witness_beside,
        "awake": set_ups.awake_beside,
    },
    "shared_lane": {
        "reflex": set_ups.reflex_sharing,
        "brain": set_ups.brain_sharing,
        "witness": set_ups.witness_sharing,
    },
    "llm_alone": {"brain": set_ups.brain_alone},
    "idle": {"reflex": set_ups.idle, "awake": set_ups.awake_beside},
}
_LOAD_S = 300.0
_LATE_S = 60.0
_LEAD_S = 0.4
"""From the order to the first release."""


def run_slices(
    settings: RealtimeSettings, order: Sequence[Slice], advance: Callable[[Slice], None]
) -> dict[Measured, dict[str, tuple[Ready, Found]]]:
    """Each set-up of `order` with what its processes were given and found, by `whole`, `reflex`, `brain`.

    Raises ProcessFailed when one of them ends, hangs or cannot go on.
    """
    names = dict.fromkeys(each.measured for each in order)
    with ExitStack() as stack:
        board = stack.enter_context(OwnedBoard(BoardLayout(lanes=(SHARED,)))).name
        children = {
            name: {
                part: stack.enter_context(Child(f"{name} {part}", main, (make, settings, board)))
                for part, make in _PARTS[name].items()
            }
            for name in names
        }
        ready = {
            name: {part: child.expect(Ready, _LOAD_S) for part, child in parts.items()}
            for name, parts in children.items()
        }
        for each in order:
            _run(each, children[each.measured].values())
            advance(each)
        return {
            name: {part: (ready[name][part], _collected(child)) for part, child in parts.items()}
            for name, parts in children.items()
        }


def _run(part: Slice, children: Collection[Child]) -> None:
    start_s = time.monotonic() + _LEAD_S
    for child in children:
        child.send(RunSlice(start_s, part.releases, part.counted))
    for child in children:
        child.expect(SliceDone, _LEAD_S + part.releases * TIMING.period_s + _LATE_S)


def _collected(child: Child) -> Found:
    child.send(Collect())
    found: Found = child.expect(Found, _LATE_S)
    return found


def main(pipe: Connection, make: Make, settings: RealtimeSettings, board: str) -> None:
    """Entry of a process. Interrupts are the benchmark's to handle; when that is gone, the process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _serve(pipe, make(settings, board))
    except (EOFError, BrokenPipeError):
        return
    except PremotorError as error:
        pipe.send(Failed(str(error), error.exit_code))
    except Exception:
        pipe.send(Failed(f"a process of the benchmark failed:\n{traceback.format_exc()}", EXIT_FAILED))


def _serve(pipe: Connection, part: Part) -> None:
    pipe.send(part.ready)
    while not isinstance(order := pipe.recv(), Shutdown):
        if isinstance(order, RunSlice):
            part.run(order)
            pipe.send(SliceDone())
        else:
            pipe.send(part.found())
