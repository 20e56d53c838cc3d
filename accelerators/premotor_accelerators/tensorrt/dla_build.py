"""What a build for a DLA core sets besides: core, no fallback, formats, and precision where it is a builder flag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor

if TYPE_CHECKING:
    from premotor_accelerators.tensorrt.builder import Ranges


def pin_to_dla(name: str, vendor: Vendor, network: Any, config: Any, options: BuildOptions) -> None:
    """All layers on one DLA core; inputs and outputs in its own format, so that no GPU kernel reformats them.

    GPU fallback stays off: a layer that the core does not run fails the build. DIRECT_IO turns a reformat at the edge
    of the network into an error too. Constants are no DLA layers; they are put aside by name, since the build folds
    them: otherwise they alone would need the fallback. Raises CompileRefused naming layers that TensorRT refuses.
    """
    module = vendor.module
    config.default_device_type = module.DeviceType.DLA
    config.DLA_core = options.dla_core
    config.clear_flag(module.BuilderFlag.GPU_FALLBACK)
    config.set_flag(module.BuilderFlag.DIRECT_IO)
    if not vendor.strongly_typed_only:
        config.set_flag(module.BuilderFlag.FP16)
        if options.precision == "int8":
            config.set_flag(module.BuilderFlag.INT8)
    linear = 1 << int(module.TensorFormat.DLA_LINEAR)
    element = module.int8 if options.precision == "int8" else module.float16
    for tensor in edges(network):
        if not vendor.strongly_typed_only:
            tensor.dtype = element
        tensor.allowed_formats = linear
    folded = constant_layers(module, network)
    for layer in folded:
        config.set_device_type(layer, module.DeviceType.GPU)
    _refuse_layers(name, network, config, {layer.name for layer in folded})


def constant_layers(module: Any, network: Any) -> list[Any]:
    """Constants, and the reshapes and broadcasts of nothing but constants."""
    kinds, folded, made = module.LayerType, list[Any](), set[str]()
    for i in range(network.num_layers):
        layer = network.get_layer(i)
        sources = [layer.get_input(k).name for k in range(layer.num_inputs) if layer.get_input(k) is not None]
        reshaped = layer.type in (kinds.SHUFFLE, kinds.IDENTITY) and bool(sources) and made.issuperset(sources)
        if layer.type == kinds.CONSTANT or reshaped:
            folded.append(layer)
            made.update(layer.get_output(k).name for k in range(layer.num_outputs))
    return folded


def _refuse_layers(name: str, network: Any, config: Any, folded: set[str]) -> None:
    layers = [network.get_layer(i) for i in range(network.num_layers)]
    refused = [layer for layer in layers if layer.name not in folded and not config.can_run_on_DLA(layer)]
    if refused:
        named = ", ".join(f"`{layer.name}` ({str(layer.type).rpartition('.')[2].lower()})" for layer in refused[:3])
        raise CompileRefused(
            f"{name}: TensorRT refuses {len(refused)} of {len(layers)} layers on DLA, among them {named}; "
            "`premotor check-dla` names the rules and the rewrites"
        )


def edges(network: Any) -> list[Any]:
    """Inputs, then outputs."""
    inputs = [network.get_input(i) for i in range(network.num_inputs)]
    return inputs + [network.get_output(i) for i in range(network.num_outputs)]


def set_ranges(name: str, network: Any, ranges: Ranges) -> None:
    """Symmetric int8 ranges for every tensor of a weakly typed network.

    Tensors that the parser adds take the range of what they are made from. Raises CompileRefused for one without any.
    """
    for tensor in edges(network)[: network.num_inputs]:
        _set_range(name, tensor, ranges, None)
    for i in range(network.num_layers):
        layer = network.get_layer(i)
        sources = [layer.get_input(k) for k in range(layer.num_inputs)]
        inherited = max(
            (source.dynamic_range[1] for source in sources if source and source.dynamic_range), default=None
        )
        for k in range(layer.num_outputs):
            _set_range(name, layer.get_output(k), ranges, inherited)


def _set_range(name: str, tensor: Any, ranges: Ranges, inherited: float | None) -> None:
    largest = ranges.get(tensor.name, inherited)
    if largest is None or largest <= 0:
        raise CompileRefused(
            f"{name}: no int8 range for the tensor `{tensor.name}`; calibrate with costmaps in which it is not zero, "
            "or compile with fp16"
        )
    tensor.dynamic_range = (-float(largest), float(largest))
