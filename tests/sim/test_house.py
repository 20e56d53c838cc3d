from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import mujoco
import pytest

from premotor_planners.world.model import Item, World
from premotor_sim.house import house_xml, object_shape
from premotor_sim.layout import lay_out
from premotor_sim.robot import RobotBody


@pytest.fixture
def xml(two_rooms: World) -> str:
    return house_xml(two_rooms, lay_out(two_rooms), RobotBody(), two_rooms.start)


def test_every_part_of_the_world_has_a_geom_of_its_size(two_rooms: World, xml: str) -> None:
    geoms = {geom.get("name"): geom for geom in ET.fromstring(xml).iter("geom")}
    assert sum(name.startswith("wall/") for name in geoms if name) == len(two_rooms.walls_m)
    for place in two_rooms.places:
        geom = geoms[f"{'dock' if place.kind == 'dock' else 'place'}/{place.name}"]
        half = [float(n) for n in str(geom.get("size")).split()]
        assert 2 * half[0] == pytest.approx(place.area_m[2] - place.area_m[0])
        assert 2 * half[2] == pytest.approx(max(place.height_m, 0.002), abs=0.003)
    assert {f"person/{person.name}" for person in two_rooms.people} <= set(geoms)
    assert {f"object/{item.name}" for item in two_rooms.objects} <= set(geoms)


def test_dock_has_no_contact_and_robot_keeps_within_its_radius(two_rooms: World, xml: str) -> None:
    model = mujoco.MjModel.from_xml_string(xml)
    assert model.geom("dock/dock").contype[0] == model.geom("dock/dock").conaffinity[0] == 0
    assert model.opt.timestep == 0.002
    assert model.geom("robot/chassis").size[0] == 0.22
    for caster in ("robot/front_caster", "robot/rear_caster"):
        assert model.geom(caster).priority[0] == 1
        assert model.geom(caster).friction[0] == 0.0


def test_names_with_markup_do_not_break_the_model(two_rooms: World) -> None:
    odd = replace(two_rooms, objects=(Item('odd <"&> thing', "study desk"),))
    model = mujoco.MjModel.from_xml_string(house_xml(odd, lay_out(odd), RobotBody(), odd.start))
    assert model.geom('object/odd <"&> thing').type[0] == mujoco.mjtGeom.mjGEOM_CYLINDER


def test_shape_follows_the_last_word() -> None:
    assert object_shape("medicine box").type == "box"
