from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from premotor_accelerators.board_state import BoardState, Clock, read_board_state
from premotor_accelerators.boards import load_board
from premotor_foundation.locations import configs_dir
from premotor_runtime.doctor import gpu as gpu_module
from premotor_runtime.doctor.advising import advise
from premotor_runtime.doctor.devices import Surroundings, count_dla, find_board, find_devices, find_system_tensorrt
from premotor_runtime.doctor.examine import PACKAGES, examine
from premotor_runtime.doctor.findings import Device
from premotor_runtime.doctor.gpu import Gpu, find_gpu
from premotor_runtime.doctor.machine import read_machine
from premotor_runtime.doctor.showing import print_findings

ORIN = load_board(configs_dir() / "boards/agx_orin_64.yaml")
NONE = Clock(None, None)
STATE = BoardState("NVIDIA Jetson AGX Orin", "36.4.3", "MAXN", NONE, NONE, NONE, (Clock(None, 1369.6),) * 2)
GPU = Gpu(True, "Orin GPU", 1, "found", Clock(306.0, 1300.0))
HERE: Mapping[str, str | None] = {
    **dict.fromkeys(PACKAGES),
    "onnxruntime": "1.20",
    "tensorrt": "10.3.0",
    "pycuda": "2025.1",
}
WHOLE = Surroundings(read_machine(), STATE, GPU, ORIN, HERE, ("CUDAExecutionProvider",), 2)


def rows(around: Surroundings = WHOLE, **versions: str | None) -> dict[str, Device]:
    changed = replace(around, versions={**around.versions, **versions})
    return {device.name: device for device in find_devices(changed)}


def test_a_whole_orin_has_every_device_with_version_cores_and_clock() -> None:
    found = rows(torch="2.8.0")
    assert all(found[name].usable for name in ("cpu", "cuda", "torch", "tensorrt", "dla"))
    assert (found["tensorrt"].version, found["tensorrt"].clock.cap_mhz) == ("10.3.0", 1300.0)
    assert (found["dla"].cores, found["dla"].clock.cap_mhz) == (2, 1369.6)
    assert not any(found[name].remedy for name in ("cpu", "cuda", "tensorrt", "dla"))


@pytest.mark.parametrize(
    ("name", "versions", "reason", "remedy"),
    [
        ("torch", {"torch": None}, "no PyTorch", "./premotor setup --torch"),
        ("torch", {"torch": "2.6.0+cpu"}, "a build for the CPU", "pip install"),
        ("tensorrt", {"tensorrt": None}, "no package tensorrt", "python3-libnvinfer"),
        ("tensorrt", {"tensorrt": "8.6.2"}, "older than 10", "JetPack 6.1"),
        ("tensorrt", {"pycuda": None}, "no pycuda", "pip install pycuda"),
        ("dla", {"tensorrt": None}, "no package tensorrt", "python3-libnvinfer"),
        ("dla", {"tensorrt": "10.16.2"}, "10.16", "10.3"),
        ("dla", {"tensorrt": "nonsense"}, "TensorRT version", "python3-libnvinfer"),
        ("rtx", {"tensorrt-rtx-cu13-bindings": None}, "no TensorRT-RTX", "tests/external/rtx.txt"),
    ],
)
def test_what_is_missing_comes_with_the_command_that_mends_it(
    name: str, versions: dict[str, str | None], reason: str, remedy: str
) -> None:
    device = rows(**versions)[name]
    assert not device.usable and reason in device.reason and remedy in device.remedy


def test_a_gpu_without_driver_or_without_provider() -> None:
    no_driver = rows(replace(WHOLE, gpu=replace(GPU, driver=None)))
    assert "libcuda" in no_driver["cuda"].reason and "driver" in no_driver["tensorrt"].remedy
    no_provider = rows(replace(WHOLE, providers=("CPUExecutionProvider",)))["cuda"]
    assert "no CUDA provider" in no_provider.reason and "onnxruntime-gpu" in no_provider.remedy
    nothing = rows(replace(WHOLE, gpu=Gpu(False, "", 0, None, NONE), dla_cores=0, state=replace(STATE, dla=())))
    assert [name for name, device in nothing.items() if device.usable] == ["cpu"]
    assert all(device.remedy for name, device in nothing.items() if name != "cpu")


def test_a_tensorrt_of_the_systems_python_is_linked_not_installed_again(tmp_path: Path) -> None:
    there = tmp_path / "usr/lib/python3.10/dist-packages/tensorrt"
    there.mkdir(parents=True)
    assert find_system_tensorrt(tmp_path) == there and find_system_tensorrt(there) is None
    device = rows(replace(WHOLE, system_tensorrt=there), tensorrt=None)["tensorrt"]
    assert device.remedy.startswith(f"ln -s {there} ") and "site-packages" in device.remedy


def test_a_recorded_board_is_known_with_its_cores(tmp_path: Path) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("NVIDIA Jetson AGX Orin Developer Kit\0")
    (tmp_path / "dev").mkdir()
    for node in ("nvhost-nvdla0", "nvhost-nvdla1", "nvhost-gpu"):
        (tmp_path / "dev" / node).touch()
    state = read_board_state(tmp_path)
    board = find_board(replace(read_machine(), memory_total=int(61.4e9)), state)
    assert board is not None and board.name == "agx_orin_64" and count_dla(tmp_path, state) == 2
    findings = examine(tmp_path)
    console = Console(width=200, file=io.StringIO(), record=True)
    print_findings(findings, console)
    text = console.export_text()
    for words in ("Jetson AGX Orin", "board file", "power mode", "memory clock", "2 DLA cores"):
        assert words in text
    assert findings.board_file in ("agx_orin_64", "agx_orin_32")


def test_the_drivers_tool_is_asked_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/nvidia0").touch()
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA X, 570.1, 210, 1980'\necho 'NVIDIA X, 570.1, 210, 1980'\n")
    tool.chmod(0o755)
    monkeypatch.setattr(gpu_module.shutil, "which", lambda name: str(tool))
    assert find_gpu(tmp_path, STATE) == Gpu(True, "NVIDIA X", 2, "570.1", Clock(210.0, 1980.0))
    tool.write_text("#!/bin/sh\nexit 9\n")
    monkeypatch.setattr(gpu_module, "find_library", lambda name: None)
    assert find_gpu(tmp_path, STATE) == Gpu(True, "NVIDIA Jetson AGX Orin GPU", 1, None, NONE)
    assert not find_gpu(tmp_path / "dev", STATE).present


def test_a_capped_memory_clock_and_a_small_power_mode_are_told() -> None:
    full = replace(STATE, memory=Clock(3199.0, 3199.0))
    assert advise(full, ORIN) == ()
    told = advise(replace(full, power_mode="MODE_30W", memory=Clock(2133.0, 2133.0), cpu=Clock(729.6, 2201.6)), ORIN)
    assert [advice.about for advice in told] == ["memory clock", "power mode", "clocks"]
    assert "2133 of 3199 MHz: 33% of the bandwidth" in told[0].reason
    assert all("sudo" in advice.remedy for advice in told)
    assert advise(replace(full, memory=Clock(2133.0, 2133.0)), None) == ()
