"""Counting collisions: one for each episode of contact, however long it lasts or however it bounces."""

from __future__ import annotations

import mujoco
import numpy as np

from premotor_runtime.executor.robot import Collision

APART_S = 0.5
"""Two touches of one thing closer together than this are one episode."""
_ROBOT, _THING = 1, 3  # no other pair of kinds, floor being 0, has the sum of these two


class CollisionCounter:
    """Watches the contacts of a model's robot with all but the floor. Held objects have no contacts by themselves."""

    def __init__(self, model: mujoco.MjModel) -> None:
        names = [model.geom(i).name for i in range(model.ngeom)]
        self._names = [_shown(name) for name in names]
        self._kinds = np.array([_kind(name) for name in names])
        self._last: dict[str, float] = {}
        self.episodes: list[Collision] = []

    def watch(self, data: mujoco.MjData, now_s: float) -> None:
        """Take in the contacts of the newest step, which ended at `now_s`."""
        pairs = data.contact.geom
        kinds = self._kinds[pairs]
        for pair in pairs[kinds.sum(axis=1) == _ROBOT + _THING]:
            self._touch(self._names[max(pair, key=self._kinds.__getitem__)], now_s)

    def _touch(self, name: str, stamp_s: float) -> None:
        if stamp_s - self._last.get(name, -np.inf) > APART_S:
            self.episodes.append(Collision(stamp_s, name))
        self._last[name] = stamp_s


def _kind(geom: str) -> int:
    if geom.startswith("robot/"):
        return _ROBOT
    return 0 if geom == "floor" else _THING


def _shown(geom: str) -> str:
    kind, _, name = geom.partition("/")
    return "wall" if kind == "wall" else name
