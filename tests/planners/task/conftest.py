"""The house of the demo, and an office whose names no rule was written for, as catalogues."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from premotor_foundation.strict_yaml import load
from premotor_planners.task.answers.compact import render_steps
from premotor_planners.task.answers.expand import collapse
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.from_world import catalogue_from_world
from premotor_planners.world.model import World

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def house() -> Catalogue:
    return catalogue_from_world(load(ROOT / "configs/worlds/house.yaml", World))


@pytest.fixture(scope="session")
def office() -> Catalogue:
    return Catalogue(
        rooms=("lab", "meeting room A", "meeting room B", "break room", "corridor", "server room"),
        places={
            "workbench 1": "lab",
            "workbench 2": "lab",
            "parts shelf": "lab",
            "conference table": "meeting room A",
            "whiteboard ledge": "meeting room B",
            "fridge": "break room",
            "reception desk": "corridor",
            "charging pad": "corridor",
            "rack 7": "server room",
        },
        objects={
            "torque wrench": "workbench 1",
            "soldering iron": "workbench 2",
            "box of screws": "parts shelf",
            "USB stick": "conference table",
            "black marker": "whiteboard ledge",
            "green marker": "whiteboard ledge",
            "yogurt": "fridge",
            "parcel": "reception desk",
            "laptop": "conference table",
            "hard drive": "rack 7",
        },
        people={
            "user": "conference table",
            "Dr. Lee": "workbench 1",
            "Maria Santos": "reception desk",
            "Tom": "fridge",
        },
        docks=frozenset({"charging pad"}),
        hazards=frozenset({"soldering iron"}),
    )


def _line(result: Decomposition, catalogue: Catalogue) -> str:
    if result.plan is not None:
        return render_steps(collapse(result.plan, catalogue))
    return "ask" if result.question else f"refuse {result.refusal.kind if result.refusal else '?'}"


@pytest.fixture(scope="session")
def outcome_line() -> Callable[[Decomposition, Catalogue], str]:
    """One line for what a decomposer answers, so that tables of cases stay readable."""
    return _line


@pytest.fixture(scope="session")
def by_rules() -> Callable[[str, Catalogue], str]:
    """That line for a task, from the rules alone."""
    return lambda task, catalogue: _line(Decomposer(None).decompose(task, catalogue), catalogue)
