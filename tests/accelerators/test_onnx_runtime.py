"""ONNX Runtime opens no connection of its own, and is not loaded where nothing needs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

QUIET = """
import os, sys, numpy
before = len(os.listdir("/proc/self/task"))
from premotor_accelerators.onnx_runtime import onnxruntime
print(len(os.listdir("/proc/self/task")) - before)
"""
CONTROL = """
import sys
from premotor_foundation.locations import named_config
from premotor_runtime.app.motion_kit import build_motion, read_surroundings
from premotor_runtime.app.settings import RuntimeSettings
build_motion(read_surroundings(named_config("worlds", "house"), RuntimeSettings("disc")), 1)
print(sorted({"onnxruntime", "onnx", "torch", "scipy"} & set(sys.modules)))
"""


def said(script: str, **changed: str) -> str:
    """What a new process prints that does not look like a test to anybody."""
    telling = ("ORT_", "CI", "GITHUB_", "PYTEST_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(telling)} | changed
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_starts_no_thread_and_keeps_nothing_about_its_user(tmp_path: Path) -> None:
    assert said(QUIET, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path)) == "0"
    assert not list(tmp_path.rglob("*"))


def test_a_control_process_with_native_kernels_does_not_load_it() -> None:
    assert said(CONTROL) == "[]"
