"""How well the robot senses and how late it obeys: the set-ups of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SetUp:
    """`lidar_noise_m` is a standard deviation; `odometry` is that of a run's scale errors, and of each increment's.

    Commands take effect `delay_s` after they are given, and the speeds then close the gap with time constant `lag_s`.
    """

    name: str
    lidar_noise_m: float = 0.0
    odometry: float = 0.0
    delay_s: float = 0.0
    lag_s: float = 0.0


IDEAL = SetUp("ideal")
BARN_SET_UPS = (IDEAL, SetUp("moderate", 0.02, 0.01, 0.1, 0.1), SetUp("hard", 0.03, 0.03, 0.2, 0.3))
DENSE_SET_UPS = (IDEAL, SetUp("light", 0.01, 0.01, 0.1, 0.1))
