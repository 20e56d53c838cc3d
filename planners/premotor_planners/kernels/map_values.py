"""The values that a map may have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_planners.errors import MapError


def check_free(values: NDArray[Any]) -> None:
    """Raise MapError unless every value of the input `free` is 0 or 1."""
    wrong = ~((values == 0) | (values == 1))
    if wrong.any():
        raise MapError(f"{_first('free', values, wrong)}; give 1 for a free cell and 0 for any other")


def check_whole(name: str, values: NDArray[Any], most: int) -> None:
    """Raise MapError unless every value is a whole number from 0 to `most`."""
    wrong = ~((values >= 0) & (values <= most)) | (values != np.floor(values))
    if wrong.any():
        raise MapError(f"{_first(name, values, wrong)}; give whole numbers from 0 to {most}")


def _first(name: str, values: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"`{name}` holds {values[place]} at {place}"
