"""`configs/laptop.yaml` and its like: what a robot's runtime is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from premotor_foundation import strict_yaml
from premotor_foundation.strict_yaml import limited
from premotor_runtime.engine.kv.memory import DEFAULT_MARGIN_BYTES
from premotor_runtime.executor.control_plan import ControlTiming
from premotor_runtime.processes.settings import Supervision
from premotor_runtime.runners.native.choice import RunnerName
from premotor_runtime.scheduler.miss_ladder import MissLadder

LEAST_KV_TOKENS = 512  # a catalogue, a task and a plan of a few steps
Precision = Literal["f32", "bf16", "int8", "int4"]


@dataclass(frozen=True)
class PlannerSettings:
    """The language model that plans.

    `model` is `gemma3-270m` (the package of the extra `planner`), `embedded` (committed, small), a Hugging Face folder
    or a .gguf file; `adapter` is a LoRA folder, `default` for the one that belongs to the model, or empty for none.
    `runner`: `auto` is the native one where it can be built, else the reference, with one warning. `precision` is the
    native runner's; `threads` null is one for each core that the process may run on. `draft_tokens` are guessed from
    the prompt and earlier answers and checked in one pass: fewer passes, which pays where a pass over several tokens
    costs little more than one over one (a GPU), and not on a CPU without 8-bit dot products.

    Keys and values take `kv_cache_bytes`, or, null, what is available at the start less the weights and
    `memory_margin_bytes`, but no more than `kv_tokens` positions need.
    """

    model: str = "gemma3-270m"
    adapter: str = "default"
    runner: RunnerName = "auto"
    precision: Precision = "int8"
    threads: int | None = limited(at_least=1, at_most=64, default=None)
    draft_tokens: int = limited(at_least=0, at_most=8, default=0)
    kv_cache_bytes: int | None = limited(at_least=1, default=None)
    kv_tokens: int = limited(at_least=LEAST_KV_TOKENS, at_most=65_536, default=4096)
    memory_margin_bytes: int = limited(at_least=0, default=DEFAULT_MARGIN_BYTES)
    prefill_chunk_tokens: int = limited(at_least=16, at_most=4096, default=256)


@dataclass(frozen=True)
class Cores:
    """Processor cores by number; null leaves the choice to the system.

    For the last `awake_ms` before a release the reflex waits awake: a core that idles wakes up late. With `keep_awake`
    its core never idles: something computes there whenever nothing else does. Both only where it has its core for
    itself.
    """

    reflex: int | None = None
    brain: int | None = None
    sched_fifo: bool = False
    awake_ms: float = limited(at_least=0.0, at_most=20.0, default=0.0)
    keep_awake: bool = False


@dataclass(frozen=True)
class RuntimeSettings:
    """A whole configuration file. `board`, a name in `configs/boards`, is watched for heat and clocks (null: none)."""

    robot: str
    board: str | None = None
    planner: PlannerSettings = field(default_factory=PlannerSettings)
    control: ControlTiming = field(default_factory=ControlTiming)
    miss_policy: MissLadder = field(default_factory=MissLadder)
    cores: Cores = field(default_factory=Cores)
    supervision: Supervision = field(default_factory=Supervision)
    mission_timeout_s: float = limited(above=0.0, at_most=86_400.0, default=900.0)


def load_settings(path: Path) -> RuntimeSettings:
    """Read a configuration; raises ConfigError with file and line."""
    return strict_yaml.load(path, RuntimeSettings)
