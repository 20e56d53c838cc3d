"""Whether the robot can stand where the world says it will, and get there from its start."""

from __future__ import annotations

from collections.abc import Iterator

from premotor_planners.maps.distance import inflate
from premotor_planners.maps.rasterize import rasterize
from premotor_planners.maps.reachable import free_middle, reachable_from
from premotor_planners.world.checks import Fault
from premotor_planners.world.model import World


def access_faults(world: World, robot_radius_m: float) -> Iterator[Fault]:
    """Start, approach poses and rooms that a disc of `robot_radius_m` cannot occupy or reach."""
    grid = inflate(rasterize(world), robot_radius_m)
    start = grid.cell_of(*world.start[:2])
    if not grid.is_free(start):
        yield ("start",), f"the start pose {_needs(robot_radius_m)}"
        return
    reached = reachable_from(grid, start)
    for i, place in enumerate(world.places):
        cell = grid.cell_of(*place.approach[:2])
        if not grid.is_free(cell):
            yield ("places", i, "approach"), f"the approach pose of `{place.name}` {_needs(robot_radius_m)}"
        elif not reached[cell]:
            yield ("places", i, "name"), f"`{place.name}` cannot be reached {_from_start(robot_radius_m)}"
    for i, room in enumerate(world.rooms):
        if free_middle(reached, grid, room.area_m) is None:
            yield ("rooms", i, "name"), f"the room `{room.name}` cannot be reached {_from_start(robot_radius_m)}"


def _needs(radius: float) -> str:
    return f"is outside the world or nearer than the robot's {radius:g} m to a wall or furniture; move it free"


def _from_start(radius: float) -> str:
    return (
        f"from the start by a robot of {radius:g} m radius; make doors and passages {2 * radius + 0.1:g} m wide or more"
    )
