"""The reflex's own code drives the simulated house in virtual time: same loop, same gate, no waiting."""

from __future__ import annotations

import pytest

from premotor_foundation.locations import named_config
from premotor_planners.task.plan import Dock, NavigateTo, Pick, PlaceObject, Plan
from premotor_runtime.app.driver import Motion
from premotor_runtime.app.executive import Executive
from premotor_runtime.app.motion_kit import build_motion, read_surroundings
from premotor_runtime.app.motion_task import MotionTask
from premotor_runtime.app.settings import load_settings
from premotor_runtime.executor.clock import VirtualClock
from premotor_runtime.executor.control_loop import ControlLoop
from premotor_runtime.executor.lane import InlineLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.executor.robot import Observation
from premotor_sim.house_plant import HousePlant
from premotor_sim.plant import MujocoPlant

FETCH = Plan(
    (
        NavigateTo("kitchen counter"),
        Pick("red mug"),
        NavigateTo("study desk"),
        PlaceObject("red mug", "study desk"),
    ),
    "llm",
)


class MissionTask(MotionTask):
    """Ends when the plan is over, and can lose scans or take long to decide."""

    plant: MujocoPlant
    clock: VirtualClock
    slow_from_s = float("inf")
    limit_s = 120.0

    def sense(self, elapsed_s: float) -> Observation:
        observation = super().sense(elapsed_s)
        assert self.executive is not None
        self.ended = self.executive.finished or observation.stamp_s > self.limit_s
        return observation

    def decide(self, observation: Observation, level: int = 0) -> Motion:
        self.clock.spend(0.3 if observation.stamp_s >= self.slow_from_s else 0.01)
        return super().decide(observation, level)


def mission(plan: Plan, seed: int) -> tuple[MissionTask, MujocoPlant, ControlLoop, PeriodLog]:
    settings = load_settings(named_config("", "laptop"))
    surroundings = read_surroundings(named_config("worlds", "house"), settings)
    plant = HousePlant(surroundings.world, surroundings.robot, seed)()
    kit = build_motion(surroundings, seed)
    clock = VirtualClock()
    task = MissionTask(plant, kit, clock)
    task.plant, task.clock = plant, clock
    task.executive = Executive(plan, kit.goal_of, "dock")
    log = PeriodLog()
    loop = ControlLoop(task, InlineLane(clock), settings.control, settings.miss_policy, clock, log)
    return task, plant, loop, log


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_the_mug_reaches_the_desk_without_a_collision_or_a_miss(seed: int) -> None:
    task, plant, loop, log = mission(FETCH, seed)
    loop.run()
    assert task.executive is not None and task.executive.succeeded, task.executive.records
    assert plant.object_places()["red mug"] == "study desk"
    assert plant.collisions == ()
    assert log.misses == 0
    assert plant.time_s < 60.0


def test_equal_seeds_drive_the_same_way() -> None:
    ways = []
    for _ in range(2):
        task, _, loop, _ = mission(Plan((Dock(),), "llm"), 7)
        loop.run()
        ways.append(task.driven)
    assert ways[0] == ways[1]
    assert len(ways[0]) > 50


def test_a_silent_lidar_stops_the_robot_and_it_goes_on_when_scans_return() -> None:
    task, plant, loop, _ = mission(FETCH, 0)
    plant.faults.drop_scans(4.0, 3.0)
    speeds: list[tuple[float, float]] = []
    command = plant.command

    def spy(v: float, w: float) -> None:
        speeds.append((plant.time_s, v))
        command(v, w)

    plant.command = spy  # type: ignore[method-assign]
    loop.run()
    silent = [v for at, v in speeds if 4.6 < at < 6.9]
    assert silent and set(silent) == {0.0}
    assert task.executive is not None and task.executive.succeeded
    assert plant.collisions == ()


def test_a_controller_that_hangs_is_braked_and_never_collides() -> None:
    task, plant, loop, log = mission(FETCH, 0)
    task.slow_from_s, task.limit_s = 5.0, 9.0
    loop.run()
    assert log.misses > 20
    assert plant.collisions == ()
    assert abs(plant.sense().v) < 0.05
