from __future__ import annotations

import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.native.library import kernel_library


@pytest.fixture(scope="session")
def needs_compiler() -> None:
    """Tests of native versions build, or find, the library in the user's cache."""
    try:
        kernel_library()
    except BuildError as error:
        pytest.skip(str(error))
