"""An NVIDIA GPU by ONNX Runtime: its CUDA provider, or its TensorRT provider before it.

Written against ONNX Runtime's documented interface; its binding is tested on the CPU provider, the GPU not yet here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from premotor_accelerators.devices.bound_session import BoundSession
from premotor_accelerators.errors import CompileRefused, DeviceUnavailable, NotStored
from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.precision.graph_checks import check_graph, check_half_range, parse_model
from premotor_accelerators.precision.half import to_half
from premotor_accelerators.protocol import Kernel, Precision
from premotor_foundation.cache_folder import cache_folder

Engine = Literal["cuda", "tensorrt"]
_PROVIDERS = {"cuda": "CUDAExecutionProvider", "tensorrt": "TensorrtExecutionProvider"}


class CudaDevice:
    """Compiles kernels for GPU `index`.

    `engine` tensorrt hands the graph to TensorRT first and what it leaves to CUDA: both on the GPU. Nothing goes to
    the CPU: an operator without a GPU version is refused. Raises DeviceUnavailable without the provider.
    """

    def __init__(self, engine: Engine = "cuda", index: int = 0, cache: Path | None = None) -> None:
        self._engine = engine
        self._index = index
        self._cache = cache or cache_folder() / "onnxruntime"
        self._available()

    @property
    def name(self) -> str:
        """`cuda`."""
        return "cuda"

    def compile(self, kernel: Kernel, precision: Precision = "fp32") -> BoundSession:
        """A session with its tensors bound. fp16 casts at the graph's edges.

        Raises CompileRefused with operator and remedy, DeviceUnavailable when the GPU does not answer.
        """
        model = parse_model(kernel.name, kernel.onnx())
        check_graph(kernel, model)
        if precision == "int8":
            raise CompileRefused(f"{kernel.name}: int8 on the device cuda; compile with fp16, or for tensorrt or dla")
        if precision == "fp16":
            check_half_range(kernel.name, model)
            model = to_half(model, "float")
        providers = self._providers(precision)
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), sess_options=session_options(), providers=providers
            )
        except Exception as error:  # ONNX Runtime's errors share no narrower base
            raise CompileRefused(
                f"{kernel.name}: ONNX Runtime does not run the whole graph on the GPU: {error}; the device cpu runs "
                "it, or export it with operators that the CUDA provider has"
            ) from error
        if _PROVIDERS["cuda"] not in session.get_providers():
            raise DeviceUnavailable(
                f"ONNX Runtime could not open GPU {self._index}: driver, CUDA 12 or cuDNN 9 is missing; see "
                "`nvidia-smi` and `premotor doctor`"
            )
        return BoundSession(kernel, session, f"onnxruntime, {self._engine} {self._index}", "cuda", self._index)

    def _available(self) -> None:
        found = onnxruntime.get_available_providers()
        missing = [_PROVIDERS[engine] for engine in {"cuda", self._engine} if _PROVIDERS[engine] not in found]
        if missing:
            raise DeviceUnavailable(
                f"this ONNX Runtime has {', '.join(found)}, not {', '.join(sorted(missing))}; "
                "`pip uninstall onnxruntime && pip install onnxruntime-gpu` (on a Jetson the wheel for its JetPack)"
            )

    def _providers(self, precision: Precision) -> list[tuple[str, dict[str, Any]]]:
        cuda = (_PROVIDERS["cuda"], {"device_id": self._index, "do_copy_in_default_stream": True})
        if self._engine == "cuda":
            return [cuda]
        try:
            self._cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotStored(f"{self._cache} cannot be made: {error}; set XDG_CACHE_HOME to another folder") from error
        options = {
            "device_id": self._index,
            "trt_engine_cache_enable": True,
            "trt_engine_cache_path": str(self._cache),
            "trt_timing_cache_enable": True,
            "trt_timing_cache_path": str(self._cache),
            "trt_fp16_enable": precision == "fp16",
        }
        return [(_PROVIDERS["tensorrt"], options), cuda]


def session_options() -> Any:
    """Sequential, quiet, and without the CPU as a way out."""
    options = onnxruntime.SessionOptions()
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.log_severity_level = 3
    return options
