"""The loose objects of a house in a running simulation: where they are, and holding them in the air."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from premotor_planners.world.model import World
from premotor_sim.house import OBJECT_GROUP, object_shape
from premotor_sim.robot import ROBOT_GROUP

Point3 = tuple[float, float, float]
GRIPPER, FLOOR = "gripper", "floor"
_RESTS_WITHIN_M = 0.05


@dataclass
class _Body:
    qpos: slice
    qvel: slice
    geom: int
    half_height_m: float


class ObjectBodies:
    """Moves object bodies by writing their joints, and reads where they are.

    Attaching is kinematic: an attached object touches nothing, is not seen by the lidar, and is put where it belongs
    before every physics step.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, world: World) -> None:
        self._model, self._data, self._world = model, data, world
        self._bodies = {item.name: self._body(item.name) for item in world.objects}
        self._attached: dict[str, str] = {}

    def _body(self, name: str) -> _Body:
        joint = self._model.joint(f"object/{name}")
        qpos, qvel = int(joint.qposadr[0]), int(joint.dofadr[0])
        geom = int(self._model.geom(f"object/{name}").id)
        return _Body(slice(qpos, qpos + 7), slice(qvel, qvel + 6), geom, object_shape(name).half_height_m)

    def position(self, name: str) -> Point3:
        """The object's middle in frame `map`."""
        x, y, z = self._data.qpos[self._bodies[name].qpos][:3]
        return (float(x), float(y), float(z))

    def attach(self, name: str, holder: str) -> None:
        """Give the object to `holder` (the gripper or a person)."""
        self._attached[name] = holder
        self._set_solid(name, False)

    def pin(self, name: str, at: Point3) -> None:
        """Put an attached object at `at`, upright and at rest, for the next physics step."""
        body = self._bodies[name]
        self._data.qpos[body.qpos] = (*at, 1.0, 0.0, 0.0, 0.0)
        self._data.qvel[body.qvel] = 0.0

    def put_down(self, name: str, x: float, y: float, surface_m: float) -> None:
        """Let go of the object, standing on a surface at height `surface_m`."""
        self.pin(name, (x, y, surface_m + self._bodies[name].half_height_m))
        del self._attached[name]
        self._set_solid(name, True)

    def holder(self, name: str) -> str | None:
        """Who has the object attached, if anybody."""
        return self._attached.get(name)

    def where(self, name: str) -> str:
        """A holder, the place on whose surface the object lies, or `floor`."""
        held_by = self.holder(name)
        if held_by is not None:
            return held_by
        x, y, z = self.position(name)
        bottom = z - self._bodies[name].half_height_m
        for place in self._world.places:
            xmin, ymin, xmax, ymax = place.area_m
            above = xmin <= x <= xmax and ymin <= y <= ymax
            if place.kind == "surface" and above and abs(bottom - place.height_m) < _RESTS_WITHIN_M:
                return place.name
        return FLOOR

    def _set_solid(self, name: str, solid: bool) -> None:
        geom = self._bodies[name].geom
        self._model.geom_contype[geom] = self._model.geom_conaffinity[geom] = int(solid)
        self._model.geom_group[geom] = OBJECT_GROUP if solid else ROBOT_GROUP
