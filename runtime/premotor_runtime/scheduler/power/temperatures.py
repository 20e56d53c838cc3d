"""Temperatures, active cooling and power, from the system's files; nothing is changed.

Linux thermal sysfs (`/sys/class/thermal`); power from the INA3221 monitors of a Jetson (hwmon, millivolts and
milliamperes). What a machine does not tell is absent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/")
_THERMAL = ("sys/class/thermal", "sys/devices/virtual/thermal")
_HWMON = "sys/bus/i2c/drivers/ina3221/*/hwmon/hwmon*"


@dataclass(frozen=True)
class Zone:
    """A sensor by the system's name for it. `trip_c`: where it begins to slow the machine down; None: not told."""

    name: str
    celsius: float
    trip_c: float | None


@dataclass(frozen=True)
class Heat:
    """`throttling` names the cooling devices that hold clocks down now, `watts` the measured rails."""

    zones: tuple[Zone, ...]
    throttling: tuple[str, ...]
    watts: tuple[tuple[str, float], ...]

    @property
    def headroom_c(self) -> float | None:
        """Degrees until the first zone trips; None where no trip point is known."""
        return min((zone.trip_c - zone.celsius for zone in self.zones if zone.trip_c is not None), default=None)


def read_heat(root: Path = _ROOT) -> Heat:
    """What the files under `root` say now."""
    folder = next((root / each for each in _THERMAL if (root / each).is_dir()), root / _THERMAL[0])
    zones = tuple(zone for each in _numbered(folder, "thermal_zone") if (zone := _zone(each)) is not None)
    cooling = (each for each in _numbered(folder, "cooling_device") if (_number(each / "cur_state") or 0) > 0)
    slowing = tuple(name for each in cooling if not re.search(r"fan", name := _text(each / "type") or each.name))
    return Heat(zones, slowing, tuple(_watts(root)))


def _zone(folder: Path) -> Zone | None:
    """Sensors that are switched off (a unit without power) answer with an error or far below freezing."""
    milli = _number(folder / "temp")
    if milli is None or milli < -100_000:
        return None
    passive = [at for kind in folder.glob("trip_point_*_type") if (at := _trip(kind)) is not None]
    return Zone(_text(folder / "type") or folder.name, milli / 1e3, min(passive, default=None))


def _trip(kind: Path) -> float | None:
    milli = _number(kind.with_name(kind.name.replace("_type", "_temp")))
    return milli / 1e3 if _text(kind) == "passive" and milli is not None and milli > 0 else None


def _watts(root: Path) -> list[tuple[str, float]]:
    rails = []
    for label in sorted(root.glob(f"{_HWMON}/in*_label")):
        number = label.name.removeprefix("in").removesuffix("_label")
        volts, amperes = _number(label.with_name(f"in{number}_input")), _number(label.with_name(f"curr{number}_input"))
        if volts is not None and amperes is not None:
            rails.append((_text(label) or label.name, volts * amperes / 1e6))
    return rails


def _numbered(folder: Path, prefix: str) -> list[Path]:
    found = [each for each in folder.glob(f"{prefix}*") if each.name.removeprefix(prefix).isdecimal()]
    return sorted(found, key=lambda each: int(each.name.removeprefix(prefix)))


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text is not None and re.fullmatch(r"-?\d+", text) else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None
