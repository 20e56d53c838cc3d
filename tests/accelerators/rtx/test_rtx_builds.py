"""The real builder, without a GPU: TensorRT-RTX parses and builds every kernel for three compute capabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.protocol import Precision
from premotor_accelerators.tensorrt.builder import build_engine
from premotor_accelerators.tensorrt.dla_build import constant_layers
from premotor_accelerators.tensorrt.engine_source import EngineSource
from premotor_accelerators.tensorrt.log import Said, listening
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.cspace import CSpace
from premotor_runtime.app.kernels.catalogue import KERNELS, kernel_named

pytestmark = pytest.mark.rtx
CAPABILITIES = ("8.6", "8.9", "12.0")
HALVES: tuple[Precision, ...] = ("fp32", "fp16")


QUICK = ("cspace", "mppi")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in KERNELS])
def test_every_kernel_builds_for_three_gpus_and_the_second_start_is_a_hit(
    name: str, source: EngineSource, rows: list[str]
) -> None:
    build_and_again(kernel_named(name), name, source, rows)


def test_a_part_of_cost_to_go_builds_for_three_gpus(source: EngineSource, rows: list[str]) -> None:
    build_and_again(CostToGo(sweeps=8), "cost_to_go, 8 sweeps", source, rows)


def build_and_again(kernel: Any, name: str, source: EngineSource, rows: list[str]) -> None:
    for capability in CAPABILITIES:
        options = BuildOptions("fp16", compute_capability=capability)
        first, again = source.engine(kernel, options), source.engine(kernel, options)
        rows.append(
            f"{name:20} fp16 sm {capability:5} {first.layers:5} layers {len(first.plan) / 1e6:6.2f} MB "
            f"first {first.seconds:6.3f} s, again {again.seconds:6.4f} s, {first.seconds / again.seconds:5.0f}x"
        )
        assert not first.cached and again.cached
        assert again.plan == first.plan and len(first.plan) > 10_000


def test_precisions_are_different_engines(source: EngineSource) -> None:
    kernel = kernel_named("cspace")
    plans = {source.engine(kernel, BuildOptions(precision, compute_capability="8.6")).plan for precision in HALVES}
    assert len(plans) == len(HALVES)


def test_int8_with_explicit_scales_builds(vendor: Vendor, tmp_path: Path, conv_toy: Any) -> None:
    toy = conv_toy()
    samples = [toy.example(seed) for seed in range(3)]
    source = EngineSource(vendor.builder, lambda: vendor, "rtx", EngineCache(tmp_path))
    built = source.engine(toy, BuildOptions("int8", compute_capability="8.6"), samples)
    assert built.error is not None and 0.0 < built.error <= toy.tolerance


def test_an_operator_that_does_not_exist_is_refused_by_name(vendor: Vendor) -> None:
    model = toy_model([helper.make_node("NoSuchOperator", ["x"], ["y"], name="the_node")])
    with pytest.raises(CompileRefused, match=r"toy.*does not parse.*`the_node` \(NoSuchOperator\)"):
        build_engine(vendor, "toy", model, BuildOptions(compute_capability="8.6"))


def test_a_graph_that_parses_and_does_not_build_says_what_the_builder_said(vendor: Vendor) -> None:
    nodes = [helper.make_node("Softmax", ["x"], ["y"], name="softmax_of_a_row", axis=0)]
    with pytest.raises(CompileRefused, match="toy: tensorrt_rtx"):
        build_engine(vendor, "toy", toy_model(nodes, (8,)), BuildOptions(compute_capability="8.6"))


@pytest.mark.parametrize("kernel", [CostToGo(sweeps=2), CSpace(headings=4)], ids=lambda kernel: kernel.name)
def test_all_that_a_dla_core_does_not_compute_are_constants(kernel: Any, vendor: Vendor) -> None:
    """By the real parser: what the build folds is put aside, and nothing but four kinds of layers is left."""
    module = vendor.module
    logger = listening(module, Said())
    network = module.Builder(logger).create_network(0)
    parser = module.OnnxParser(network, logger)
    assert parser.parse(kernel.onnx())
    folded = {layer.name for layer in constant_layers(module, network)}
    kept = [network.get_layer(i) for i in range(network.num_layers)]
    kinds = {str(layer.type).rpartition(".")[2] for layer in kept if layer.name not in folded}
    assert folded and kinds <= {"ELEMENTWISE", "POOLING", "CONVOLUTION", "ACTIVATION"}


def test_the_builder_has_every_name_that_tensorrt_and_dla_builds_use(vendor: Vendor) -> None:
    """The same interface as TensorRT's own, as far as the names go; the values only a board can tell."""
    module = vendor.module
    config = module.Builder(module.Logger(module.Logger.ERROR)).create_builder_config()
    assert {"DLA_core", "default_device_type", "set_device_type", "can_run_on_DLA", "get_timing_cache"} <= set(
        dir(config)
    )
    assert {"DIRECT_IO", "GPU_FALLBACK", "TF32"} <= set(dir(module.BuilderFlag))
    assert {"DLA_LINEAR"} <= set(dir(module.TensorFormat)) and {"DLA", "GPU"} <= set(dir(module.DeviceType))
    assert {"CONSTANT", "SHUFFLE", "IDENTITY"} <= set(dir(module.LayerType))
    assert {"DLA_core", "deserialize_cuda_engine"} <= set(dir(module.Runtime))
    assert {"execute_async_v3", "set_tensor_address"} <= set(dir(module.IExecutionContext))
    assert {"create_engine_inspector", "get_tensor_name", "get_tensor_dtype"} <= set(dir(module.ICudaEngine))
    assert hasattr(module, "nptype") and hasattr(module.ITensor, "allowed_formats")


def toy_model(nodes: list[Any], shape: tuple[int, ...] = (2, 3)) -> bytes:
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    graph = helper.make_graph(
        nodes, "toy", info[:1], info[1:], [numpy_helper.from_array(np.ones(1, np.float32), "one")]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    assert isinstance(model, onnx.ModelProto)
    return bytes(model.SerializeToString())
