"""Recorded kernel inputs: one .npz file a run, its arrays named as the kernel's inputs."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.devices.tensor_check import check_tensors
from premotor_accelerators.errors import NotStored, WrongTensor
from premotor_accelerators.protocol import Arrays, Executable, Kernel, Profile
from premotor_foundation.atomic_write import write_atomically
from premotor_foundation.errors import UsageError

_MOST = 256


def record(folder: Path, kernel: Kernel, number: int, inputs: Arrays) -> Path:
    """Keep one run's inputs as `<kernel>-<number>.npz`. Raises WrongTensor, or NotStored."""
    check_tensors("input", inputs, kernel.inputs)
    path, packed = folder / f"{kernel.name}-{number:06d}.npz", io.BytesIO()
    np.savez_compressed(packed, **dict(inputs))  # type: ignore[arg-type]
    try:
        write_atomically(path, packed.getvalue())
    except OSError as error:
        raise NotStored(f"{path} cannot be written: {error}; free space or name another folder") from error
    return path


class Recorder:
    """Runs a compiled kernel and keeps the inputs of every `every`-th run, at most `most` of them, under `folder`.

    For a drive that gathers costmaps, not for one with deadlines: a kept run waits for the disk.
    """

    def __init__(
        self, executable: Executable, kernel: Kernel, folder: Path, every: int = 50, most: int = _MOST
    ) -> None:
        if every < 1 or most < 1:
            raise ValueError(f"every is {every} and most {most}; both must be at least 1")
        self._executable, self._kernel, self._folder = executable, kernel, folder
        self._every, self._most = every, most
        self._runs = 0

    def run(self, inputs: Arrays, outputs: dict[str, NDArray[Any]]) -> None:
        """As `Executable.run`; raises NotStored besides."""
        self._executable.run(inputs, outputs)
        number, rest = divmod(self._runs, self._every)
        self._runs += 1
        if rest == 0 and number < self._most:
            record(self._folder, self._kernel, number, inputs)

    def profile(self, runs: int) -> Profile:
        """The executable's own."""
        return self._executable.profile(runs)


def read_recordings(folder: Path, kernel: Kernel, most: int = _MOST) -> list[dict[str, NDArray[Any]]]:
    """The kernel's recorded inputs, at most `most` of them, spread evenly.

    Raises UsageError for none or an unreadable file, WrongTensor for arrays that are not the kernel's.
    """
    paths = sorted(folder.glob(f"{kernel.name}-*.npz"))
    if not paths:
        raise UsageError(f"{folder} holds no {kernel.name}-*.npz; record runs of the kernel there first")
    return [_read(path, kernel) for path in paths[:: -(-len(paths) // most)]]


def _read(path: Path, kernel: Kernel) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            inputs = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is not a recording: {error}; delete it and record again") from error
    check_tensors("input", inputs, kernel.inputs)
    for name, array in inputs.items():
        if not np.isfinite(array).all():
            raise WrongTensor(f"{path}: `{name}` holds NaN or infinity; delete this recording")
    return inputs
