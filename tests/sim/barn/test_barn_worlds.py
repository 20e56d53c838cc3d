from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_sim.barn.dense import HALF_GAP_M, DenseWorlds, dense_kernel
from premotor_sim.barn.given import load_barn
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.world import CylinderWorld, metric
from premotor_sim.errors import SimulationError


def folder_with(tmp_path: Path, cylinders: object, path: object = ((15, 0), (15, 29))) -> Path:
    (tmp_path / "cylinders.json").write_text(json.dumps({"7": cylinders}))
    (tmp_path / "path_files").mkdir()
    np.save(tmp_path / "path_files" / "path_7.npy", np.array(path))
    return tmp_path


def test_a_world_and_its_optimal_time(tmp_path: Path) -> None:
    (world,) = load_barn(folder_with(tmp_path, [[0.0, 5.0, 0.075]]))
    x, low, high = 15 * 0.15 - 4.575, 5.075, 29 * 0.15 + 5.075
    length = np.hypot(x + 2.25, low - 3.0) + (high - low) + np.hypot(x + 2.25, 13.0 - high)
    assert world.path_m == pytest.approx(length) and world.optimal_s == pytest.approx(length / 2)


@pytest.mark.parametrize("cylinders", [[[0.0, 1.0]], [[0.0, "a", 1.0]], [[0.0, 1.0, -0.1]], [[float("nan"), 0.0, 0.1]]])
def test_broken_cylinders_are_refused(cylinders: object, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="world 7"):
        load_barn(folder_with(tmp_path, cylinders))


def test_missing_or_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match=r"cylinders\.json is missing"):
        load_barn(tmp_path)
    folder = folder_with(tmp_path, [[0.0, 5.0, 0.075]], [[1, 2, 3]])
    with pytest.raises(SimulationError, match=r"path_7.npy has shape"):
        load_barn(folder)
    (folder / "cylinders.json").write_text("{")
    with pytest.raises(SimulationError, match="worlds by number"):
        load_barn(folder)


def test_the_metric_is_cut_off_on_both_sides() -> None:
    world = CylinderWorld("w", np.zeros((0, 3)), 10.0)
    assert metric(True, world, 1.0) == 0.5 and metric(True, world, 10.0) == 0.5
    assert metric(True, world, 20.0) == 0.25 and metric(True, world, 900.0) == 0.125
    assert metric(False, world, 5.0) == 0.0


def test_discs_cover_the_outline() -> None:
    robot = BarnRobot()
    offsets, radius = robot.discs()
    edge = np.linspace(-1.0, 1.0, 201)
    x, y = robot.length_m / 2, robot.width_m / 2
    outline = np.vstack([np.c_[edge * x, np.full(201, y)], np.c_[np.full(201, x), edge * y]])
    nearest = np.min([np.hypot(outline[:, 0] - d, outline[:, 1]) for d in offsets], axis=0)
    assert nearest.max() <= radius + 1e-9 and radius < y + 0.01


def test_dense_worlds_keep_a_route_open_and_no_wide_one() -> None:
    kernel = dense_kernel()
    dense = DenseWorlds(kernel, CpuDevice().compile(kernel))
    world, again = dense.make(5, 0), dense.make(5, 0)
    assert np.array_equal(world.cylinders, again.cylinders)
    assert not np.array_equal(world.cylinders, dense.make(5, 1).cylinders)
    clearance = dense.clearance(world.cylinders)
    assert dense.route_m(clearance, HALF_GAP_M) == pytest.approx(world.path_m)
    assert dense.route_m(clearance, 0.33) is None and world.path_m >= 10.0
