"""Engines for kernels, from the cache or from the builder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.engines.key import EngineKey, graph_digest
from premotor_accelerators.precision.quantized import INT8_MAX
from premotor_accelerators.protocol import Arrays, Kernel
from premotor_accelerators.tensorrt.builder import Ranges, build_engine, is_strongly_typed
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.preparing import prepare, samples_digest
from premotor_accelerators.tensorrt.vendor import Vendor


@dataclass(frozen=True)
class Engine:
    """A serialized engine. `seconds` is what getting it took; `layers` and `error` are known only when it was built.

    `scales` are those of int8 inputs and outputs, by name. `error` is the largest deviation from the reference on the
    recorded inputs, by the CPU, in the engine's precision.
    """

    plan: bytes
    scales: dict[str, float]
    key: EngineKey
    cached: bool
    seconds: float
    layers: int | None = None
    error: float | None = None


class EngineSource:
    """Builds for one device, and builds nothing twice.

    `builder` names the library and version as `Vendor.builder` does, `load` loads it: a hit needs no library.
    `device` says what the engines run on, such as `Orin sm87`.
    """

    def __init__(self, builder: str, load: Callable[[], Vendor], device: str, cache: EngineCache | None = None) -> None:
        self.builder = builder
        self.device = device
        self.cache = cache or EngineCache()
        self._load = load

    def engine(self, kernel: Kernel, options: BuildOptions, samples: Sequence[Arrays] = ()) -> Engine:
        """The engine of `kernel`. `samples` are recorded inputs: int8 is calibrated and any precision checked by them.

        Raises CompileRefused for what cannot be built, DeviceUnavailable without the vendor's library, and NotStored
        when the cache cannot be written.
        """
        began = time.perf_counter()
        exported = kernel.onnx()
        key = self.key(kernel, exported, options, samples)
        kept = self.cache.load(key)
        if kept is not None:
            return Engine(*_unpacked(kept), key, True, time.perf_counter() - began)
        vendor = self._load()
        prepared = prepare(kernel, exported, options, is_strongly_typed(vendor, options), samples)
        measured = self.cache.load_timing(self.builder, self.device)
        built = build_engine(vendor, kernel.name, prepared.model, options, prepared.ranges, measured)
        scales = _edge_scales(kernel, prepared.ranges)
        self.cache.store(key, _packed(built.engine, scales))
        if built.timing:
            self.cache.store_timing(self.builder, self.device, built.timing)
        return Engine(built.engine, scales, key, False, time.perf_counter() - began, built.layers, prepared.error)

    def key(self, kernel: Kernel, exported: bytes, options: BuildOptions, samples: Sequence[Arrays] = ()) -> EngineKey:
        """What the engine of `kernel` is kept under."""
        flags = {**options.flags(), "recordings": samples_digest(samples), "tolerance": repr(kernel.tolerance)}
        device = f"sm{options.compute_capability}" if options.compute_capability else self.device
        return EngineKey(kernel.name, graph_digest(exported), options.precision, self.builder, device, flags)


def _edge_scales(kernel: Kernel, ranges: Ranges | None) -> dict[str, float]:
    return {spec.name: ranges[spec.name] / INT8_MAX for spec in (*kernel.inputs, *kernel.outputs)} if ranges else {}


def _packed(plan: bytes, scales: dict[str, float]) -> bytes:
    return json.dumps(scales).encode() + b"\n" + plan


def _unpacked(kept: bytes) -> tuple[bytes, dict[str, float]]:
    scales, _, plan = kept.partition(b"\n")
    return plan, json.loads(scales)
