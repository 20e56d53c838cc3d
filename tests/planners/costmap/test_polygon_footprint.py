from __future__ import annotations

import logging
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.costmap.errors import FootprintError
from premotor_planners.costmap.footprint import CurrentFootprint, inscribed_radius_m, padded, polygon_footprint
from premotor_planners.motion.footprint import ConvexPolygon, Disc

SQUARE = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
L_SHAPE = ((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0))


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        ((), "0 different corners"),
        (((0.0, 0.0), (1.0, 0.0)), "2 different corners"),
        (((0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 0.0)), "2 different corners"),
        (((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)), "crosses or touches|no area"),
        (((0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)), "crosses"),
        (((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 0.0), (0.0, 2.0)), "touches"),
        (((0.0, 0.0), (1.0, 0.0), (math.nan, 1.0)), "not finite"),
        (((0.0, 0.0), (1.0, 0.0), (math.inf, 1.0)), "not finite"),
        (((0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0)), "pairs of x and y"),
        (((0.0, 0.0), (1.0,), (0.0, 1.0)), "pairs of numbers"),
        ((("a", "b"), ("c", "d"), ("e", "f")), "pairs of numbers"),
        ([1.0, 2.0, 3.0], "pairs of x and y"),
        ([(math.cos(4 * math.pi * i / 5), math.sin(4 * math.pi * i / 5)) for i in range(5)], "crosses"),
    ],
)
def test_outlines_that_are_no_polygon_are_refused(corners: object, said: str) -> None:
    with pytest.raises(FootprintError, match=said):
        polygon_footprint(corners)  # type: ignore[arg-type]


def test_either_way_round_and_not_convex() -> None:
    polygon = polygon_footprint(L_SHAPE[::-1])
    assert polygon.distance(np.array([0.5, 0.5])) == pytest.approx(-0.5)
    assert polygon.distance(np.array([1.5, 1.5])) == pytest.approx(0.5)
    assert polygon.distance(np.array([[3.0, 0.5], [-1.0, -1.0]])) == pytest.approx([1.0, math.sqrt(2)])
    assert polygon.reach_m == pytest.approx(math.sqrt(5)) and polygon.inscribed_m == 0.0


@settings(max_examples=200, deadline=None)
@given(st.floats(-2, 2), st.floats(-2, 2))
def test_a_convex_one_measures_as_the_convex_polygon_does(x: float, y: float) -> None:
    corners = ((0.5, -0.4), (0.6, 0.1), (0.1, 0.5), (-0.6, 0.2), (-0.3, -0.5))
    expected = ConvexPolygon(corners).distance(np.array([x, y]))
    assert polygon_footprint(corners).distance(np.array([x, y])) == pytest.approx(float(expected), abs=1e-9)


def test_c10_padding_grows_the_polygon_about_itself() -> None:
    away = ((10.0, 10.0), (12.0, 10.0), (12.0, 12.0), (10.0, 12.0))
    grown = polygon_footprint(away, 0.5)
    np.testing.assert_allclose(
        sorted(grown.corners_m), [(9.5, 9.5), (9.5, 12.5), (12.5, 9.5), (12.5, 12.5)], atol=1e-12
    )
    shrunk = polygon_footprint(away, -0.5)
    np.testing.assert_allclose(
        sorted(shrunk.corners_m), [(10.5, 10.5), (10.5, 11.5), (11.5, 10.5), (11.5, 11.5)], atol=1e-12
    )
    for padding in (-1.0, -1.5, -50.0, math.nan, math.inf):
        with pytest.raises(FootprintError, match="padd"):
            polygon_footprint(away, padding)


@settings(max_examples=100, deadline=None)
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.01, 0.3))
def test_padding_keeps_every_side_at_its_distance(x: float, y: float, padding: float) -> None:
    moved = [(a + x, b + y) for a, b in L_SHAPE]
    grown = polygon_footprint(moved, padding)
    before = polygon_footprint(moved)
    middles = (np.array(grown.corners_m) + np.roll(np.array(grown.corners_m), -1, axis=0)) / 2
    np.testing.assert_allclose(before.distance(middles), padding, atol=1e-9)


def test_padded_takes_discs_and_polygons() -> None:
    assert padded(Disc(0.2), 0.05) == Disc(0.25)
    assert inscribed_radius_m(padded(ConvexPolygon(SQUARE[::1]), 0.25)) == pytest.approx(1.25)
    with pytest.raises(FootprintError, match="leaves nothing"):
        padded(Disc(0.2), -0.2)
    assert inscribed_radius_m(polygon_footprint(SQUARE)) == 1.0


def test_c2_the_old_footprint_stays_and_it_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    current = CurrentFootprint(Disc(0.2))
    with caplog.at_level(logging.ERROR):
        assert not current.offer([]) and not current.offer([(0.0, 0.0)]) and not current.offer([])
        assert len(caplog.records) == 1 and "the old one stays" in caplog.text
        assert current.footprint == Disc(0.2)
        assert current.offer(SQUARE, 0.1) and current.footprint.reach_m == pytest.approx(1.1 * math.sqrt(2))
        assert not current.offer([])
        assert len(caplog.records) == 2
