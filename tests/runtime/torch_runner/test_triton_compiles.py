"""The kernels become machine code for the GPUs they are meant for, without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")
pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.mark.parametrize("capability", [87, 90])
def test_every_kernel_compiles(tmp_path: Path, capability: int) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["TRITON_CACHE_DIR"] = str(tmp_path)
    script = Path(__file__).with_name("compile_kernels.py")
    command = [sys.executable, str(script), str(capability)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    shared = json.loads(done.stdout)
    assert len(shared) == 6
    assert max(shared.values()) <= 48 * 1024, shared
