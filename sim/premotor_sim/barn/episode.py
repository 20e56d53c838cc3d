"""One drive from start to goal: sense, decide, gate, obey, as fast as the machine computes."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.state import Command, Goal
from premotor_planners.motion.window.range_noise import steadied
from premotor_sim.barn.pilot import PERIOD_S, Pilot, gate_for
from premotor_sim.barn.plant import BarnPlant
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.set_up import SetUp
from premotor_sim.barn.world import CylinderWorld, metric

REACHED_M = 1.0
"""BARN's rule: a run has succeeded once the robot is truly this near to the goal."""
AIM_M = 0.15
"""The goal's tolerance for the robot itself, which knows only its odometry."""
_TIMES_OPTIMAL = 8


@dataclass(frozen=True)
class Run:
    """One line of the report; `control_ms` are the times of its control periods, gate included."""

    world: str
    seed: int
    set_up: str
    success: bool
    collided: bool
    timeout: bool
    time_s: float
    metric: float
    control_ms: tuple[float, ...]


def drive(
    world: CylinderWorld, set_up: SetUp, seed: int, robot: BarnRobot, pilot: Pilot, gate: SafetyGate,
    clock: Callable[[], float] = time.perf_counter,
) -> Run:  # fmt: skip
    """Until the goal, the first contact, or 8 times the optimal time, beyond which the metric falls no further."""
    random = np.random.default_rng([seed, zlib.crc32(f"{world.name} {set_up.name}".encode())])
    plant = BarnPlant(world, set_up, robot, random)
    pilot.restart()
    pilot.follow(Goal(*world.goal, tolerance_m=AIM_M))
    sent, times = Command(0.0, 0.0), []
    success = timeout = False
    while not (success or plant.touched or timeout):
        state, scan = plant.sense()
        began = clock()
        decision = pilot.command(state, scan, sent)
        guard = gate_for(gate, pilot.actuation.response)
        behind = pilot.remembered(state, scan)
        sent = guard.check(decision.command, steadied(scan), state, state.stamp_s, remembered=behind).command
        times.append((clock() - began) * 1e3)
        plant.command(sent)
        plant.advance(PERIOD_S)
        success = not plant.touched and math.dist(plant.pose[:2], world.goal) < REACHED_M
        timeout = plant.time_s >= _TIMES_OPTIMAL * world.optimal_s
    timeout = timeout and not success and not plant.touched
    return Run(
        world.name, seed, set_up.name, success, plant.touched, timeout, plant.time_s,
        metric(success, world, plant.time_s), tuple(times),
    )  # fmt: skip
