"""One DLA core of a Jetson: a TensorRT engine pinned to it, nothing on the GPU, its placement read back and compared.

Written against TensorRT's documented interface and tested with stand-ins for it; not yet run on a board.
"""

from __future__ import annotations

from collections.abc import Callable

from premotor_accelerators.devices.dla_probe import probe
from premotor_accelerators.devices.tensorrt import Samples, TensorRtDevice
from premotor_accelerators.dla.checker import check_model
from premotor_accelerators.dla.report import NodeReport
from premotor_accelerators.dla.target import make_target
from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.lanes import IN_FLIGHT
from premotor_accelerators.precision.graph_checks import parse_model
from premotor_accelerators.precision.half import to_half
from premotor_accelerators.protocol import Kernel, Precision
from premotor_accelerators.tensorrt.cuda_driver import CudaDriver
from premotor_accelerators.tensorrt.executable import TensorRtExecutable
from premotor_accelerators.tensorrt.loading import layouts_of
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.placement import Predict, PredictedNode, compare, read_layers, refuse_predicted_gpu
from premotor_accelerators.tensorrt.vendor import Vendor, load_tensorrt

Forecast = Callable[[str, Precision, str], Predict]
"""Board, precision and TensorRT version to a prediction."""


class DlaDevice:
    """Compiles kernels for DLA core `core` of `board`.

    The constructor asks three times whether this can work: by the table of versions, by the number of cores TensorRT
    sees, and by building a tiny network. Raises DlaUnavailable or DeviceUnavailable with what to do.
    """

    def __init__(
        self,
        core: int,
        board: str,
        cache: EngineCache | None = None,
        samples: Samples | None = None,
        forecast: Forecast | None = None,
        vendor: Vendor | None = None,
        cuda: CudaDriver | None = None,
    ) -> None:
        self._vendor = vendor or load_tensorrt()
        self._version = ".".join(map(str, self._vendor.version[:3]))
        self._board = board
        self._core = core
        self._forecast = forecast or checker_forecast
        make_target(board, "fp16", self._version)
        probe(self._vendor, core)
        self._gpu = TensorRtDevice(cache, samples, vendor=self._vendor, cuda=cuda)
        with self._gpu.cuda.current():
            self._stream = self._gpu.cuda.stream()  # one for all kernels of the core: its order is theirs

    @property
    def name(self) -> str:
        """`dla`."""
        return "dla"

    @property
    def lane(self) -> str:
        """The name of this core's lane, such as `dla0`."""
        return f"dla{self._core}"

    def compile(self, kernel: Kernel, precision: Precision = "fp16") -> TensorRtExecutable:
        """An engine that lies on this core as a whole, with two submissions in flight.

        Raises CompileRefused with operator, rule and remedy; PlacementDiffers when the engine inspector shows a layer
        on the GPU; NotStored when the engine cannot be kept.
        """
        options = BuildOptions(precision, "dla", self._core)
        nodes = self._forecast(self._board, precision, self._version)(kernel.onnx()) if precision != "fp32" else ()
        refuse_predicted_gpu(kernel.name, nodes)
        engine, loaded = self._gpu.loaded(kernel, options)
        compare(kernel.name, nodes, read_layers(loaded.layers(self._vendor.module)))
        layouts = layouts_of(self._vendor, loaded.engine, True, engine.scales)
        return TensorRtExecutable(
            kernel, self.lane, loaded.engine, layouts, self._gpu.cuda, IN_FLIGHT, loaded.keep, self._stream
        )


def checker_forecast(board: str, precision: Precision, tensorrt: str) -> Predict:
    """The prediction of `premotor check-dla`."""
    target = make_target(board, precision, tensorrt)

    def predict(model: bytes) -> list[PredictedNode]:
        parsed = parse_model("the kernel", model)
        typed = to_half(parsed, "half") if target.gate.strongly_typed else parsed
        return [_predicted(node) for node in check_model(typed, target).nodes]

    return predict


def _predicted(node: NodeReport) -> PredictedNode:
    verdict = node.verdict
    remedy = "; ".join(part for part in (verdict.found, verdict.remedy) if part)
    return PredictedNode(node.name, node.op, verdict.placement, verdict.rule.name, remedy)
