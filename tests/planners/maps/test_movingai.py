from __future__ import annotations

from pathlib import Path

import pytest

from premotor_planners.errors import MapFileError
from premotor_planners.maps.movingai import Scenario, read_map, read_scenarios

MAP = "type octile\nheight 2\nwidth 5\nmap\n.G@OT\n.....\n"


def written(folder: Path, text: str, name: str = "a.map") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_what_can_be_passed(tmp_path: Path) -> None:
    assert read_map(written(tmp_path, MAP)).tolist() == [[True, True, False, False, False], [True] * 5]
    assert read_map(written(tmp_path, MAP.replace("\n", "\r\n"))).shape == (2, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MAP.replace("octile", "tile"), r"a\.map:1: the header"),
        (MAP.replace("map\n", "grid\n"), r"a\.map:1: the header"),
        (MAP.replace("height 2", "height two"), r"a\.map:2: `height two`"),
        (MAP.replace("width 5", "width 0"), r"a\.map:3: `width 0`"),
        (MAP.replace("width 5", "width 6"), r"a\.map:5: 5 cells; every row must have 6"),
        (MAP.replace("height 2", "height 3"), r"a\.map:6: the file ends after 2 of 3 rows"),
        (MAP.replace("@", "W"), r"a\.map:5: terrain `W`; known"),
        ("type octile\nheight 2\n", "cut short"),
        ("", "cut short"),
    ],
)
def test_maps_that_are_none(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(MapFileError, match=said):
        read_map(written(tmp_path, text))


def test_a_file_that_is_missing_or_binary(tmp_path: Path) -> None:
    with pytest.raises(MapFileError, match="cannot be read"):
        read_map(tmp_path / "none.map")
    (tmp_path / "b.map").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MapFileError, match="ASCII"):
        read_map(tmp_path / "b.map")


@pytest.mark.parametrize("version", ["1", "1.0"])
def test_scenarios_with_tabs_or_spaces(tmp_path: Path, version: str) -> None:
    text = f"version {version}\n0\tmaps/x.map\t5\t2\t1\t0\t4\t1\t3.41421\n\n7 x.map 5 2 0 1 0 1 0\n"
    found = read_scenarios(written(tmp_path, text, "a.scen"), (2, 5))
    assert found == [Scenario(0, (0, 1), (1, 4), 3.41421), Scenario(7, (1, 0), (1, 0), 0.0)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 x.map 5 2 1 0 4 1", r"a\.scen:2: .*it must be bucket"),
        ("0 x.map 5 2 1 0 4 one 3.4", r"a\.scen:2: .*it must be bucket"),
        ("0 x.map 10 4 1 0 4 1 3.4", r"a\.scen:2: made for 10 x 4 cells, the map has 5 x 2"),
        ("0 x.map 5 2 5 0 4 1 3.4", r"a\.scen:2: the start \(5, 0\) lies outside"),
        ("0 x.map 5 2 1 0 4 -1 3.4", r"a\.scen:2: the goal \(4, -1\) lies outside"),
    ],
)
def test_scenarios_that_are_none(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(MapFileError, match=said):
        read_scenarios(written(tmp_path, f"version 1\n{line}\n", "a.scen"), (2, 5))


def test_another_version(tmp_path: Path) -> None:
    with pytest.raises(MapFileError, match=r"`version 2`; the first line must be"):
        read_scenarios(written(tmp_path, "version 2\n", "a.scen"), (2, 5))
