"""A small world that needs no file: two rooms with a door, furniture, a dock, people and objects."""

from __future__ import annotations

import pytest

from premotor_planners.world.model import Item, Person, Place, Room, World


@pytest.fixture
def two_rooms() -> World:
    return World(
        name="two rooms",
        rooms=(Room("kitchen", (0, 0, 4, 3.5)), Room("study", (4, 0, 8, 3.5))),
        places=(
            Place("kitchen counter", "kitchen", (0.1, 0.1, 0.7, 2.4), (1.2, 1.2, 3.14159), 0.9),
            Place("study desk", "study", (6.2, 2.7, 7.8, 3.4), (7.0, 2.2, 1.5708), 0.75),
            Place("nightstand", "study", (7.4, 0.2, 7.8, 0.6), (6.95, 0.4, 0.0), 0.5),
            Place("dock", "kitchen", (3.0, 0.1, 3.6, 0.7), (3.3, 0.45, -1.57), 0.0, "dock"),
        ),
        objects=(
            Item("red mug", "kitchen counter", color_rgb=(0.8, 0.1, 0.1)),
            Item("blue mug", "kitchen counter", color_rgb=(0.1, 0.2, 0.8)),
            Item("notebook", "study desk"),
            Item("medicine box", "nightstand"),
        ),
        people=(Person("user", "kitchen counter"), Person("Anna", "study desk")),
        walls_m=(
            (-0.1, -0.1, 8.1, 0.0),
            (-0.1, 3.5, 8.1, 3.6),
            (-0.1, 0.0, 0.0, 3.5),
            (8.0, 0.0, 8.1, 3.5),
            (3.95, 0.0, 4.05, 1.2),
            (3.95, 2.2, 4.05, 3.5),
        ),
        start=(2.0, 1.7, 0.0),
    )
