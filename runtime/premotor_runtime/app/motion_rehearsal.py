"""What the periods of a drive compute, on numbers of their own, so that it can be measured before anything moves."""

from __future__ import annotations

from itertools import cycle

from premotor_planners.motion.imagined_drive import ImaginedDrive
from premotor_planners.motion.route_making import Routing
from premotor_planners.motion.state import Goal
from premotor_runtime.app.motion_kit import MotionKit


class Rehearsal:
    """Periods that drive and periods that plan, in turn. Nothing of it is kept but the memory that it has touched."""

    def __init__(self, kit: MotionKit) -> None:
        self._kit = kit
        self._drive = ImaginedDrive(kit.controller.twin())
        self._drives = cycle((True, False))
        self._routing: Routing | None = None

    def period(self, level: int) -> None:
        """The next one; planning is the same at every level."""
        if next(self._drives):
            self._drive.period(level)
        else:
            self._plan()

    def end(self) -> None:
        """A route that is being made is given up: the router makes one at a time."""
        if self._routing is not None:
            self._routing.give_up()
            self._routing = None

    def _plan(self) -> None:
        """A piece of a route to where the robot starts: distances are to be found over all of the map."""
        start = self._kit.surroundings.world.start
        if self._routing is None:
            self._routing = self._kit.router.begin(start, Goal(*start))
        if self._routing.advance() is not None:
            self._routing = None
