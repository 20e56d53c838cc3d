from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from premotor_foundation.errors import EXIT_USAGE, ConfigError
from premotor_planners.errors import WorldError
from premotor_planners.world.loader import load_world
from premotor_planners.world.model import World
from premotor_planners.world.names import fault_of

HOUSE = Path(__file__).parents[3] / "configs/worlds/house.yaml"
NAMES = {
    "rooms": "kitchen, living room, study, bedroom, hallway",
    "places": "kitchen counter, kitchen table, sink, sofa, coffee table, bookshelf, study desk, filing cabinet, bed, "
    "nightstand, shoe rack, dock",
    "objects": "red mug, blue mug, water bottle, apple, sponge, kitchen knife, newspaper, tv remote, dictionary, "
    "stapler, notebook, reading glasses, medicine box, umbrella",
    "people": "user, Anna, Ben",
}


def test_the_house_has_its_names_and_hazards() -> None:
    world = load_world(HOUSE, 0.25)
    for section, names in NAMES.items():
        assert {entry.name for entry in getattr(world, section)} == set(names.split(", "))
    assert {item.name for item in world.objects if item.hazard} == {"kitchen knife", "medicine box"}
    assert [place.name for place in world.places if place.kind == "dock"] == ["dock"]
    hallway = next(room.area_m for room in world.rooms if room.name == "hallway")
    assert hallway[0] < world.start[0] < hallway[2] and hallway[1] < world.start[1] < hallway[3]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "world.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(tmp_path: Path, old: str, new: str) -> tuple[str, int]:
    """The message and line for the house with `old` replaced by `new` once, and the line where `new` stands."""
    text = HOUSE.read_text()
    assert text.count(old) >= 1, old
    changed = text.replace(old, new, 1)
    path = written(tmp_path, changed)
    with pytest.raises(ConfigError) as caught:
        load_world(path, 0.25)
    assert caught.value.exit_code == EXIT_USAGE
    assert caught.value.line is not None
    return str(caught.value), changed[: text.index(old)].count("\n") + 1 - caught.value.line


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "    room: kitchen\n    area_m: [0.0, 7.4",
            "    room: kitchn\n    area_m: [0.0, 7.4",
            "did you mean `kitchen`",
        ),
        ("place: kitchen counter, color_rgb: [0.80", "place: kitchen conter, color_rgb: [0.80", "`kitchen counter`?"),
        ("{name: Ben, place: kitchen table}", "{name: Ben, place: garage}", "unknown place `garage`; known: bed"),
        ("{name: apple, place", "{name: sponge, place", "given twice"),
        ("{name: apple, place", "{name: Kitchen, place", "also to a room"),
        ("{name: apple, place", '{name: "app;le", place', "contains ';'"),
        ("{name: apple, place", '{name: "app\\nle", place', "contains '\\n'"),
        ("{name: apple, place", "{name: 'app\"le', place", "contains '\"'"),
        ("{name: apple, place", "{name: 'apple, green', place", "contains ','"),
        ("{name: apple, place", '{name: "a\\u202eb", place', r"contains '\u202e'"),
        ("{name: apple, place", "{name: '', place", "is empty"),
        ("{name: apple, place", f"{{name: {'a' * 41}, place", "41 characters; at most 40"),
        ("{name: apple, place", "{name: nothing, place", "reserved word"),
        ("{name: apple, place", "{name: user, place", "reserved word"),
        ("synonyms: [couch, settee]", "synonyms: [bed]", "is itself a name"),
        ("area_m: [0.0, 5.5, 0.6, 6.4]", "area_m: [0.0, 5.5, 0.0, 6.4]", "has no area"),
        ("area_m: [0.0, 5.5, 0.6, 6.4]", "area_m: [0.6, 5.5, 0.0, 6.4]", "has no area"),
        ("area_m: [0.0, 5.5, 0.6, 6.4]", "area_m: [0.0, 4.5, 0.6, 6.4]", "leaves its room `kitchen`"),
        ("approach: [1.0, 5.95, 3.1416]", "approach: [0.5, 5.95, 3.1416]", "stands in `sink`"),
        ("approach: [1.0, 5.95, 3.1416]", "approach: [0.75, 5.95, 3.1416]", "nearer than the robot's 0.25 m"),
        ("approach: [1.0, 5.95, 3.1416]", "approach: [3.0, 5.95, 3.1416]", "2.40 m away"),
        ("approach: [1.0, 5.95, 3.1416]", "approach: [.nan, 5.95, 3.1416]", "finite"),
        ("start: [5.5, 4.1, 0.0]", "start: [5.5, 4.9, 0.0]", "stands in a wall"),
        ("start: [5.5, 4.1, 0.0]", "start: [50.0, 4.1, 0.0]", "outside the world"),
        ("- [-0.1, 8.0, 11.1, 8.1]", "- [-0.1, 8.0, 61.1, 8.1]", "at most 60 m a side"),
        ("- [-0.1, 8.0, 11.1, 8.1]", "- [-0.1, 8.0, 1.0e+9, 8.1]", "a side"),
        ("name: nightstand", "nam: nightstand", "did you mean `name`"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    message, off = refused(tmp_path, old, new)
    assert said in message
    exact = "a side" not in said
    assert not exact or off in (0, -1), message
    assert re.match(r".*world\.yaml:\d+: ", message)


def test_an_unreachable_room_and_place_name_their_lines(tmp_path: Path) -> None:
    message, _ = refused(tmp_path, "  - [4.0, 3.25, 6.4, 3.35]", "  - [2.8, 3.25, 6.4, 3.35]")
    assert message.count("cannot be reached") == 3  # study, study desk, filing cabinet
    text = HOUSE.read_text().splitlines()
    found = {text[int(line) - 1].strip() for line in re.findall(r"yaml:(\d+):", message)}
    assert {line.split("name: ")[1].split(",")[0] for line in found} == {"study", "study desk", "filing cabinet"}


def minimal(**changes: Any) -> str:
    world: dict[str, Any] = {
        "name": "w",
        "rooms": [{"name": "hall", "area_m": [0, 0, 3, 3]}],
        "places": [],
        "objects": [],
        "people": [],
        "walls_m": [],
        "start": [1.5, 1.5, 0],
    }
    return yaml.safe_dump({**world, **changes})


def test_nothing_but_a_room_is_a_world(tmp_path: Path) -> None:
    world = load_world(written(tmp_path, minimal()), 0.25)
    assert isinstance(world, World) and world.bounds_m == (0.0, 0.0, 3.0, 3.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rooms": []}, "at least one"),
        ({"rooms": [{"name": f"room {i}", "area_m": [0, 0, 3, 3]} for i in range(65)]}, "65 rooms; at most 64"),
        ({"objects": [{"name": f"thing {i}", "place": "x"} for i in range(513)]}, "513 objects; at most 512"),
        ({"places": None}, "must be a list"),
    ],
)
def test_counts(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_world(written(tmp_path, minimal(**changes)), 0.25)


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_world(tmp_path / "none.yaml", 0.25)


def test_world_errors_are_configuration_errors() -> None:
    assert issubclass(WorldError, ConfigError) and WorldError.exit_code == EXIT_USAGE


@pytest.mark.parametrize("name", ["red mug", "Anna's desk", "Küche", "M&M", "room 2.0", "C++", "キッチン"])
def test_usable_names(name: str) -> None:
    assert fault_of(name) is None


@pytest.mark.parametrize(
    "name", [" mug", "mug ", "red  mug", "-mug", "a/b", "a\\b", "a`b", "a|b", "a(b)", "me", "Robot"]
)
def test_unusable_names(name: str) -> None:
    assert fault_of(name) is not None
