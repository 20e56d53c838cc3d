"""The C++ compiler of this machine, and what it is told."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from premotor_foundation.native_code.errors import BuildError

CANDIDATES = ("c++", "g++", "clang++")
_REMEDY = "install g++ or clang++, or name one in CXX"
_FAILED_REMEDY = "report this with the compiler's version, or name another compiler in CXX"
_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Compiler:
    """`command` starts every call; `version` is the first line of what it says of itself."""

    command: tuple[str, ...]
    version: str


def find_compiler() -> Compiler:
    """The compiler in CXX, else the first of c++, g++ and clang++ on PATH.

    Raises BuildError when there is none, or when CXX names one that does not run: another is not taken instead.
    """
    given = os.environ.get("CXX", "").strip()
    commands = [tuple(shlex.split(given))] if given else [(name,) for name in CANDIDATES]
    for command in commands:
        if shutil.which(command[0]):
            return Compiler(command, _version(command))
    sought = f"CXX is `{given}`, which is not found" if given else f"no C++ compiler ({', '.join(CANDIDATES)})"
    raise BuildError(sought, _REMEDY)


def run(command: list[str]) -> str:
    """Run a compiler command, an argument list, never a shell; returns what it printed. Raises BuildError."""
    try:
        done = subprocess.run(  # noqa: S603 - the command is the user's own compiler
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"`{command[0]}` does not run ({error})", _REMEDY) from error
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error:" in line), f"exit code {done.returncode}")
        raise BuildError(f"`{command[0]}` failed: {first.strip()}", _FAILED_REMEDY, done.stderr[-4000:])
    return done.stdout


def flags() -> list[str]:
    """C++17 for exactly this processor."""
    machine = platform.machine().lower()
    target = "-mcpu=native" if machine in ("aarch64", "arm64") else "-march=native"
    return ["-std=c++17", "-O3", target, "-fPIC", "-pthread", "-fvisibility=default", "-Wno-psabi"]


def processor() -> str:
    """What tells processors with different instruction sets apart."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    wanted = ("flags", "features", "model name", "cpu part", "cpu implementer")
    known = sorted({line for line in lines if line.split(":")[0].strip().lower() in wanted})
    return "\n".join([platform.system(), platform.machine(), platform.processor(), *known])


def _version(command: tuple[str, ...]) -> str:
    lines = run([*command, "--version"]).splitlines()
    return lines[0].strip() if lines else "unknown"
