from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices.dla import DlaDevice, checker_forecast
from premotor_accelerators.devices.dla_probe import probe
from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import CompileRefused, DeviceUnavailable, LaneFull, PlacementDiffers
from premotor_accelerators.lanes import FifoLane
from premotor_accelerators.tensorrt.placement import Layer, PredictedNode, compare, read_layers
from premotor_accelerators.tensorrt.vendor import Vendor

BOARD = "agx_orin_64"


def forecast(*nodes: PredictedNode) -> Any:
    return lambda board, precision, tensorrt: lambda model: nodes


@pytest.fixture
def make(vendor: Any, cuda: Any, tmp_path: Path) -> Any:
    def made(core: int = 0, board: str = BOARD, nodes: Any = (), **more: Any) -> DlaDevice:
        return DlaDevice(core, board, EngineCache(tmp_path), more.pop("samples", None), forecast(*nodes), vendor, cuda)

    return made


def arrays(toy: Any, seed: int = 0) -> tuple[Any, Any]:
    return toy.example(seed), {"y": np.zeros(toy.shape, np.float32)}


def test_an_engine_is_pinned_to_its_core_in_the_dlas_own_formats(make: Any, trt: Any, conv_toy: Any) -> None:
    toy = conv_toy()  # rows of 12 half floats: 24 bytes, padded to 64 on a DLA core
    device = make(core=1)
    executable = device.compile(toy)
    inputs, outputs = arrays(toy)
    executable.run(inputs, outputs)
    np.testing.assert_allclose(outputs["y"], toy.reference(inputs)["y"], atol=2e-3)
    config, network = trt.built[-1], trt.networks[-1]
    assert (config.default_device_type, config.DLA_core) == ("DLA", 1)
    assert config.flags >= {"DIRECT_IO", "FP16"} and not config.flags & {"GPU_FALLBACK", "INT8"}
    assert config.on_gpu == ["cross", "half"]  # constants are folded by the build, nothing else is put aside
    assert {tensor.dtype for tensor in network.inputs + network.outputs} == {"float16"}
    assert {tensor.allowed_formats for tensor in network.inputs + network.outputs} == {1 << 11}
    assert network.flags == 0  # before TensorRT 11 a DLA network takes its precision from flags
    assert executable._slots[0].buffers["x"].host.shape == (1, 1, 8, 32)
    assert device.name == "dla" and device.lane == "dla1" and "dla1" in executable.implementation


def test_int8_sets_a_range_for_every_tensor_and_scales_at_the_edges(make: Any, trt: Any, conv_toy: Any) -> None:
    toy = conv_toy()
    samples = [toy.example(seed) for seed in range(3)]
    executable = make(samples=lambda kernel: samples).compile(toy, "int8")
    assert trt.built[-1].flags >= {"INT8", "FP16"}
    network = trt.networks[-1]
    assert all(layer.get_output(0).dynamic_range[1] > 0 for layer in network.layers)
    assert {tensor.dtype for tensor in network.inputs + network.outputs} == {"int8"}
    layout = executable._layouts["x"]
    assert layout.scale == pytest.approx(max(sample["x"].max() for sample in samples) / 127)
    memory = np.zeros(layout.padded, np.int8)
    layout.write(samples[0]["x"], memory)
    back = np.empty(toy.shape, np.float32)
    layout.read(memory, back)
    np.testing.assert_allclose(back, samples[0]["x"], atol=layout.scale / 2 * 1.001)
    again = make(samples=lambda kernel: samples).compile(toy, "int8")
    assert again._layouts["y"].scale == executable._layouts["y"].scale  # from the cache, without calibrating


def test_what_the_rules_refuse_is_refused_before_anything_is_built(make: Any, trt: Any, conv_toy: Any) -> None:
    device = make(nodes=[PredictedNode("the_gather", "Gather", "gpu", "never-on-dla", "use a slice")])
    built = len(trt.built)
    with pytest.raises(CompileRefused, match=r"`the_gather` \(Gather\): rule never-on-dla: use a slice"):
        device.compile(conv_toy())
    assert len(trt.built) == built


def test_fp32_is_refused_with_the_rule(make: Any, conv_toy: Any) -> None:
    with pytest.raises(CompileRefused, match=r"fp16 and int8 only \(rule: data types\), fp32.*compile with fp16"):
        make().compile(conv_toy(), "fp32")


def test_what_tensorrt_itself_refuses_names_the_layer(make: Any, trt: Any, conv_toy: Any, monkeypatch: Any) -> None:
    device = make()
    monkeypatch.setattr(conftest_of(trt), "NEVER_ON_DLA", ("Relu",))
    with pytest.raises(CompileRefused, match=r"refuses 1 of 5 layers on DLA, among them `relu` \(relu\)"):
        device.compile(conv_toy())


def conftest_of(trt: Any) -> Any:
    import sys

    return sys.modules[type(trt).__module__]


@pytest.mark.parametrize(
    "extra",
    [
        {"Name": "Reformatting CopyNode for Input Tensor 0 to {ForeignNode[a...z]}", "LayerType": "Reformat"},
        {"Name": "softmax", "LayerType": "SoftMax"},
        {"Name": "{ForeignNode[p...q]}", "LayerType": "kgen"},
    ],
)
def test_a_layer_found_on_the_gpu_is_never_run(extra: Any, make: Any, trt: Any, conv_toy: Any) -> None:
    unsure = PredictedNode("relu", "Relu", "conditional", "some-rule", "")
    device = make(nodes=[unsure])
    trt.extra_layers = [extra]
    with pytest.raises(PlacementDiffers, match=r"1 layers on the GPU: .*not sure of `relu` \(Relu, rule some-rule\)"):
        device.compile(conv_toy())


def test_passing_inputs_and_outputs_is_no_layer_of_the_gpu() -> None:
    names = ["images to nvm", "{ForeignNode[Conv_0...Concat_198]}", "head_3 from nvm", "images copy finish"]
    layers = read_layers(json.dumps({"Layers": names}))
    assert [layer.unit for layer in layers] == ["edge", "dla", "edge", "edge"]
    assert compare("toy", [], layers) == 1
    with pytest.raises(PlacementDiffers, match="the checker predicted none"):
        compare("toy", [], [Layer("x", "gpu")])
    for text in ("", "{}", "[]", '{"Layers": [{}]}'):
        with pytest.raises(CompileRefused, match="placement is not proven"):
            read_layers(text)


@pytest.mark.parametrize(
    ("version", "board", "words"),
    [
        ((10, 16, 2), BOARD, "JetPack 6.1"),
        ((11, 2, 0), BOARD, "no DLA"),
        ((10, 3, 0), "orin_nano_8", "no DLA core"),
        ((11, 4, 1), "orin_nx_16", "AGX Orin only"),
    ],
)
def test_the_version_gate_comes_first(version: Any, board: str, words: str, trt: Any, cuda: Any) -> None:
    with pytest.raises(DlaUnavailable, match=words):
        DlaDevice(0, board, vendor=Vendor(trt, "tensorrt", version), cuda=cuda)
    assert not trt.built


def test_the_probe_counts_cores_and_builds_a_tiny_network(vendor: Any, trt: Any) -> None:
    assert probe(vendor, 1) == 2
    assert trt.built[-1].DLA_core == 1
    with pytest.raises(DeviceUnavailable, match=r"DLA core 2: tensorrt 10\.3\.0 sees cores 0 to 1"):
        probe(vendor, 2)
    trt.cores = 0
    with pytest.raises(DeviceUnavailable, match=r"no DLA core here.*use the device tensorrt"):
        probe(vendor, 0)


def test_cores_without_the_dla_compiler_do_not_pass_the_probe(vendor: Any, trt: Any) -> None:
    trt.no_dla_compiler = True
    with pytest.raises(DeviceUnavailable, match=r"does not build for it .*libnvdla_compiler.*apt-get install"):
        probe(vendor, 0)


def test_from_tensorrt_11_on_the_graph_itself_is_half(trt: Any, cuda: Any, conv_toy: Any, tmp_path: Path) -> None:
    vendor = Vendor(trt, "tensorrt", (11, 4, 1))
    device = DlaDevice(0, BOARD, EngineCache(tmp_path), None, forecast(), vendor, cuda)
    toy = conv_toy()
    inputs, outputs = arrays(toy)
    device.compile(toy).run(inputs, outputs)
    np.testing.assert_allclose(outputs["y"], toy.reference(inputs)["y"], atol=2e-3)
    assert trt.networks[-1].flags == 2 and not trt.built[-1].flags & {"FP16", "INT8"}
    with pytest.raises(CompileRefused, match="ModelOpt"):
        DlaDevice(0, BOARD, EngineCache(tmp_path), lambda k: [inputs], forecast(), vendor, cuda).compile(toy, "int8")


def test_the_forecast_is_the_checkers(conv_toy: Any) -> None:
    nodes = checker_forecast(BOARD, "fp16", "10.3")(conv_toy().onnx())
    assert [(node.name, node.verdict) for node in nodes] == [("conv", "dla"), ("relu", "dla"), ("minus_half", "dla")]


def test_a_dla_lane_keeps_two_in_flight_and_their_order(make: Any, conv_toy: Any) -> None:
    toy = conv_toy()
    executable = make().compile(toy)
    lane = FifoLane("dla0")
    first = lane.submit(executable, toy.example(1))
    second = lane.submit(executable, toy.example(2))
    assert first.slot != second.slot and len(lane) == 2 and not lane.free and not lane.oldest_ready()
    with pytest.raises(LaneFull, match="lane dla0: 2 runs are in flight"):
        lane.submit(executable, toy.example(3))
    for seed, submitted in ((1, first), (2, second)):
        outputs = {"y": np.zeros(toy.shape, np.float32)}
        assert lane.take(outputs) is submitted
        np.testing.assert_allclose(outputs["y"], toy.reference(toy.example(seed))["y"], atol=2e-3)
    with pytest.raises(IndexError):
        lane.take({"y": np.zeros(toy.shape, np.float32)})


def test_the_real_kernels_by_the_real_rules(vendor: Any, cuda: Any, tmp_path: Path) -> None:
    """The kernels for maps go to the core as a whole with the reference's bits; the rollouts are refused by name."""
    from premotor_planners.kernels.cost_to_go import CostToGo
    from premotor_planners.kernels.cspace import CSpace
    from premotor_planners.kernels.mppi import Mppi

    device = DlaDevice(0, BOARD, EngineCache(tmp_path), vendor=vendor, cuda=cuda)
    free = (np.random.default_rng(0).random((1, 1, 24, 40)) < 0.8).astype(np.float32)
    space = CSpace(rows=24, cols=40, headings=4)
    field = CostToGo(rows=24, cols=40, sweeps=6)
    reach = np.zeros_like(free)
    reach[0, 0, 12, 20] = field.limit
    free[0, 0, 12, 20] = 1
    for kernel, inputs in ((space, {"free": free}), (field, {"reach": reach, "free": free})):
        outputs = {spec.name: np.full(spec.shape, np.nan, spec.dtype) for spec in kernel.outputs}
        device.compile(kernel).run(inputs, outputs)
        for name, wanted in kernel.reference(inputs).items():
            np.testing.assert_array_equal(outputs[name], wanted)
    with pytest.raises(CompileRefused, match=r"mppi: \d+ of \d+ nodes do not run on a DLA core .*: rule "):
        device.compile(Mppi(rollouts=8, steps=3, rows=8, cols=8))
