"""Holding the arrays of a run to what the kernel declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.errors import WrongTensor
from premotor_accelerators.protocol import TensorSpec


def check_tensors(role: str, given: Mapping[str, NDArray[Any]], wanted: Sequence[TensorSpec]) -> None:
    """Raise WrongTensor unless `given` holds exactly the wanted names with equal shape and type, C-contiguous.

    `role` is `input` or `output`, for the message; outputs must be writable too.
    """
    names = [spec.name for spec in wanted]
    if set(given) != set(names):
        raise WrongTensor(f"{role}s {sorted(given)} were given; the kernel has {names}; give exactly these")
    for spec in wanted:
        array = given[spec.name]
        if not isinstance(array, np.ndarray):
            raise WrongTensor(f"{role} `{spec.name}` is a {type(array).__name__}; give a numpy array")
        if array.shape != tuple(spec.shape) or array.dtype != spec.dtype:
            raise WrongTensor(
                f"{role} `{spec.name}` is {array.dtype} {array.shape}; it must be {spec.dtype} {tuple(spec.shape)}"
            )
        if not array.flags.c_contiguous or (role == "output" and not array.flags.writeable):
            raise WrongTensor(f"{role} `{spec.name}` must be C-contiguous and, for an output, writable; copy it first")
