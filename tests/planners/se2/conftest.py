from __future__ import annotations

import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.se2.native.library import se2_library


@pytest.fixture(scope="package", autouse=True)
def needs_compiler() -> None:
    try:
        se2_library()
    except BuildError as error:
        pytest.skip(str(error))
