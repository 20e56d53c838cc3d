"""A serialized engine becomes a loaded one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.tensorrt.layout import Layout, layout
from premotor_accelerators.tensorrt.log import Said, listening
from premotor_accelerators.tensorrt.vendor import Vendor


@dataclass(frozen=True)
class Loaded:
    """An engine on its device. `keep` are objects that it points to."""

    engine: Any
    keep: tuple[Any, ...]

    def layers(self, module: Any) -> str:
        """What the engine inspector says of its layers, as JSON."""
        inspector = self.engine.create_engine_inspector()
        return str(inspector.get_engine_information(module.LayerInformationFormat.JSON))


def load_engine(vendor: Vendor, name: str, plan: bytes, dla_core: int | None = None) -> Loaded:
    """Deserialize `plan`, for one DLA core if given. Raises CompileRefused for an engine of another machine."""
    said = Said()
    logger = listening(vendor.module, said)
    runtime = vendor.module.Runtime(logger)
    if dla_core is not None:
        runtime.DLA_core = dla_core
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        raise CompileRefused(f"{name}: {vendor.builder} does not load the engine: {said.worst()}; build it again")
    return Loaded(engine, (logger, runtime))


def layouts_of(vendor: Vendor, engine: Any, dla: bool, scales: dict[str, float]) -> list[Layout]:
    """How the engine's inputs and outputs lie in memory."""
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    return [
        layout(
            name,
            tuple(int(size) for size in engine.get_tensor_shape(name)),
            np.dtype(vendor.module.nptype(engine.get_tensor_dtype(name))),
            dla,
            scales.get(name),
        )
        for name in names
    ]
