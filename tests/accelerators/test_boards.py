from __future__ import annotations

from pathlib import Path

import pytest

from premotor_accelerators.boards import board_named_in, load_board
from premotor_accelerators.dla.target import MODULES_KNOWN
from premotor_foundation.errors import ConfigError
from premotor_foundation.locations import configs_dir

FOLDER = configs_dir() / "boards"


@pytest.mark.parametrize("module", MODULES_KNOWN, ids=lambda module: module.name)
def test_every_module_of_the_placement_rules_is_a_board_with_its_dla_lanes(module: object) -> None:
    name, cores = module.name, module.dla_cores  # type: ignore[attr-defined]
    board = load_board(FOLDER / f"{name}.yaml")
    assert board.name == name
    assert [lane.dla_core for lane in board.lanes if lane.device == "dla"] == list(range(cores))
    assert all(mode.dla_cores <= cores for mode in board.power_modes)
    assert board.memory is not None and all(
        (mode.memory_mhz or 0) <= board.memory.clock_mhz for mode in board.power_modes
    )


@pytest.mark.parametrize(
    ("model", "memory", "name"),
    [
        ("NVIDIA Jetson AGX Orin Developer Kit", 61.4, "agx_orin_64"),
        ("NVIDIA Jetson AGX Orin", 29.9, "agx_orin_32"),
        ("NVIDIA Jetson Orin NX Engineering Reference Developer Kit", 15.3, "orin_nx_16"),
        ("NVIDIA Jetson Orin Nano Developer Kit", None, "orin_nano_8"),
        ("NVIDIA Jetson AGX Thor Developer Kit", 122.0, "thor"),
        ("Raspberry Pi 5 Model B", 8.0, None),
    ],
)
def test_a_board_is_known_by_its_device_tree_and_memory(model: str, memory: float | None, name: str | None) -> None:
    board = board_named_in(FOLDER, model, memory)
    assert (board.name if board else None) == name


def test_power_modes_are_found_by_name() -> None:
    board = load_board(FOLDER / "agx_orin_64.yaml")
    assert board.power_mode("MODE_30W").gpu_sms == 8
    with pytest.raises(KeyError):
        board.power_mode("MODE_31W")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lanes: [{name: dla, device: dla}]", "dla0 or dla1"),
        ("lanes: [{name: gpu, device: npu}]", "allowed: cpu, cuda, tensorrt, dla"),
        ("lanes: [{name: a, device: cpu}]\nmemory: {gb: 0, gbps: 1, clock_mhz: 1}", "above 0"),
        (
            "lanes: [{name: a, device: cpu}]\npower_modes: [{name: m, cpus: 1}, {name: m, cpus: 2}]",
            "names of their own",
        ),
    ],
)
def test_a_board_that_cannot_be_is_refused_with_its_line(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text(f"name: b\n{line}\n")
    with pytest.raises(ConfigError, match=words):
        load_board(path)
