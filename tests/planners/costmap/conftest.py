from __future__ import annotations

import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.costmap.native.library import costmap_library


@pytest.fixture(scope="package", autouse=True)
def needs_compiler() -> None:
    try:
        costmap_library()
    except BuildError as error:
        pytest.skip(str(error))
