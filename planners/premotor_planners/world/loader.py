"""Read a world file and hold it to what a world must be; everything wrong is named with file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from premotor_foundation.errors import ConfigError
from premotor_foundation.strict_yaml import load
from premotor_planners.errors import WorldError
from premotor_planners.world import checks
from premotor_planners.world.access import access_faults
from premotor_planners.world.checks import Fault
from premotor_planners.world.model import World
from premotor_planners.world.source_lines import SourceLines

_SHOWN = 5


def load_world(path: Path, robot_radius_m: float) -> World:
    """The checked world in the file at `path`, in which a disc of `robot_radius_m` reaches every room and place.

    Raises WorldError or its parent ConfigError (both exit 2); the message starts with `file:line:`, and further faults
    of the same kind follow on lines of their own.
    """
    world = load(path, World)
    stages: tuple[Callable[[World], Iterator[Fault]], ...] = (
        checks.count_faults,
        lambda w: chain(checks.name_faults(w), checks.reference_faults(w), checks.shape_faults(w)),
        checks.placement_faults,
        lambda w: access_faults(w, robot_radius_m),
    )
    for stage in stages:
        faults = list(stage(world))
        if faults:
            raise _error(path, faults)
    return world


def _error(path: Path, faults: list[Fault]) -> ConfigError:
    lines = SourceLines(path.read_text(encoding="utf-8"))
    located = sorted((lines.of(*where), message) for where, message in faults)
    first, rest = located[0], located[1:]
    more = [f"\n{path}:{line}: {message}" for line, message in rest[:_SHOWN]]
    if len(rest) > _SHOWN:
        more.append(f"\n… and {len(rest) - _SHOWN} more")
    return WorldError(path, first[0], first[1] + "".join(more))
