"""Which TensorRT can build for the DLA cores of which Jetson."""

from __future__ import annotations

import re
from dataclasses import dataclass

from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_accelerators.dla.sources import OPERATORS, RELEASE_1141, STRONG, WORKING
from premotor_foundation.errors import UsageError

Version = tuple[int, ...]


@dataclass(frozen=True)
class Gate:
    """What a TensorRT version means for DLA.

    `proven` is False where the build must be tried on the board first. `strongly_typed`: precision is that of the
    graph's tensors, no flag lowers it. `cbuf`: the convolution buffer rule is enforced. `loadables`: how many one core
    holds.
    """

    says: str
    source: str
    proven: bool = True
    strongly_typed: bool = False
    cbuf: bool = True
    loadables: int = 16


@dataclass(frozen=True)
class _Row:
    """From `first` up to, not including, the next row's."""

    first: Version
    gate: Gate | None
    says: str
    remedy: str = ""
    source: str = WORKING


_USE_103 = "use TensorRT 10.3 (JetPack 6.1 or 6.2)"
_USE_NEW = f"{_USE_103}, or 11.4.1 with JetPack 7.2.2 on AGX Orin"


def _yes(first: Version, gate: Gate) -> _Row:
    return _Row(first, gate, gate.says, source=gate.source)


def _no(first: Version, says: str, remedy: str = _USE_NEW, source: str = WORKING) -> _Row:
    return _Row(first, None, says, remedy, source)


_JETPACK_6 = "Deep-Learning-Accelerator-SW README.md at ea61780; JetPack 6.1 and 6.2 release notes"
_TABLE = (
    _no((0,), "TensorRT before 8.4 is not covered by the rules", _USE_103, OPERATORS),
    _yes((8, 4), Gate("JetPack 5.0: 4 loadables a core", OPERATORS, False, cbuf=False, loadables=4)),
    _yes((8, 5), Gate("JetPack 5.1: DLA 3.12", OPERATORS, cbuf=False)),
    _yes((8, 6), Gate("JetPack 6.0: DLA 3.14.1", OPERATORS)),
    _no((8, 6, 12), "TensorRT 8.6.12 is DRIVE OS's; no Jetson has it", _USE_103, OPERATORS),
    _yes((10,), Gate("no JetPack holds it: try a build on the board", WORKING, False)),
    _yes((10, 3), Gate("JetPack 6.1 and 6.2: the recommended base", _JETPACK_6)),
    _yes((10, 4), Gate("no JetPack holds it, 10.7 was the last with DLA: try a build on the board", WORKING, False)),
    _no((10, 8), "10.7 was the last TensorRT 10 with DLA; JetPack 7.2's 10.16 lacks the DLA compiler", _USE_NEW),
    _no((11,), "TensorRT 11.0 to 11.3 have no DLA"),
    _no((11, 4, 0), "TensorRT 11.4.0 has DLA on Windows on ARM only", _USE_NEW),
    _yes((11, 4, 1), Gate("JetPack 7.2.2 or later, strongly typed", RELEASE_1141, strongly_typed=True)),
    _yes((11, 4, 2), Gate("later than what the rules cover: try a build on the board", STRONG, False, True)),
    _no((12,), "later than what the rules cover"),
)


def parse_version(text: str) -> Version:
    """`10.3`, `10.3.0` or `10.3.0.30` as numbers. Raises UsageError.

    A version given by two numbers is the newest of its kind where that decides: `11.4` is 11.4.1.
    """
    if not re.fullmatch(r"\d{1,4}(\.\d{1,6}){1,3}", text):
        raise UsageError(f"the TensorRT version is `{text}`; give it as 10.3 or 10.3.0")
    version = tuple(map(int, text.split(".")))
    return (11, 4, 1) if version == (11, 4) else version


def gate(version: Version, family: str) -> Gate:
    """What holds for this version on this family of modules. Raises DlaUnavailable where nothing can be built."""
    row = next(row for row in reversed(_TABLE) if row.first <= version)
    text = ".".join(map(str, version))
    if row.gate is None:
        raise DlaUnavailable("tensorrt-version", f"TensorRT {text}: {row.says}", row.remedy, row.source)
    if row.gate.strongly_typed and family != "agx_orin":
        raise DlaUnavailable(
            "tensorrt-board", f"TensorRT {text} builds for DLA on AGX Orin only, not on {family}", _USE_103, WORKING
        )
    return row.gate
