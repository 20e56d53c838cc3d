from __future__ import annotations

from pathlib import Path

import pytest

from premotor_accelerators.board_state import Clock, read_board_state

FILES = {
    "proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
    "etc/nv_tegra_release": "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64\n",
    "var/lib/nvpmodel/status": "pmode:0002 fmode:fanNull\n",
    "etc/nvpmodel.conf": "< POWER_MODEL ID=0 NAME=MAXN >\nCPU_ONLINE CORE_0 1\n< POWER_MODEL ID=2 NAME=MODE_30W >\n",
    "sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu/cur_freq": "306000000\n",
    "sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu/max_freq": "612000000\n",
    "sys/devices/platform/bus@0/13e00000.host1x/15880000.nvdla0/clk_cap/dla0_core": "1369600000\n",
    "sys/devices/platform/bus@0/13e00000.host1x/158c0000.nvdla1/clk_cap/dla1_core": "1369600000\n",
    "sys/kernel/nvpmodel_clk_cap/emc": "2133000000\n",
    "sys/kernel/debug/bpmp/debug/clk/emc/rate": "2133000000\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "729600\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "1728000\n",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "1190400\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_a_board_is_read_from_the_systems_files(tree: Path) -> None:
    state = read_board_state(tree)
    assert state.model == "NVIDIA Jetson AGX Orin Developer Kit"
    assert (state.l4t, state.power_mode) == ("36.4.3", "MODE_30W")
    assert state.cpu == Clock(1190.4, 1728.0) and state.gpu == Clock(306.0, 612.0)
    assert state.memory == Clock(2133.0, 2133.0)
    assert state.dla == (Clock(None, 1369.6), Clock(None, 1369.6))


def test_what_is_not_told_is_none(tmp_path: Path, tree: Path) -> None:
    nothing = read_board_state(tmp_path / "nothing")
    assert (nothing.model, nothing.l4t, nothing.power_mode, nothing.dla) == (None, None, None, ())
    assert nothing.memory == nothing.gpu == nothing.cpu == Clock(None, None)
    (tree / "etc/nvpmodel.conf").unlink()
    (tree / "sys/kernel/nvpmodel_clk_cap/emc").write_text("max\n")
    state = read_board_state(tree)
    assert state.power_mode == "mode 2" and state.memory == Clock(2133.0, None)
