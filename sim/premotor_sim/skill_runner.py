"""Runs one skill at a time against simulated time, and carries out its effect on the objects when it ends."""

from __future__ import annotations

from premotor_planners.world.model import World
from premotor_runtime.executor.robot import SkillRequest, SkillState, SkillStatus
from premotor_sim import skills
from premotor_sim.layout import Layout, Point
from premotor_sim.objects import GRIPPER, ObjectBodies
from premotor_sim.robot import CARRY_HEIGHT_M

HAND_HEIGHT_M = 1.0
_EPSILON_S = 1e-6


class SkillRunner:
    """Moves `objects` as skills end. A skill is judged when it starts and again when it takes effect."""

    def __init__(self, world: World, layout: Layout, objects: ObjectBodies) -> None:
        self._world, self._layout, self._objects = world, layout, objects
        self._request: SkillRequest | None = None
        self._end_s = 0.0
        self.status = SkillStatus("idle")
        self.spoken: list[tuple[float, str]] = []

    def start(self, request: SkillRequest, now_s: float, robot: Point) -> None:
        """Begin; what is impossible from here fails at once. Starting while another runs fails, and ends that one."""
        if self._request is not None:
            self._finish("failed", f"`{request.skill}` was started before `{self._request.skill}` had ended")
            return
        found = skills.outcome(request, self.situation(robot))
        if isinstance(found, skills.Impossible):
            self._finish("failed", found.reason)
            return
        self._request, self.status = request, SkillStatus("running")
        self._end_s = now_s + skills.duration_s(request)

    def cancel(self) -> None:
        """Give up a running skill before it takes effect."""
        if self._request is not None:
            self._finish("failed", "cancelled")

    def tick(self, now_s: float, robot: Point) -> None:
        """End the running skill if its time is over."""
        if self._request is None or now_s < self._end_s - _EPSILON_S:
            return
        found = skills.outcome(self._request, self.situation(robot))
        if isinstance(found, skills.Impossible):
            self._finish("failed", found.reason)
            return
        self._apply(found, now_s)
        self.carry(robot)
        self._finish("succeeded", "")

    def carry(self, robot: Point) -> None:
        """Pin every attached object to its holder."""
        for item in self._world.objects:
            holder = self._objects.holder(item.name)
            if holder == GRIPPER:
                self._objects.pin(item.name, (*robot, CARRY_HEIGHT_M))
            elif holder is not None:
                self._objects.pin(item.name, (*self._layout.people[holder].at, HAND_HEIGHT_M))

    @property
    def holding(self) -> str | None:
        """The object in the gripper."""
        names = (item.name for item in self._world.objects)
        return next((name for name in names if self._objects.holder(name) == GRIPPER), None)

    def situation(self, robot: Point) -> skills.Situation:
        """The truth now, with the robot at `robot`."""
        names = [item.name for item in self._world.objects]
        positions = {name: self._objects.position(name) for name in names}
        whereabouts = {name: self._objects.where(name) for name in names}
        return skills.Situation(self._world, robot, self.holding, positions, whereabouts, self._layout.people)

    def _apply(self, effect: skills.Effect, now_s: float) -> None:
        if isinstance(effect, skills.Taken):
            self._objects.attach(effect.object, GRIPPER)
        elif isinstance(effect, skills.Given):
            self._objects.attach(effect.object, effect.person)
        elif isinstance(effect, skills.PutDown):
            self._objects.put_down(effect.object, *effect.at, effect.surface_m)
        elif effect.text:
            self.spoken.append((now_s, effect.text))

    def _finish(self, state: SkillState, reason: str) -> None:
        self._request, self.status = None, SkillStatus(state, reason)
