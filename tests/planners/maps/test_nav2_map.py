from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from premotor_foundation.errors import ConfigError, UsageError
from premotor_planners.errors import MapError, MapFileError
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.nav2_map import load_map
from premotor_planners.maps.nav2_map_rule import MapRule
from premotor_planners.maps.nav2_map_saving import save_map

YAML = {
    "image": "map.png", "resolution": "0.05", "origin": "[-10.0, 2.5, 0.0]", "negate": "0",
    "occupied_thresh": "0.65", "free_thresh": "0.196",
}  # fmt: skip


def written(folder: Path, picture: Image.Image | None = None, name: str = "map.png", **keys: str | None) -> Path:
    if picture is not None:
        picture.save(folder / name)
    values = {**YAML, "image": name, **keys}
    path = folder / "map.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in values.items() if value is not None))
    return path


def grey(*rows: list[int]) -> Image.Image:
    return Image.fromarray(np.array(rows, np.uint8))


def test_the_top_of_the_image_is_the_last_row_of_the_grid(tmp_path: Path) -> None:
    grid = load_map(written(tmp_path, grey([0, 254, 205], [254, 254, 0])))
    assert grid.data.tolist() == [[0, 0, 100], [100, 0, -1]] and grid.data.dtype == np.int8
    assert grid.resolution_m == 0.05 and grid.origin_m == (-10.0, 2.5)
    assert grid.cell_of(-9.99, 2.51) == (0, 0) and grid.data.flags.c_contiguous


@pytest.mark.parametrize(
    ("mode", "negate", "expected"),
    [  # shades of 0, 64, 128, 190, 220, 255: s = 1, 0.749, 0.498, 0.255, 0.137, 0
        ("trinary", False, [100, 100, -1, -1, 0, 0]),
        ("trinary", True, [0, -1, -1, 100, 100, 100]),
        ("scale", False, [100, 100, 67, 13, 0, 0]),
        ("scale", True, [0, 12, 67, 100, 100, 100]),
        ("raw", False, [0, 64, -1, -1, -1, -1]),
        ("raw", True, [0, 64, -1, -1, -1, -1]),
    ],
)
def test_the_rule_for_every_mode(mode: str, negate: bool, expected: list[int]) -> None:
    rule = MapRule(mode, negate, 0.65, 0.196)  # type: ignore[arg-type]
    assert rule.values(np.array([0.0, 64, 128, 190, 220, 255])).tolist() == expected


def test_free_wins_where_thresholds_overlap_and_bounds_belong_to_both() -> None:
    assert MapRule("trinary", False, 0.2, 0.8).values(np.array([128.0])).tolist() == [0]
    assert MapRule("scale", False, 0.2, 0.8).values(np.array([0.0, 128, 255])).tolist() == [100, 0, 0]
    assert MapRule("trinary", False, 1.0, 0.0).values(np.array([0.0, 1, 254, 255])).tolist() == [100, -1, -1, 0]


def test_m1_a_turned_map_is_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, grey([0]), origin="[-21.2, -14.9, 1.56]")
    with pytest.raises(MapFileError, match=r"map\.yaml: `origin\[2\]`, the map's yaw, is 1\.56.*turn the image"):
        load_map(path)


@pytest.mark.parametrize("mode", ["trinary", "scale"])
def test_m4_what_is_not_opaque_is_unknown_and_alpha_is_no_colour(tmp_path: Path, mode: str) -> None:
    pixels = np.array([[[0, 0, 0, 255], [0, 0, 0, 254], [255, 255, 255, 0], [255, 255, 255, 255]]], np.uint8)
    grid = load_map(written(tmp_path, Image.fromarray(pixels), occupied_thresh="0.9", mode=mode))
    assert grid.data.tolist() == [[100, -1, -1, 0]]
    raw = load_map(written(tmp_path, Image.fromarray(pixels), mode="raw"))
    assert raw.data.tolist() == [[0, 0, -1, -1]]


def test_m4_grey_with_alpha_and_a_transparent_grey(tmp_path: Path) -> None:
    both = Image.fromarray(np.array([[[0, 255], [0, 9]]], np.uint8))
    assert both.mode == "LA" and load_map(written(tmp_path, both)).data.tolist() == [[100, -1]]
    grey([0, 77, 254]).save(tmp_path / "map.png", transparency=77)
    assert load_map(written(tmp_path)).data.tolist() == [[100, -1, 0]]


def test_m5_raw_values_stay_as_they_are(tmp_path: Path) -> None:
    grid = load_map(written(tmp_path, grey(list(range(256))), mode="raw"))
    assert grid.data.tolist() == [[*range(101), *[-1] * 155]]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("resolution", '"abc"', r"map\.yaml:2: `resolution` is `abc`; it must be a number"),
        ("resolution", '"0.05"', r"`resolution` is `0\.05`; it must be a number"),
        ("resolution", None, r"map\.yaml:1: the key `resolution` is missing"),
        ("resolution", "0.0", r"`resolution` is 0\.0; it must be above 0"),
        ("resolution", "-0.05", r"`resolution` is -0\.05; it must be above 0"),
        ("resolution", ".nan", r"`resolution` is nan; it must be a finite number"),
        ("image", None, r"the key `image` is missing"),
        ("image", '""', r"`image` is empty"),
        ("origin", "[0.0, 0.0]", r"`origin` has 2 entries; it must have 3"),
        ("origin", "[0.0, .inf, 0.0]", r"`origin\[1\]` is inf"),
        ("negate", "2", r"`negate` is `2`; allowed: 0, 1, true, false"),
        ("mode", "Trinary", r"`mode` is `Trinary`; allowed: trinary, scale, raw; did you mean `trinary`"),
        ("free_thresh", "1.2", r"`free_thresh` is 1\.2; it must be at least 0 and at most 1"),
        ("occupied_tresh", "0.6", r"unknown key `occupied_tresh`; did you mean `occupied_thresh`"),
    ],
)
def test_m7_a_wrong_key_is_named_with_its_file(tmp_path: Path, key: str, value: str | None, said: str) -> None:
    path = written(tmp_path, grey([0]), **{key: value})
    with pytest.raises(ConfigError, match=said) as caught:
        load_map(path)
    assert isinstance(caught.value, UsageError) and caught.value.exit_code == 2
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_m9_a_palette_is_made_grey_before_it_is_judged(tmp_path: Path) -> None:
    image = Image.new("P", (4, 1))
    image.putpalette([255, 255, 255, 0, 0, 0, 128, 128, 128, 254, 254, 254])
    image.putdata([0, 1, 2, 3])
    assert load_map(written(tmp_path, image)).data.tolist() == [[0, 100, -1, 0]]
    assert load_map(written(tmp_path, image, negate="1")).data.tolist() == [[100, 0, -1, 100]]
    image.save(tmp_path / "map.png", transparency=1)
    assert load_map(written(tmp_path)).data.tolist() == [[0, -1, -1, 0]]


def test_m12_a_missing_image_is_named_where_it_was_sought(tmp_path: Path) -> None:
    path = written(tmp_path, grey([0]), "empty_room.pgm", image="empty.pgm")
    with pytest.raises(MapFileError, match=r"empty\.pgm: the image is missing; .*correct `image`") as caught:
        load_map(path)
    assert caught.value.path == tmp_path / "empty.pgm"


@pytest.mark.parametrize(
    ("text", "negated"), [("0", False), ("1", True), ("false", False), ("true", True), ("True", True)]
)
def test_m13_negate_zero_black_is_occupied_one_white_is(tmp_path: Path, text: str, negated: bool) -> None:
    grid = load_map(written(tmp_path, grey([0, 255]), negate=text))
    assert grid.data.tolist() == [[0, 100] if negated else [100, 0]]


@pytest.mark.parametrize("name", ["map.pgm", "map.png", "map.bmp"])
@pytest.mark.parametrize("size", [1, 12, 60, 200, -1])
def test_an_image_cut_short_is_an_error(tmp_path: Path, name: str, size: int) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (20, 30))
    path = written(tmp_path, Image.fromarray(noise.astype(np.uint8)), name)
    whole = (tmp_path / name).read_bytes()
    load_map(path)
    (tmp_path / name).write_bytes(whole[:size])
    if name != "map.pgm" and size == -1:
        return  # a PNG ends with a checksum of nothing, this BMP with a byte that fills up a row: all pixels are there
    with pytest.raises(MapFileError, match=r"cannot be read.*whole PGM, PNG or BMP"):
        load_map(path)


def test_images_that_are_none_or_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "map.png").write_text("not an image")
    with pytest.raises(MapFileError, match="cannot be read"):
        load_map(written(tmp_path))
    Image.new("L", (3, 3)).save(tmp_path / "map.png", "GIF")
    with pytest.raises(MapFileError, match="cannot be read"):
        load_map(written(tmp_path))
    (tmp_path / "map.png").unlink()
    (tmp_path / "map.png").mkdir()
    with pytest.raises(MapFileError, match="cannot be read"):
        load_map(written(tmp_path))
    with pytest.raises(ConfigError, match="no such file"):
        load_map(tmp_path / "none.yaml")


def test_sixteen_bits_one_bit_ascii_and_a_path_of_its_own(tmp_path: Path) -> None:
    deep = Image.fromarray(np.array([[0, 32768, 65535]], np.uint16))
    assert load_map(written(tmp_path, deep)).data.tolist() == [[100, -1, 0]]
    assert load_map(written(tmp_path, Image.fromarray(np.array([[True, False]])))).data.tolist() == [[0, 100]]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "ascii.pgm").write_text("P2\n# a comment\n3 1\n100\n0 50 100\n")
    assert load_map(written(tmp_path, image="sub/ascii.pgm")).data.tolist() == [[100, -1, 0]]
    assert load_map(written(tmp_path, image=f'"{tmp_path / "sub" / "ascii.pgm"}"')).data.tolist() == [[100, -1, 0]]


values = st.lists(st.lists(st.integers(-1, 100), min_size=3, max_size=3), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(values, st.sampled_from([("raw", "pgm"), ("raw", "png"), ("raw", "bmp"), ("scale", "png")]))
def test_what_is_saved_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]], kind: tuple[str, str]
) -> None:
    grid = OccupancyGrid(np.array(rows, np.int8), 0.05, (-1.25, 1e-7))
    path = tmp_path_factory.mktemp("maps") / "my map.yaml"
    save_map(grid, path, kind[0], kind[1])  # type: ignore[arg-type]
    found = load_map(path)
    assert found.data.tolist() == rows and found.origin_m == grid.origin_m and found.resolution_m == 0.05


@pytest.mark.parametrize("image_format", ["pgm", "png", "bmp"])
def test_trinary_keeps_free_occupied_and_unknown(tmp_path: Path, image_format: str) -> None:
    grid = OccupancyGrid(np.array([[0, 100, -1, 19, 20, 64, 65]], np.int8), 1, (0, 0))  # type: ignore[arg-type]
    save_map(grid, tmp_path / "a.yaml", image_format=image_format)  # type: ignore[arg-type]
    assert load_map(tmp_path / "a.yaml").data.tolist() == [[0, 100, -1, 0, -1, -1, 100]]


def test_grids_that_cannot_be_saved_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    good = OccupancyGrid(np.zeros((2, 2), np.int8), 0.05, (0.0, 0.0))
    path = tmp_path / "a.yaml"
    with pytest.raises(MapError, match="alpha"):
        save_map(good, path, "scale", "pgm")
    with pytest.raises(MapError, match="shade of unknown"):
        save_map(good, path, free_thresh=0.25)
    for wrong in (
        OccupancyGrid(np.full((2, 2), 101, np.int8), 0.05, (0.0, 0.0)),
        OccupancyGrid(np.full((2, 2), -2, np.int8), 0.05, (0.0, 0.0)),
        OccupancyGrid(good.data, 0.0, (0.0, 0.0)),
        OccupancyGrid(good.data, 0.05, (math.nan, 0.0)),
    ):
        with pytest.raises(MapError, match="nothing was written"):
            save_map(wrong, path)
    assert not list(tmp_path.iterdir())
