from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.heading_cost_to_go import HeadingCostToGo
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.motion.state import LaserScan
from premotor_planners.motion.window.controller import WindowController
from premotor_planners.motion.window.evidence import EvidenceParameters, EvidenceWindow
from premotor_planners.motion.window.guide import BLOCK, GuideParameters, WindowGuide
from premotor_planners.motion.window.surroundings import Surroundings
from premotor_planners.motion.window.tight import TightGuide

BODY, RADIUS_M = (-0.19, -0.063, 0.063, 0.19), 0.226
Post = tuple[float, float, float]


@pytest.fixture(autouse=True)
def _needs_compiler() -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))


def made_surroundings() -> Surroundings:
    parameters, device = EvidenceParameters(cells=256), CpuDevice()
    cells, size = parameters.cells // BLOCK, parameters.resolution_m
    field, lattice, guide = CostToGo(cells, cells), HeadingCostToGo(sweeps=64), GuideParameters()
    tight = TightGuide(lattice, device.compile(lattice), size, BLOCK, BODY, RADIUS_M, guide.fill)
    return Surroundings(
        EvidenceWindow(parameters), WindowGuide(field, device.compile(field), size * BLOCK, guide, tight)
    )


def made_kernel(surroundings: Surroundings) -> Mppi:
    rows, cols = surroundings.shape
    motion = Differential(
        max_forward_mps=1.0, max_reverse_mps=0.3, max_turn_rps=2.0, max_turn_accel_rps2=5.0, v_std_mps=0.4
    )
    costs = MppiCosts(radius_m=RADIUS_M, safe_m=RADIUS_M + 0.1, near=2.5)
    return Mppi(256, 30, 0.05, rows, cols, surroundings.resolution_m, motion, costs, BODY)


def seen_posts(pose: Post, posts: Sequence[Post], stamp_s: float = 0.0, far_m: float = 10.0) -> LaserScan:
    """An exact scan of cylinders (x, y, radius), 360 beams over a full turn."""
    angles = pose[2] - math.pi + np.arange(360) * math.radians(1.0)
    ranges = np.full(360, np.inf)
    for x, y, radius in posts:
        dx, dy = x - pose[0], y - pose[1]
        along = dx * np.cos(angles) + dy * np.sin(angles)
        beside = dy * np.cos(angles) - dx * np.sin(angles)
        hit = (np.abs(beside) < radius) & (along > 0)
        reach = along - np.sqrt(np.maximum(radius**2 - beside**2, 0.0))
        ranges = np.where(hit, np.minimum(ranges, reach), ranges)
    ranges[ranges > far_m] = np.inf
    return LaserScan(stamp_s, ranges.astype(np.float32), 0.05, far_m, -math.pi, math.radians(1.0), pose)


@pytest.fixture
def surroundings() -> Surroundings:
    return made_surroundings()


@pytest.fixture
def controller(surroundings: Surroundings) -> WindowController:
    kernel = made_kernel(surroundings)
    return WindowController(kernel, CpuDevice().compile(kernel), surroundings, seed=1)


@pytest.fixture
def scan_of() -> Callable[..., LaserScan]:
    """`scan_of(pose, posts, stamp_s)`."""
    return seen_posts


@pytest.fixture
def kernel(surroundings: Surroundings) -> Mppi:
    return made_kernel(surroundings)
