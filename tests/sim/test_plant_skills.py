from __future__ import annotations

from dataclasses import replace

import pytest

from premotor_planners.world.model import World
from premotor_runtime.executor.robot import SkillRequest, SkillStatus
from premotor_sim.plant import MujocoPlant


def at(world: World, place: str) -> MujocoPlant:
    """A plant whose robot stands at the place's approach pose."""
    return MujocoPlant(replace(world, start=world.place(place).approach), seed=4)


def finish(plant: MujocoPlant, skill: str, **args: str | float) -> SkillStatus:
    plant.start_skill(SkillRequest(skill, args))
    for _ in range(400):
        if plant.skill_status().state != "running":
            break
        plant.advance(0.05)
    return plant.skill_status()


def drive_back(plant: MujocoPlant) -> None:
    plant.command(-0.5, 0.0)
    plant.advance(1.0)
    plant.command(0.0, 0.0)
    plant.advance(0.3)


def test_pick_takes_time_and_changes_the_truth_at_its_end(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    plant.start_skill(SkillRequest("pick", {"object": "red mug"}))
    plant.advance(1.4)
    assert plant.skill_status().state == "running"
    assert plant.object_places()["red mug"] == "kitchen counter"
    plant.advance(0.12)
    assert plant.skill_status() == SkillStatus("succeeded")
    assert plant.object_places()["red mug"] == "gripper"
    assert plant.holding == "red mug"


def test_a_held_object_travels_along_unseen_and_untouched(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    finish(plant, "pick", object="red mug")
    seen = plant.sense()
    drive_back(plant)
    after = plant.sense()
    x, y = plant.object_positions()["red mug"]
    assert abs(x - after.x) < 0.01 and abs(y - after.y) < 0.01
    assert abs(after.x - seen.x) > 0.4
    assert float(after.ranges.min()) > 0.3
    assert plant.collisions == ()


def test_place_puts_it_on_the_surface_where_it_stays(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    finish(plant, "pick", object="blue mug")
    drive_back(plant)
    too_far = finish(plant, "place", object="blue mug", place="kitchen counter")
    assert "no free spot on the kitchen counter" in too_far.reason
    plant.command(0.5, 0.0)
    plant.advance(1.0)
    plant.command(0.0, 0.0)
    assert finish(plant, "place", object="blue mug", place="kitchen counter").state == "succeeded"
    plant.advance(1.0)
    assert plant.object_places() == {item.name: item.place for item in two_rooms.objects}
    assert plant.holding is None


def test_handover_gives_it_to_the_person(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    finish(plant, "pick", object="red mug")
    assert finish(plant, "handover", object="red mug", person="user").state == "succeeded"
    assert plant.object_places()["red mug"] == "user"
    assert plant.object_positions()["red mug"] == pytest.approx(plant.people_positions()["user"], abs=0.01)
    assert finish(plant, "pick", object="red mug").reason == "user has the red mug"


@pytest.mark.parametrize(
    ("skill", "args", "reason"),
    [
        ("pick", {"object": "notebook"}, "too far: the notebook is"),
        ("pick", {"object": "piano"}, "`pick` names 'piano', which is not there"),
        ("place", {"object": "red mug", "place": "kitchen counter"}, "not holding the red mug"),
        ("place", {"object": "red mug", "place": "moon"}, "names 'moon'"),
        ("handover", {"object": "red mug", "person": "user"}, "not holding the red mug"),
        ("handover", {"object": "red mug", "person": "Bob"}, "names 'Bob'"),
        ("inspect", {"target": "study desk"}, "too far to see"),
        ("dock", {}, "not at the dock"),
        ("wait", {"duration_s": -1.0}, "cannot wait"),
        ("wait", {"duration_s": float("nan")}, "cannot wait"),
        ("navigate_to", {"target": "study"}, "has no skill `navigate_to`"),
        ("pick", {}, "names 'object'"),
    ],
)
def test_what_cannot_be_done_fails_at_once_with_a_reason(
    two_rooms: World, skill: str, args: dict[str, str | float], reason: str
) -> None:
    plant = at(two_rooms, "kitchen counter")
    plant.start_skill(SkillRequest(skill, args))
    assert plant.skill_status().state == "failed"
    assert reason in plant.skill_status().reason
    assert plant.object_places() == {item.name: item.place for item in two_rooms.objects}


def test_a_full_gripper_picks_nothing_more(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    finish(plant, "pick", object="red mug")
    assert finish(plant, "pick", object="blue mug").reason == "already holding red mug"
    assert plant.holding == "red mug"


def test_driving_away_during_a_pick_makes_it_fail(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    plant.start_skill(SkillRequest("pick", {"object": "red mug"}))
    plant.command(-0.5, 0.0)
    plant.advance(2.0)
    assert plant.skill_status().state == "failed"
    assert "too far" in plant.skill_status().reason


def test_cancel_leaves_the_object_where_it_is(two_rooms: World) -> None:
    plant = at(two_rooms, "kitchen counter")
    plant.start_skill(SkillRequest("pick", {"object": "red mug"}))
    plant.advance(0.5)
    plant.cancel_skill()
    assert plant.skill_status() == SkillStatus("failed", "cancelled")
    plant.advance(2.0)
    assert plant.holding is None


def test_say_wait_inspect_and_dock_take_time_and_succeed(two_rooms: World) -> None:
    plant = at(two_rooms, "dock")
    assert finish(plant, "say", text="dinner is ready").state == "succeeded"
    assert [text for _, text in plant.spoken] == ["dinner is ready"]
    before = plant.time_s
    assert finish(plant, "wait", duration_s=3.0).state == "succeeded"
    assert plant.time_s - before == pytest.approx(3.0, abs=0.05)
    assert finish(plant, "inspect", target="kitchen").state == "succeeded"
    assert finish(plant, "dock").state == "succeeded"
