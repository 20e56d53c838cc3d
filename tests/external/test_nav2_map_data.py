from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from premotor_planners.errors import MapFileError
from premotor_planners.maps.nav2_map import load_map
from premotor_planners.maps.nav2_map_image import read_image


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("nav2_bringup/maps/depot", (5947, 179481, 0)),
        ("nav2_bringup/maps/depot_keepout", (31213, 154215, 0)),
        ("nav2_bringup/maps/tb3_sandbox", (870, 7903, 138683)),
        ("nav2_costmap_2d/test/map/TenByTen", (20, 78, 2)),
        ("nav2_system_tests/maps/keepout_mask", (171, 8690, 138595)),
    ],
)
def test_occupied_free_and_unknown_cells_are_counted_as_nav2_does(
    data: Path, name: str, counts: tuple[int, int, int]
) -> None:
    cells = load_map(data / "nav2_maps" / f"{name}.yaml").data
    assert tuple(int((cells == value).sum()) for value in (100, 0, -1)) == counts


@pytest.mark.parametrize("name", ["nav2_bringup/maps/depot_speed", "nav2_system_tests/maps/speed_mask"])
def test_speed_masks_keep_what_lies_between(data: Path, name: str) -> None:
    cells = load_map(data / "nav2_maps" / f"{name}.yaml").data
    assert len(np.unique(cells[(cells > 0) & (cells < 100)])) >= 2


def test_the_one_image_in_three_formats_is_one_map(data: Path, tmp_path: Path) -> None:
    folder = data / "nav2_maps" / "nav2_map_server" / "test"
    found = []
    for image in ("testmap.png", "testmap.pgm", "testmap.bmp"):
        path = tmp_path / "map.yaml"
        text = (folder / "testmap.yaml").read_text().replace("1.0]", "0.0]")
        path.write_text(text.replace('"testmap.png"', f'"{folder / image}"'))
        found.append(load_map(path))
    assert found[0].origin_m == (2.0, 3.0) and found[0].resolution_m == 0.1
    assert all(np.array_equal(found[0].data, each.data) for each in found) and len(np.unique(found[0].data)) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nav2_map_server/test/testmap", r"origin\[2\]"),
        ("nav2_map_server/test/invalid_image", r"origin\[2\]"),
        ("nav2_system_tests/maps/empty_room", r"maps/empty\.pgm: the image is missing"),
    ],
)
def test_broken_pairs_are_refused(data: Path, name: str, said: str) -> None:
    with pytest.raises(MapFileError, match=said):
        load_map(data / "nav2_maps" / f"{name}.yaml")


def test_an_image_that_is_not_there(data: Path) -> None:
    with pytest.raises(MapFileError, match="missing"):
        read_image(data / "nav2_maps" / "nav2_map_server" / "test" / "invalid.png")
