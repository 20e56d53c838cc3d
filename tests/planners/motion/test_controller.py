from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from premotor_foundation.errors import ConfigError
from premotor_planners.costmap.costmap import Costmap
from premotor_planners.costmap.errors import FootprintError
from premotor_planners.costmap.values import LETHAL
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.tensor import ReferenceRun
from premotor_planners.maps.distance import distance_to_obstacles
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.controller import Controller
from premotor_planners.motion.footprint import Disc
from premotor_planners.motion.goal_guide import cropped
from premotor_planners.motion.imagined_drive import ImaginedDrive
from premotor_planners.motion.local_obstacles import clearance_of, costmap_for
from premotor_planners.motion.progress import Progress
from premotor_planners.motion.robot import RobotParameters, load_robot
from premotor_planners.motion.rollouts import mppi_for
from premotor_planners.motion.route import Route
from premotor_planners.motion.routing import GoalFields, Router
from premotor_planners.motion.state import Command, Goal, LaserScan, RobotState
from premotor_planners.motion.turning import braking_sequence, shifted, turning_sequence

ROBOT = RobotParameters("r", 0.22, 0.25, 0.8, 0.15, 1.8, 1.0, 3.5)
KERNEL = Mppi(rollouts=128, steps=20, motion=mppi_for(ROBOT).motion, costs=mppi_for(ROBOT).costs)
GRID = OccupancyGrid(np.zeros((80, 120), np.int8), 0.05, (0.0, 0.0))


class Broken:
    def run(self, inputs: Any, outputs: dict[str, Any]) -> None:
        raise RuntimeError("the device is gone")


class NotFinite:
    def run(self, inputs: Any, outputs: dict[str, Any]) -> None:
        for value in outputs.values():
            value[...] = np.nan


def route(start: tuple[float, float, float], goal: Goal, grid: OccupancyGrid = GRID) -> Route:
    kernel = CostToGo(128, 128, 32)
    found = Router(GoalFields(kernel, ReferenceRun(kernel)), grid, Disc(0.22), 0.25).plan(start, goal)
    assert isinstance(found, Route), found
    return found


def costmap(kernel: Mppi = KERNEL, grid: OccupancyGrid = GRID) -> Costmap:
    return costmap_for(kernel, grid, Disc(0.22))


def controller(run: Any = None, seed: int = 3, smaller: tuple[int, ...] = ()) -> Controller:
    kernels = [(KERNEL, run or ReferenceRun(KERNEL))]
    kernels += [(each, ReferenceRun(each)) for each in (replace(KERNEL, rollouts=count) for count in smaller)]
    made = Controller(kernels, costmap(), seed)
    made.follow(route((1.0, 2.0, 0.0), Goal(4.0, 2.0, 0.0)))
    return made


def state(
    x: float = 1.0, y: float = 2.0, yaw: float = 0.0, v: float = 0.0, w: float = 0.0, t: float = 1.0
) -> RobotState:
    return RobotState(x, y, yaw, v, w, t)


def test_equal_seeds_give_equal_decisions_and_others_differ() -> None:
    sequences = []
    for seed in (3, 3, 4):
        made = controller(seed=seed)
        decisions = [made.command(state(t=1 + 0.05 * i), None) for i in range(4)]
        sequences.append(np.stack([d.sequence for d in decisions]))
    np.testing.assert_array_equal(sequences[0], sequences[1])
    assert not np.array_equal(sequences[0], sequences[2])


def test_following_again_repeats_the_decisions() -> None:
    made = controller()
    first = made.command(state(), None)
    made.follow(route((1.0, 2.0, 0.0), Goal(4.0, 2.0, 0.0)))
    np.testing.assert_array_equal(first.sequence, made.command(state(), None).sequence)


def test_it_drives_ahead_and_turns_in_place_when_the_goal_is_behind() -> None:
    ahead = controller().command(state(), None)
    assert ahead.status == "driving" and ahead.v_mps > 0
    behind = controller().command(state(yaw=2.5), None)
    assert behind.status == "turning" and behind.v_mps == 0.0 and behind.w_rps < 0


def test_at_the_goal_it_turns_to_the_heading_and_arrives() -> None:
    turning = controller().command(state(4.02, 2.0, 1.0), None)
    assert turning.status == "settling" and turning.v_mps == 0.0 and turning.w_rps < 0
    assert controller().command(state(4.02, 2.0, 0.05), None).status == "arrived"
    moving = controller().command(state(4.02, 2.0, 0.05, v=0.1), None)
    assert moving.status != "arrived"


def test_any_heading_will_do_where_none_is_asked() -> None:
    made = controller()
    made.follow(route((1.0, 2.0, 0.0), Goal(4.0, 2.0)))
    assert made.command(state(4.0, 2.0, 2.9), None).status == "arrived"


@pytest.mark.parametrize("run", [Broken(), NotFinite()])
def test_a_failing_kernel_is_a_value_that_brakes(run: Any) -> None:
    decision = controller(run).command(state(v=0.5, w=0.4), None)
    assert decision.status == "failed" and decision.reason
    assert 0 <= decision.v_mps < 0.5 and decision.sequence[-1].tolist() == [0.0, 0.0]


def test_a_state_that_is_not_finite_fails_without_spreading() -> None:
    made = controller()
    decision = made.command(state(x=math.nan, v=math.inf), None)
    assert decision.status == "failed" and (decision.v_mps, decision.w_rps) == (0.0, 0.0)
    assert made.command(state(), None).status == "driving"
    assert made.command(state(), None, sent=Command(math.nan, math.nan)).status == "driving"


@pytest.mark.parametrize("x", [-3.0, 1e300, 50.0])
def test_far_outside_the_map_it_does_not_raise(x: float) -> None:
    decision = controller().command(state(x=x), None)
    assert np.isfinite(decision.sequence).all() and decision.status in ("blocked", "failed")


def test_without_a_route_it_brakes() -> None:
    made = controller()
    made.stop()
    decision = made.command(state(v=0.4), None)
    assert decision.status == "idle" and decision.v_mps == pytest.approx(0.35)


def test_the_shifted_sequence_is_the_last_one_a_period_later() -> None:
    made = controller()
    decision = made.command(state(), None)
    once, twice = made.shifted(), made.shifted()
    np.testing.assert_array_equal(once[:-1], decision.sequence[1:])
    np.testing.assert_array_equal(twice[:-2], decision.sequence[2:])


def test_ramps_start_from_what_was_sent_when_the_base_lags() -> None:
    plain = controller().command(state(v=0.3), None)
    sent = controller().command(state(v=0.3), None, sent=Command(0.45, 0.0))
    far = controller().command(state(v=0.3), None, sent=Command(0.8, 0.0))
    assert plain.v_mps <= 0.35 + 1e-6 and 0.4 - 1e-6 <= sent.v_mps <= 0.5 + 1e-6
    assert far.v_mps == plain.v_mps


def test_a_wall_of_scan_points_is_driven_around_or_blocked_never_through() -> None:
    ring = LaserScan(1.0, np.full(360, 0.20, np.float32))
    decision = controller().command(state(), ring)
    assert decision.free_share == 0.0 and decision.status == "blocked"


def test_maps_and_kernels_that_do_not_fit_are_refused() -> None:
    run = ReferenceRun(KERNEL)
    with pytest.raises(ValueError, match="make them equal"):
        Controller([(replace(KERNEL, rows=64), run)], costmap())
    with pytest.raises(ValueError, match="make them equal"):
        controller().follow(replace(route((1.0, 2.0, 0.0), Goal(4.0, 2.0)), grid=replace(GRID, resolution_m=0.1)))
    with pytest.raises(ValueError, match="number of rollouts only"):
        Controller([(KERNEL, run), (replace(KERNEL, steps=10), run)], costmap())


class Spied:
    """Keeps the sequences that every run of any level began from."""

    def __init__(self, kernel: Mppi, nominals: list[np.ndarray]) -> None:
        self._run, self._nominals = ReferenceRun(kernel), nominals

    def run(self, inputs: Any, outputs: dict[str, Any]) -> None:
        self._nominals.append(np.array(inputs["nominal"]))
        self._run.run(inputs, outputs)


def test_smaller_levels_go_on_from_the_same_warm_start() -> None:
    begun: list[np.ndarray] = []
    kernels = [replace(KERNEL, rollouts=count) for count in (128, 64, 32)]
    made = Controller([(kernel, Spied(kernel, begun)) for kernel in kernels], costmap(), 3)
    made.follow(route((1.0, 2.0, 0.0), Goal(4.0, 2.0, 0.0)))
    assert made.levels == 2
    driven = [made.command(state(t=1 + 0.05 * i), None, level=level) for i, level in enumerate((0, 1, 2, 9, 0))]
    assert [decision.status for decision in driven] == ["driving"] * 5 and len(begun) == 5
    for before, nominal in zip(driven, begun[1:], strict=False):
        np.testing.assert_array_equal(nominal, shifted(before.sequence))


def test_an_imagined_drive_is_one_and_changes_nothing() -> None:
    plain, rehearsed = controller(smaller=(64,)), controller(smaller=(64,))
    twin = rehearsed.twin()
    drive, decisions = ImaginedDrive(twin), []
    command = twin.command
    twin.command = lambda *given: decisions.append(command(*given)) or decisions[-1]  # type: ignore[method-assign]
    for i in range(4):
        for level in (0, 1):
            drive.period(level)
        seen, level = state(t=1 + 0.05 * i), i % 2
        first, second = plain.command(seen, None, level=level), rehearsed.command(seen, None, level=level)
        np.testing.assert_array_equal(first.sequence, second.sequence)
    for _ in range(300):  # to the end of the way, and from its beginning again
        drive.period(1)
    assert [each.status for each in decisions] == ["driving"] * len(decisions) and len(decisions) == 308


def test_progress_stalls_only_after_its_time_and_restarts_on_a_clock_jump() -> None:
    progress = Progress(2.0)
    assert not progress.stalled(3.0, 10.0)
    assert not progress.stalled(2.9, 11.9)
    assert not progress.stalled(2.9, 13.0)
    assert progress.stalled(2.88, 14.0)
    assert not progress.stalled(2.88, 5.0)
    assert progress.stalled(2.88, 7.1)


@pytest.mark.parametrize("error", [-3.0, -0.4, 0.0, 0.01, 2.0])
def test_turning_closes_the_error_within_the_limits(error: float) -> None:
    kernel = mppi_for(ROBOT, steps=100)
    sequence = turning_sequence(kernel, 0.5, -0.3, error)
    assert abs(sequence[:, 1].sum() * kernel.dt_s - error) < 0.02
    assert abs(sequence[-1, 0]) < 1e-6 and np.abs(sequence[:, 1]).max() <= 1.8 + 1e-6
    change = np.abs(np.diff(sequence, axis=0, prepend=[[0.5, -0.3]]))
    assert (change <= np.array([1.0, 3.5]) * kernel.dt_s + 1e-6).all()


def test_braking_ends_at_zero_from_either_direction() -> None:
    for v, w in ((0.8, -1.8), (-0.15, 0.2), (0.0, 0.0)):
        sequence = braking_sequence(KERNEL, v, w)
        assert (np.abs(sequence) <= np.abs([v, w]) + 1e-6).all()
        assert sequence[-1].tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(shifted(np.array([[1, 2], [3, 4]], np.float32)), [[3, 4], [3, 4]])


def test_the_guide_is_finite_rises_into_obstacles_and_is_straight_near_the_goal() -> None:
    data = np.zeros((80, 120), np.int8)
    data[30:50, 50:60] = 100
    grid = replace(GRID, data=data)
    found = route((1.0, 2.0, 0.0), Goal(4.53, 2.01), grid)
    guide = found.guide
    assert np.isfinite(guide).all()
    reached = np.isfinite(found.costs_m)
    assert (guide[reached] <= found.costs_m[reached] + 0.1).all()
    assert guide[40, 55] > guide[40, 62]
    x, y = grid.centre_of((42, 95))
    assert guide[42, 95] == pytest.approx(math.hypot(x - 4.53, y - 2.01), abs=1e-3)


def test_clearance_is_to_the_squares_of_mapped_and_of_seen_obstacles() -> None:
    data = np.zeros((80, 120), np.int8)
    data[20:30, 60:] = 100
    made = costmap(grid=replace(GRID, data=data))
    window = made.update((2.5, 2.0, 0.0), None, 1.0)
    row, col = GRID.cell_of(*window.centre_of((0, 0)))
    exact = distance_to_obstacles(data > 0, 0.05, 0.5, outside_occupied=False)
    inside = cropped(exact, (row, col), window.shape, np.nan)
    plain = clearance_of(window)
    known = ~np.isnan(inside)
    assert np.abs(np.minimum(plain, 0.5) - inside)[known].max() <= 0.2 * 0.05
    assert (plain[~known] == 0.0).all(), "beyond the map nothing is known"
    ranges = np.full(360, np.inf, np.float32)
    ranges[180] = 0.32
    seen = clearance_of(made.update((2.5, 2.02, 0.0), LaserScan(1.1, ranges), 1.1))
    assert (seen <= plain + 1e-6)[known].all() and seen[window.cell_of(2.18, 2.02)] == 0.0
    assert made.update((2.5, 2.02, 0.0), None, 1.2).cost_at(2.18, 2.02) == LETHAL
    cleared = clearance_of(made.update((2.5, 2.0, 0.0), LaserScan(1.3, np.full(360, np.inf, np.float32)), 1.3))
    np.testing.assert_allclose(cleared[known], plain[known])


def test_crops_beyond_the_field_are_filled() -> None:
    field = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(cropped(field, (-1, 2), (3, 3), -1.0), [[-1, -1, -1], [2, 3, -1], [6, 7, -1]])
    assert (cropped(field, (50, -70), (2, 2), 9.0) == 9.0).all()


def test_the_robot_file_and_its_faults(tmp_path: Any) -> None:
    path = tmp_path / "robot.yaml"
    text = "name: r\nfootprint_radius_m: 0.3\nplanning_radius_m: 0.25\nmax_forward_mps: 0.8\nmax_reverse_mps: 0.1\n"
    text += "max_turn_rps: 1.8\nmax_accel_mps2: 1.0\nmax_turn_accel_rps2: 3.5\n"
    path.write_text(text)
    with pytest.raises(ConfigError, match="planning_radius_m"):
        load_robot(path)
    good = text.replace("0.25", "0.35")
    path.write_text(good)
    assert load_robot(path).period_s == 0.05 and load_robot(path).footprint == Disc(0.3)
    path.write_text(good + "footprint_m: [[0.2, 0.1], [-0.2, 0.1], [-0.2, -0.1], [0.2, -0.1]]\n")
    assert load_robot(path).footprint.reach_m == pytest.approx(math.hypot(0.2, 0.1))
    for corners, said in (
        ("[[0.2, 0.1], [-0.2, 0.1]]", "at least 3"),
        ("[[0.2, 0.1], [-0.2, -0.1], [0.2, -0.1], [-0.2, 0.1]]", "crosses"),
        ("[[0.4, 0.1], [-0.2, 0.1], [-0.2, -0.1]]", "must enclose"),
    ):
        path.write_text(f"{good}footprint_m: {corners}\n")
        with pytest.raises((ConfigError, FootprintError), match=said):
            load_robot(path)


def test_a_long_robot_is_covered_by_discs() -> None:
    kernel = mppi_for(
        replace(ROBOT, footprint_radius_m=0.25, footprint_m=((0.2, 0.1), (-0.2, 0.1), (-0.2, -0.1), (0.2, -0.1)))
    )
    assert kernel.body_m == pytest.approx((-0.15, -0.05, 0.05, 0.15))
    radius = kernel.costs.radius_m
    for x in np.linspace(-0.2, 0.2, 41):
        for y in (-0.1, 0.1):
            assert min(math.hypot(x - offset, y) for offset in kernel.body_m) <= radius
    assert mppi_for(ROBOT).body_m == (0.0,)


def test_a_kernel_of_another_motion_is_refused() -> None:
    kernel = Mppi(rollouts=8, steps=4, motion=Ackermann())
    with pytest.raises(ValueError, match="motion is ackermann"):
        Controller([(kernel, ReferenceRun(kernel))], costmap())


def test_a_heading_after_many_turns_is_wrapped_before_it_reaches_the_kernel() -> None:
    made = controller()
    decision = made.command(state(yaw=1000 * math.pi), None)
    assert decision.status == "driving", decision.reason
