"""Runs `gpu_llm.py` where there is a CUDA device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
]


def test_the_cuda_path_holds(tmp_path: Path) -> None:
    script, report = Path(__file__).with_name("gpu_llm.py"), tmp_path / "gpu_llm.json"
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, str(script), "--json", str(report), "--models", "S", "--rounds", "10"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=360)
    assert report.exists(), done.stderr[-2000:]
    assert [check for check in json.loads(report.read_text())["checks"] if not check["passed"]] == []
    assert done.returncode == 0
