from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from premotor_planners.world.model import World
from premotor_sim.layout import lay_out
from premotor_sim.report import palette
from premotor_sim.report.canvas import legible, shortened, text_width, wrapped
from premotor_sim.report.floor_plan import MapView
from premotor_sim.report.labels import LabelSpace
from premotor_sim.report.mission_png import MissionPicture, draw_mission, write_mission_png
from premotor_sim.report.route import Station, number_words, station_colors, stops


@pytest.fixture
def picture(two_rooms: World) -> MissionPicture:
    layout = lay_out(two_rooms)
    way = ((2.0, 1.7), (1.2, 1.2))
    back = ((1.2, 1.2), (4.0, 1.7), (7.0, 2.2))
    after = {**layout.objects, "red mug": (6.9, 2.84)}
    return MissionPicture(
        world=two_rooms,
        task="Take the red mug to the study desk",
        result="31 s",
        success=True,
        start=two_rooms.start,
        stations=(
            Station("go to kitchen counter", "succeeded", 4.0, way[-1], way, way),
            Station("pick red mug", "succeeded", 1.5, way[-1]),
            Station("go to study desk", "succeeded", 20.0, back[-1], back, back),
            Station("place red mug on study desk", "failed", 1.5, back[-1], reason="no free spot"),
            Station("dock", "not_started", 0.0, back[-1]),
        ),
        objects_before=layout.objects,
        objects_after=after,
        people={name: person.at for name, person in layout.people.items()},
    )


def test_the_picture_is_a_png_of_its_size_with_the_legs_in_their_colours(
    picture: MissionPicture, tmp_path: Path
) -> None:
    write_mission_png(tmp_path / "mission.png", picture)
    with Image.open(tmp_path / "mission.png") as image:
        assert image.format == "PNG"
        assert image.size == (1600, 1100)
        counts = {color: count for count, color in image.convert("RGB").getcolors(1 << 22) or []}
    assert counts[palette.leg_color(0)] > 500
    assert counts[palette.leg_color(1)] > 500
    assert counts[palette.GOOD] > 500
    assert counts[palette.WALL] > 5000


def test_equal_missions_give_equal_pictures(picture: MissionPicture) -> None:
    assert draw_mission(picture).tobytes() == draw_mission(picture).tobytes()


def test_a_picture_without_a_plan_and_with_odd_words_is_drawn(picture: MissionPicture) -> None:
    odd = replace(picture, stations=(), task="Bring Zoë 杯子 " * 40, success=False, result="nothing moved " * 30)
    assert draw_mission(odd).size == (1600, 1100)


def test_forty_steps_are_drawn(picture: MissionPicture) -> None:
    many = tuple(Station(f"say {i}", "succeeded", 1.0, (2.0, 1.7)) for i in range(40))
    assert draw_mission(replace(picture, stations=many)).size == (1600, 1100)


def test_steps_at_one_spot_share_a_stop_and_unstarted_ones_have_none(picture: MissionPicture) -> None:
    found = stops(picture.stations)
    assert [stop.numbers for stop in found] == [(1, 2), (3, 4)]
    colors = station_colors(picture.stations)
    assert colors[0] == colors[1] != colors[2] == colors[3]


def test_numbers_are_joined_into_runs() -> None:
    assert number_words((1, 2, 3, 6, 8, 9)) == "1-3, 6, 8-9"


def test_map_corners_fall_inside_the_box_with_y_up() -> None:
    view = MapView((-1.0, -2.0, 9.0, 3.0), (100.0, 50.0, 300.0, 250.0))
    assert view.scale == 20.0
    assert view.point((-1.0, -2.0)) == (100.0, 200.0)
    assert view.point((9.0, 3.0)) == (300.0, 100.0)


def test_a_label_takes_the_first_free_box_and_none_beyond_its_limit() -> None:
    space = LabelSpace((0, 0, 100, 100))
    space.reserve((0, 0, 50, 50))
    assert space.take([(0, 0, 20, 20), (60, 60, 80, 80)]) == (60, 60, 80, 80)
    assert space.take([(60, 60, 80, 80)], at_most=0.5) is None
    assert space.take([(90, 90, 110, 110)]) is None


def test_text_is_spelled_in_what_the_font_has() -> None:
    assert legible("Zoë – “Tür”\n杯") == 'Zoe - "Tur" ?'


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80), st.floats(20, 300))
def test_shortened_text_fits(text: str, width: float) -> None:
    assert text_width(shortened(text, 16, width), 16) <= max(width, text_width("…", 16))
    assert "".join("".join(wrapped(text, 16, width)).split()) == "".join(text.split())
