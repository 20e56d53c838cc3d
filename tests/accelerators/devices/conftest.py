"""Stand-ins for `tensorrt` and `pycuda.driver`: what they do to memory and engines, without a GPU.

An engine is the ONNX model and what the build asked for; running it runs the model on the CPU, on the memory at the
addresses that were set. A run ends only when its event is waited for, so that forgetting to wait shows.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import onnx
import pytest

from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.tensorrt.cuda_driver import CudaDriver
from premotor_accelerators.tensorrt.vendor import Vendor

NEVER_ON_DLA = ("Exp", "Gather")


class Severity:
    INTERNAL_ERROR, ERROR, WARNING, INFO = range(4)


class ILogger:
    Severity = Severity


class FakeTensor(SimpleNamespace):
    name: str


class FakeNetwork:
    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.model: Any = None
        self.layers: list[Any] = []
        self.inputs: list[FakeTensor] = []
        self.outputs: list[FakeTensor] = []

    num_layers = property(lambda self: len(self.layers))
    num_inputs = property(lambda self: len(self.inputs))
    num_outputs = property(lambda self: len(self.outputs))

    def get_layer(self, i: int) -> Any:
        return self.layers[i]

    def get_input(self, i: int) -> Any:
        return self.inputs[i]

    def get_output(self, i: int) -> Any:
        return self.outputs[i]

    def take(self, model: Any) -> None:
        self.model = model
        known: dict[str, FakeTensor] = {}

        def tensor(name: str) -> FakeTensor:
            return known.setdefault(name, FakeTensor(name=name, dtype="float32", allowed_formats=1, dynamic_range=None))

        self.inputs = [tensor(value.name) for value in model.graph.input]
        for constant in model.graph.initializer:
            self.layers.append(layer(constant.name, "CONSTANT", [], [tensor(constant.name)]))
        for node in model.graph.node:
            ins, outs = [tensor(name) for name in node.input], [tensor(name) for name in node.output]
            self.layers.append(layer(node.name, node.op_type, ins, outs))
        self.outputs = [tensor(value.name) for value in model.graph.output]


def layer(name: str, kind: str, ins: list[Any], outs: list[Any]) -> Any:
    return SimpleNamespace(
        name=name,
        type=kind,
        num_inputs=len(ins),
        num_outputs=len(outs),
        get_input=ins.__getitem__,
        get_output=outs.__getitem__,
    )


class FakeConfig:
    def __init__(self) -> None:
        self.flags: set[str] = {"TF32", "GPU_FALLBACK"}
        self.on_gpu: list[str] = []
        self.default_device_type = "GPU"
        self.DLA_core = -1
        self.timing = b""

    def set_flag(self, flag: str) -> None:
        self.flags.add(flag)

    def clear_flag(self, flag: str) -> None:
        self.flags.discard(flag)

    def set_memory_pool_limit(self, pool: str, size: int) -> None: ...

    def create_timing_cache(self, content: bytes) -> Any:
        return SimpleNamespace(serialize=lambda: content + b"+")

    def set_timing_cache(self, cache: Any, ignore_mismatch: bool) -> bool:
        self.timing = cache.serialize()
        return not ignore_mismatch

    def get_timing_cache(self) -> Any:
        return SimpleNamespace(serialize=lambda: self.timing)

    def set_device_type(self, layer: Any, kind: str) -> None:
        self.on_gpu.append(layer.name)

    def can_run_on_DLA(self, layer: Any) -> bool:
        return layer.type not in NEVER_ON_DLA


class FakeTrt:
    """The module. `cores` and `broken` are what a test sets: the DLA compiler missing, the inspector's answer."""

    __version__ = "10.3.0"
    ILogger = ILogger
    float16, int8, float32 = "float16", "int8", "float32"

    def __init__(self) -> None:
        self.cores = 2
        self.no_dla_compiler = False
        self.extra_layers: list[Any] = []
        self.built: list[FakeConfig] = []
        self.networks: list[FakeNetwork] = []
        self.refuse_plans = 0
        self.DeviceType = SimpleNamespace(DLA="DLA", GPU="GPU")
        self.BuilderFlag = SimpleNamespace(
            **{name: name for name in ("TF32", "GPU_FALLBACK", "DIRECT_IO", "FP16", "INT8")}
        )
        self.TensorFormat = SimpleNamespace(DLA_LINEAR=11)
        self.LayerType = SimpleNamespace(CONSTANT="CONSTANT", SHUFFLE="SHUFFLE", IDENTITY="IDENTITY")
        self.NetworkDefinitionCreationFlag = SimpleNamespace(STRONGLY_TYPED=1)
        self.ProfilingVerbosity = SimpleNamespace(DETAILED="DETAILED")
        self.MemoryPoolType = SimpleNamespace(WORKSPACE="WORKSPACE")
        self.LayerInformationFormat = SimpleNamespace(JSON="JSON")

    def nptype(self, dtype: str) -> Any:
        return np.dtype(dtype).type

    def Builder(self, logger: Any) -> Any:
        def build(network: FakeNetwork, config: FakeConfig) -> bytes | None:
            self.built.append(config)
            if self.no_dla_compiler and config.default_device_type == "DLA":
                logger.log(Severity.ERROR, "libnvdla_compiler.so cannot be opened")
                return None
            plan = {
                "core": config.DLA_core if config.default_device_type == "DLA" else None,
                "dtypes": {tensor.name: tensor.dtype for tensor in (*network.inputs, *network.outputs)},
            }
            return json.dumps(plan).encode() + b"|" + network.model.SerializeToString()

        return SimpleNamespace(
            num_DLA_cores=self.cores,
            create_network=self._network,
            create_builder_config=FakeConfig,
            build_serialized_network=build,
        )

    def _network(self, flags: int) -> FakeNetwork:
        self.networks.append(FakeNetwork(flags))
        return self.networks[-1]

    def OnnxParser(self, network: FakeNetwork, logger: Any) -> Any:
        def parse(model: bytes) -> bool:
            network.take(onnx.load_model_from_string(model))
            return True

        return SimpleNamespace(parse=parse)

    def Runtime(self, logger: Any) -> Any:
        def deserialize(plan: bytes) -> Any:
            if self.refuse_plans:
                self.refuse_plans -= 1
                logger.log(Severity.ERROR, "The engine plan file is generated on an incompatible device")
                return None
            return FakeEngine(self, plan)

        return SimpleNamespace(DLA_core=-1, deserialize_cuda_engine=deserialize)


class FakeEngine:
    def __init__(self, trt: FakeTrt, plan: bytes) -> None:
        head, _, model = plan.partition(b"|")
        self.trt, self.asked = trt, json.loads(head)
        self.model = onnx.load_model_from_string(model)
        graph = self.model.graph
        kinds = {1: "float32", 10: "float16"}
        self.tensors = {
            value.name: (
                tuple(size.dim_value for size in value.type.tensor_type.shape.dim),
                kinds[value.type.tensor_type.elem_type],
            )
            for value in (*graph.input, *graph.output)
        }
        self.num_io_tensors = len(self.tensors)

    def get_tensor_name(self, i: int) -> str:
        return list(self.tensors)[i]

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        return self.tensors[name][0]

    def get_tensor_dtype(self, name: str) -> str:
        own = self.tensors[name][1]
        return self.asked["dtypes"][name] if self.asked["core"] is not None and own == "float32" else own

    def create_engine_inspector(self) -> Any:
        first = "{ForeignNode[a...z]}" if self.asked["core"] is not None else "fused"
        kind = "DLA" if self.asked["core"] is not None else "kgen"
        layers = [{"Name": first, "LayerType": kind}, *self.trt.extra_layers]
        return SimpleNamespace(get_engine_information=lambda form: json.dumps({"Layers": layers}))

    def create_execution_context(self) -> Any:
        return FakeContext(self)


class FakeContext:
    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine
        self.addresses: dict[str, int] = {}
        session = onnxruntime.InferenceSession(engine.model.SerializeToString(), providers=["CPUExecutionProvider"])
        self.session = session

    def set_tensor_address(self, name: str, address: int) -> bool:
        self.addresses[name] = address
        return True

    def execute_async_v3(self, handle: Any) -> bool:
        handle.later.append(self._compute)
        return True

    def _compute(self) -> None:
        graph = self.engine.model.graph
        wanted = {value.name: np.dtype(self.engine.tensors[value.name][1]) for value in graph.input}
        inputs = {name: self._values(name).astype(dtype) for name, dtype in wanted.items()}
        names = [value.name for value in self.session.get_outputs()]
        for name, result in zip(names, self.session.run(names, inputs), strict=True):
            self._values(name)[...] = result

    def _values(self, name: str) -> Any:
        """The tensor's part of the memory at its address, whose rows may be padded."""
        shape, dtype = self.engine.tensors[name][0], np.dtype(self.engine.get_tensor_dtype(name))
        memory = FakeCuda.memory[self.addresses[name]].reshape(-1).view(dtype)
        return memory.reshape(*shape[:-1], -1)[..., : shape[-1]]


class FakeStream:
    def __init__(self) -> None:
        self.later: list[Any] = []
        self.handle = self

    def drain(self) -> None:
        while self.later:
            self.later.pop(0)()


class FakeEvent:
    def __init__(self, flags: int) -> None:
        self.upto: list[Any] = []

    def record(self, stream: FakeStream) -> None:
        self.upto, stream.later = stream.later, []

    def query(self) -> bool:
        return not self.upto

    def synchronize(self) -> None:
        while self.upto:
            self.upto.pop(0)()


class FakeCuda:
    """`pycuda.driver`: device memory is a table of arrays by address."""

    memory: ClassVar[dict[int, Any]] = {}

    def __init__(self, integrated: bool) -> None:
        self.integrated = integrated
        self.depth = 0
        self.device_attribute = SimpleNamespace(INTEGRATED="INTEGRATED")
        self.event_flags = SimpleNamespace(BLOCKING_SYNC=1, DISABLE_TIMING=2)
        self.host_alloc_flags = SimpleNamespace(DEVICEMAP=2)
        self.Stream, self.Event = FakeStream, FakeEvent
        self.copies: list[str] = []

    def Device(self, index: int) -> Any:
        def step(by: int) -> Any:
            self.depth += by

        context = SimpleNamespace(push=lambda: step(1), pop=lambda: step(-1))
        return SimpleNamespace(
            retain_primary_context=lambda: context,
            get_attribute=lambda attribute: int(self.integrated),
            compute_capability=lambda: (8, 7),
            name=lambda: "Orin",
        )

    def pagelocked_zeros(self, shape: tuple[int, ...], dtype: Any, mem_flags: int) -> Any:
        array = np.zeros(shape, dtype)
        return PinnedArray.wrap(array, self._keep(array))

    def mem_alloc(self, size: int) -> int:
        return self._keep(np.zeros(size, np.uint8))

    def memcpy_htod_async(self, target: int, source: Any, stream: FakeStream) -> None:
        self.copies.append("up")
        content = np.array(source)
        stream.later.append(lambda: np.copyto(FakeCuda.memory[target], content.reshape(-1).view(np.uint8)))

    def memcpy_dtoh_async(self, target: Any, source: int, stream: FakeStream) -> None:
        self.copies.append("down")
        stream.later.append(lambda: np.copyto(target, FakeCuda.memory[source].view(target.dtype).reshape(target.shape)))

    def _keep(self, array: Any) -> int:
        address = 4096 * (len(FakeCuda.memory) + 1)
        FakeCuda.memory[address] = array
        return address


class PinnedArray(np.ndarray):  # type: ignore[type-arg]
    """An array whose `base` knows its device address, as pycuda's."""

    @classmethod
    def wrap(cls, array: Any, address: int) -> Any:
        made = array.view(cls)
        made.address = address  # type: ignore[attr-defined]
        return made

    @property
    def base(self) -> Any:
        return SimpleNamespace(get_device_pointer=lambda: self.address)  # type: ignore[attr-defined]


@pytest.fixture
def trt() -> FakeTrt:
    FakeCuda.memory = {}
    return FakeTrt()


@pytest.fixture
def vendor(trt: FakeTrt) -> Vendor:
    return Vendor(trt, "tensorrt", (10, 3, 0))


@pytest.fixture(params=["shared memory", "own memory"])
def cuda(request: pytest.FixtureRequest) -> CudaDriver:
    return CudaDriver(FakeCuda(request.param == "shared memory"))
