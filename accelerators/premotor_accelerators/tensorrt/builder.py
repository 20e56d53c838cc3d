"""ONNX in, engine out: the one code path for TensorRT and TensorRT-RTX, as far as their interfaces are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.tensorrt.dla_build import pin_to_dla, set_ranges
from premotor_accelerators.tensorrt.log import Said, listening
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor

Ranges = Mapping[str, float]
"""The largest magnitude of each tensor, by name."""
_REMEDY = {
    "gpu": "export the kernel with operators and shapes that TensorRT takes",
    "dla": "`premotor check-dla` names the layers that a DLA core does not run, with the rule and the rewrite",
}


@dataclass(frozen=True)
class Built:
    """An engine, how many layers the parsed network had, and what the builder measured on the way."""

    engine: bytes
    layers: int
    timing: bytes


def build_engine(
    vendor: Vendor,
    name: str,
    model: bytes,
    options: BuildOptions,
    ranges: Ranges | None = None,
    timing: bytes = b"",
) -> Built:
    """Parse `model` and build it. The precision of a strongly typed network is the graph's own.

    `ranges` are the dynamic ranges of a weakly typed int8 network. Raises CompileRefused with the operator or with
    what the builder said.
    """
    said = Said()
    logger = listening(vendor.module, said)
    builder = vendor.module.Builder(logger)
    network = builder.create_network(_network_flags(vendor, options))
    parser = vendor.module.OnnxParser(network, logger)
    if not parser.parse(model):
        raise CompileRefused(f"{name}: {vendor.builder} does not parse the graph: {_parser_errors(parser, said)}")
    config = _config(vendor, builder, options, timing)
    if options.unit == "dla":
        pin_to_dla(name, vendor, network, config, options)
    if ranges is not None:
        set_ranges(name, network, ranges)
    engine = builder.build_serialized_network(network, config)
    if engine is None:
        raise CompileRefused(
            f"{name}: {vendor.builder} does not build it for {options.unit} at {options.precision}: {said.worst()}; "
            f"{_REMEDY[options.unit]}"
        )
    return Built(bytes(memoryview(engine)), int(network.num_layers), _measured(vendor, config))


def is_strongly_typed(vendor: Vendor, options: BuildOptions) -> bool:
    """Everything but DLA engines before TensorRT 11, where precisions are builder flags."""
    return vendor.strongly_typed_only or options.unit == "gpu"


def _network_flags(vendor: Vendor, options: BuildOptions) -> int:
    typed = getattr(vendor.module.NetworkDefinitionCreationFlag, "STRONGLY_TYPED", None)
    return 1 << int(typed) if typed is not None and is_strongly_typed(vendor, options) else 0


def _config(vendor: Vendor, builder: Any, options: BuildOptions, timing: bytes) -> Any:
    module = vendor.module
    config = builder.create_builder_config()
    config.profiling_verbosity = module.ProfilingVerbosity.DETAILED  # the inspector then names units and formats
    config.builder_optimization_level = options.level
    config.max_aux_streams = 0  # one stream, so that a submission has one end
    config.set_memory_pool_limit(module.MemoryPoolType.WORKSPACE, options.workspace_mib << 20)
    config.clear_flag(module.BuilderFlag.TF32)  # fp32 means fp32
    if options.compute_capability is not None:
        _set_capability(vendor, config, options.compute_capability)
    if vendor.family == "tensorrt":  # TensorRT-RTX measures nothing
        config.set_timing_cache(config.create_timing_cache(timing), False)
    return config


def _set_capability(vendor: Vendor, config: Any, capability: str) -> None:
    if vendor.family != "tensorrt_rtx":
        raise CompileRefused(
            f"{vendor.builder} builds for the GPU that is present only, not for compute capability {capability}; "
            "leave the capability out, or use TensorRT-RTX"
        )
    config.num_compute_capabilities = 1
    config.set_compute_capability(getattr(vendor.module.ComputeCapability, f"SM{capability.replace('.', '')}"), 0)


def _measured(vendor: Vendor, config: Any) -> bytes:
    if vendor.family != "tensorrt":
        return b""
    cache = config.get_timing_cache()
    return bytes(memoryview(cache.serialize())) if cache is not None else b""


def _parser_errors(parser: Any, said: Said) -> str:
    errors = [parser.get_error(i) for i in range(parser.num_errors)]
    lines = [
        f"node `{error.node_name()}` ({error.node_operator()}): {' '.join(error.desc().split())}"
        for error in errors[:3]
    ]
    return "; ".join(lines or [said.worst()]) + "; export the kernel with operators that TensorRT takes"
