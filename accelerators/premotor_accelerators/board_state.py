"""What a board is doing now: power mode, clocks and their caps, read from the system's files; nothing is changed.

Paths are a Jetson's (JetPack 5 to 7); on other machines most of it is None. Frequencies are in MHz.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/")
_GPU = ("sys/devices/platform/17000000.gpu/devfreq_dev", "sys/devices/platform/*/17000000.gpu/devfreq/17000000.gpu")
_DLA = ("sys/devices/platform/*.nvdla?", "sys/devices/platform/*/*.nvdla?", "sys/devices/platform/*/*/*.nvdla?")
_EMC_CAP = "sys/kernel/nvpmodel_clk_cap/emc"
_EMC_NOW = ("sys/kernel/debug/bpmp/debug/clk/emc/rate", "sys/class/devfreq/bwmgr/cur_freq")
_MOST_EMC = ("sys/kernel/debug/bpmp/debug/clk/emc/max_rate", "sys/class/devfreq/bwmgr/max_freq")


@dataclass(frozen=True)
class Clock:
    """A unit's clock now and the highest it may take; None where the system does not tell."""

    now_mhz: float | None
    cap_mhz: float | None


UNKNOWN_CLOCK = Clock(None, None)


@dataclass(frozen=True)
class BoardState:
    """`model` from the device tree, `l4t` the release of Jetson Linux, `power_mode` by nvpmodel's name for it.

    `memory` is the memory controller (EMC): its cap is what most often costs a third of the bandwidth unnoticed.
    """

    model: str | None
    l4t: str | None
    power_mode: str | None
    cpu: Clock
    gpu: Clock
    memory: Clock
    dla: tuple[Clock, ...]


def read_board_state(root: Path = _ROOT) -> BoardState:
    """What the files under `root` say now."""
    gpu = _first(root, _GPU)
    return BoardState(
        model=(_text(root / "proc/device-tree/model") or "").strip("\0 \n") or None,
        l4t=_l4t(root),
        power_mode=_power_mode(root),
        cpu=_cpu(root),
        gpu=Clock(_mhz(gpu / "cur_freq"), _mhz(gpu / "max_freq")) if gpu else UNKNOWN_CLOCK,
        memory=Clock(_any_mhz(root, _EMC_NOW), _mhz(root / _EMC_CAP) or _any_mhz(root, _MOST_EMC)),
        dla=tuple(_dla(folder) for folder in dla_folders(root)),
    )


def dla_folders(root: Path = _ROOT) -> list[Path]:
    """The system's folders of the DLA cores, core 0 first."""
    found = {folder.name: folder for pattern in _DLA for folder in root.glob(pattern) if folder.is_dir()}
    return [found[name] for name in sorted(found, key=lambda name: name.rpartition(".")[2])]


def _dla(folder: Path) -> Clock:
    caps = [mhz for path in sorted(folder.glob("clk_cap/*")) if (mhz := _mhz(path)) is not None]
    return Clock(_mhz(folder / "devfreq/cur_freq"), max(caps, default=None))


def _cpu(root: Path) -> Clock:
    cores = list((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq"))
    now = [mhz for core in cores if (mhz := _mhz(core / "scaling_cur_freq", 1e3)) is not None]
    cap = [mhz for core in cores if (mhz := _mhz(core / "scaling_max_freq", 1e3)) is not None]
    return Clock(max(now, default=None), max(cap, default=None))


def _l4t(root: Path) -> str | None:
    """`# R36 (release), REVISION: 4.3, …` -> `36.4.3`."""
    match = re.match(r"#\s*R(\d+).*?REVISION:\s*([\d.]+)", _text(root / "etc/nv_tegra_release") or "")
    return f"{match.group(1)}.{match.group(2)}" if match else None


def _power_mode(root: Path) -> str | None:
    status = re.search(r"pmode:\s*(\d+)", _text(root / "var/lib/nvpmodel/status") or "")
    if status is None:
        return None
    number = int(status.group(1))
    modes = re.findall(r"<\s*POWER_MODEL\s+ID=(\d+)\s+NAME=(\S+?)\s*>", _text(root / "etc/nvpmodel.conf") or "")
    return next((name for identity, name in modes if int(identity) == number), f"mode {number}")


def _any_mhz(root: Path, patterns: tuple[str, ...]) -> float | None:
    return next((mhz for pattern in patterns if (mhz := _mhz(root / pattern)) is not None), None)


def _mhz(path: Path, unit_hz: float = 1.0) -> float | None:
    match = re.fullmatch(r"\d+", (_text(path) or "").strip())
    hertz = int(match.group()) * unit_hz if match else 0.0
    return round(hertz / 1e6, 1) if hertz > 0 else None


def _first(root: Path, patterns: tuple[str, ...]) -> Path | None:
    return next((path for pattern in patterns for path in sorted(root.glob(pattern))), None)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return None
