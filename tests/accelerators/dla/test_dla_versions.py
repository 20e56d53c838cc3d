from __future__ import annotations

import pytest

from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_accelerators.dla.target import make_target
from premotor_accelerators.dla.versions import parse_version
from premotor_foundation.errors import UsageError


@pytest.mark.parametrize(
    ("tensorrt", "proven", "loadables"),
    [
        ("8.4.1", False, 4),
        ("8.5.2", True, 16),
        ("8.6.2", True, 16),
        ("10.3", True, 16),
        ("10.3.0.30", True, 16),
        ("10.4", False, 16),
        ("10.7", False, 16),
        ("11.4.1", True, 16),
        ("11.4", True, 16),
        ("11.5", False, 16),
    ],
)
def test_versions_that_build_for_dla(tensorrt: str, proven: bool, loadables: int) -> None:
    gate = make_target("agx_orin_64", "fp16", tensorrt).gate
    assert (gate.proven, gate.loadables) == (proven, loadables)
    assert gate.strongly_typed == tensorrt.startswith("11.")
    assert gate.cbuf == (not tensorrt.startswith(("8.4", "8.5")))


@pytest.mark.parametrize(
    "tensorrt", ["7.2", "8.0", "8.6.12", "10.8", "10.13", "10.16.2", "11.0", "11.1", "11.3.1", "11.4.0", "12.0"]
)
def test_versions_that_cannot(tensorrt: str) -> None:
    with pytest.raises(DlaUnavailable, match=r"10\.3") as caught:
        make_target("agx_orin_64", "fp16", tensorrt)
    assert caught.value.exit_code == 3
    assert caught.value.rule == "tensorrt-version"
    assert caught.value.source


@pytest.mark.parametrize("board", ["orin_nano", "orin_nano_8", "orin_nano_4", "thor", "agx_thor"])
def test_boards_without_a_dla_core(board: str) -> None:
    with pytest.raises(DlaUnavailable, match="no DLA core"):
        make_target(board)


def test_only_agx_orin_gets_dla_back_with_11_4_1() -> None:
    assert make_target("agx_orin_32", "int8", "11.4.1").gate.strongly_typed
    with pytest.raises(DlaUnavailable, match="AGX Orin only"):
        make_target("orin_nx_16", "fp16", "11.4.1")


def test_short_names_of_boards() -> None:
    assert make_target("orin_nx").module.name == "orin_nx_16"
    assert make_target("agx_orin").module.dla_cores == 2
    assert make_target("orin_nx_8").module.dla_cores == 1


def test_fp32_is_refused_and_nonsense_is_usage() -> None:
    with pytest.raises(DlaUnavailable, match="never fp32"):
        make_target(precision="fp32")
    with pytest.raises(UsageError, match="fp16 or int8"):
        make_target(precision="half")
    with pytest.raises(UsageError, match="did you mean agx_orin_64"):
        make_target("agx_orin_65")


@pytest.mark.parametrize("text", ["", "10", "ten", "10.x", "-1.2", "10.3.0.30.1", "10.3 ", "99999.1"])
def test_versions_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="TensorRT version"):
        parse_version(text)
