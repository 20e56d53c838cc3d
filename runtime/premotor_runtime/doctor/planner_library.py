"""Whether the default planner's own native library is built; nothing is loaded, compiled or written for it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from premotor_runtime.app.checkpoints import EMBEDDED, PACKAGE, embedded_checkpoint
from premotor_runtime.doctor.findings import PlannerLibrary
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.gguf_cache import known_config
from premotor_runtime.models.hf_config import read_hf_config
from premotor_runtime.models.pretrained_package import SHA256
from premotor_runtime.models.registry import PRETRAINED
from premotor_runtime.runners.native.build import built


def planner_library(folder: Path | None = None) -> PlannerLibrary:
    """That of the pretrained model, or of the small one that stands in where its package is not installed.

    As found under `folder` (default the user's cache).
    """
    if find_spec(PACKAGE) is not None:
        return _found(PRETRAINED, "premotor build", known_config(SHA256, folder), folder)
    place = embedded_checkpoint()
    return _found(EMBEDDED, f"premotor build --model {place}", read_hf_config(place / "config.json"), folder)


def _found(model: str, command: str, config: ModelConfig | None, folder: Path | None) -> PlannerLibrary:
    if config is None:
        reason = f"not built, the model has never been loaded; `{command}` does both, or the first plan"
        return PlannerLibrary(model, False, reason, command)
    if built(config, folder) is None:
        reason = f"not built for this compiler, processor and version; `{command}` builds it, or the first plan"
        return PlannerLibrary(model, False, reason, command)
    return PlannerLibrary(model, True, "built", "")
