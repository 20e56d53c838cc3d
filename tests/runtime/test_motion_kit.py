from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from premotor_foundation.errors import UsageError
from premotor_foundation.locations import named_config
from premotor_runtime.app.motion_kit import build_motion, read_surroundings
from premotor_runtime.app.settings import load_settings

HOUSE = named_config("worlds", "house")
SETTINGS = load_settings(named_config("", "laptop"))


def test_k18_a_loop_slower_than_the_controllers_step_is_refused_and_a_faster_one_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert read_surroundings(HOUSE, SETTINGS).period_s == 0.05 and not caplog.text
        fast = replace(SETTINGS, control=replace(SETTINGS.control, rate_hz=30.0, deadline_ms=20.0))
        surroundings = read_surroundings(HOUSE, fast)
        assert surroundings.period_s == pytest.approx(1 / 30) and not caplog.text
        build_motion(surroundings, 0)
    assert caplog.text.count("make them equal") == 1
    slow = replace(SETTINGS, control=replace(SETTINGS.control, rate_hz=10.0))
    with pytest.raises(UsageError, match=r"rate_hz` is 10, but the robot `disc`"):
        read_surroundings(HOUSE, slow)
