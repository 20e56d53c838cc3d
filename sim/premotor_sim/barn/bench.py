"""All runs of the benchmark, in order, by one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_sim.barn.dense import DenseWorlds, dense_kernel
from premotor_sim.barn.episode import Run, drive
from premotor_sim.barn.given import load_barn
from premotor_sim.barn.pilot import ControllerName, build_gate, build_pilot
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.set_up import BARN_SET_UPS, DENSE_SET_UPS, SetUp
from premotor_sim.barn.world import CylinderWorld

Kind = Literal["barn", "dense"]
DENSE_WORLDS = 20
SET_UPS: dict[str, tuple[SetUp, ...]] = {"barn": BARN_SET_UPS, "dense": DENSE_SET_UPS}


@dataclass(frozen=True)
class Plan:
    """What is to be run: `runs` drives a world, set-up and controller, with seeds from `seed` on."""

    kind: Kind
    worlds: tuple[CylinderWorld, ...]
    set_ups: tuple[SetUp, ...]
    controllers: tuple[ControllerName, ...]
    runs: int
    seed: int

    @property
    def count(self) -> int:
        """Drives in all."""
        return len(self.worlds) * len(self.set_ups) * len(self.controllers) * self.runs


def worlds_of(kind: Kind, data: Path | None, seed: int, count: int = DENSE_WORLDS) -> tuple[CylinderWorld, ...]:
    """The given worlds, or generated ones. Raises SimulationError."""
    if kind == "barn":
        assert data is not None
        return load_barn(data)
    kernel = dense_kernel()
    dense = DenseWorlds(kernel, CpuDevice(threads=1).compile(kernel))
    return tuple(dense.make(seed, number) for number in range(count))


def run_plan(plan: Plan, advance: Callable[[str], None]) -> dict[str, list[Run]]:
    """Runs by controller; `advance` is called after each with what it was."""
    return {name: list(_runs_of(plan, name, advance)) for name in plan.controllers}


def _runs_of(plan: Plan, name: ControllerName, advance: Callable[[str], None]) -> Iterator[Run]:
    robot = BarnRobot()
    pilot, gate = build_pilot(name, robot, seed=0), build_gate(robot)
    for set_up in plan.set_ups:
        for world in plan.worlds:
            for number in range(plan.runs):
                run = drive(world, set_up, plan.seed + number, robot, pilot, gate)
                advance(f"{name}, {set_up.name}, {world.name}")
                yield run


def chosen(names: Sequence[str], kind: Kind) -> tuple[SetUp, ...]:
    """Set-ups by name, all for none named. Raises KeyError for one that is not of this kind of world."""
    known = {set_up.name: set_up for set_up in SET_UPS[kind]}
    return tuple(known[name] for name in names) if names else tuple(known.values())
