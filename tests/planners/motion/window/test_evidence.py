from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from premotor_planners.motion.state import LaserScan
from premotor_planners.motion.window.evidence import EvidenceParameters, EvidenceWindow

POST = (1.0, 0.0, 0.1)


def clearance_at(window: EvidenceWindow, x: float, y: float) -> float:
    (left, low), size = window.origin_m, window.parameters.resolution_m
    return float(window.clearance()[int((y - low) / size), int((x - left) / size)])


def test_clearance_is_near_the_truth(scan_of: Callable[..., LaserScan]) -> None:
    window = EvidenceWindow(EvidenceParameters(cells=128))
    window.centre_on(0.0, 0.0)
    for _ in range(3):
        window.take(scan_of((0.0, 0.0, 0.0), [POST]), (0.0, 0.0, 0.0))
    for x in (0.4, 0.6, 0.8):
        assert clearance_at(window, x, 0.0) == pytest.approx(0.9 - x, abs=0.03)
    assert clearance_at(window, -1.0, 0.0) == pytest.approx(window.parameters.reach_m)


def test_noise_is_averaged_out(scan_of: Callable[..., LaserScan]) -> None:
    window, random = EvidenceWindow(EvidenceParameters(cells=128)), np.random.default_rng(0)
    window.centre_on(0.0, 0.0)
    exact = scan_of((0.0, 0.0, 0.0), [POST])
    for _ in range(20):
        ranges = (exact.ranges_m + random.normal(0.0, 0.02, 360)).astype(np.float32)
        scan = LaserScan(0.0, ranges, 0.05, 10.0, exact.angle_min, exact.angle_increment)
        window.take(scan, (0.0, 0.0, 0.0))
    assert clearance_at(window, 0.5, 0.0) == pytest.approx(0.4, abs=0.06)


def test_what_has_gone_is_forgotten_and_what_is_hidden_is_not(scan_of: Callable[..., LaserScan]) -> None:
    window, pose = EvidenceWindow(EvidenceParameters(cells=128)), (0.0, 0.0, 0.0)
    window.centre_on(0.0, 0.0)
    for _ in range(20):
        window.take(scan_of(pose, [POST]), pose)
    for _ in range(12):
        blind = scan_of(pose, [POST])
        blind.ranges_m[:] = np.nan
        window.take(blind, pose)
    assert clearance_at(window, 0.8, 0.0) < 0.15
    for _ in range(12):
        window.take(scan_of(pose, []), pose)
    assert clearance_at(window, 0.8, 0.0) == pytest.approx(window.parameters.reach_m)


def test_scrolling_keeps_what_stays_and_clears_what_comes(scan_of: Callable[..., LaserScan]) -> None:
    window = EvidenceWindow(EvidenceParameters(cells=128))
    window.centre_on(0.0, 0.0)
    window.take(scan_of((0.0, 0.0, 0.0), [POST]), (0.0, 0.0, 0.0))
    window.centre_on(1.0, 0.3)
    assert clearance_at(window, 0.8, 0.0) < 0.15
    window.centre_on(9.0, 9.0)
    window.centre_on(0.0, 0.0)
    assert float(window.clearance().min()) == pytest.approx(window.parameters.reach_m)


@pytest.mark.parametrize("bad", [np.nan, -np.inf, 0.01, 11.0, -1.0])
def test_readings_that_say_nothing_mark_nothing(bad: float) -> None:
    window = EvidenceWindow(EvidenceParameters(cells=128))
    window.centre_on(0.0, 0.0)
    window.take(LaserScan(0.0, np.full(360, bad, np.float32), 0.05, 10.0), (0.0, 0.0, 0.0))
    assert float(window.clearance().min()) == pytest.approx(window.parameters.reach_m)


def test_parameters_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 4"):
        EvidenceParameters(cells=129)
    with pytest.raises(ValueError, match="threshold"):
        EvidenceParameters(threshold=9.0)
