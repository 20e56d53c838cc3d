"""GPUs by TensorRT 10 and 11: engines built once, kept, and run with pinned memory, a stream and events.

The builder is tested with TensorRT-RTX; loading and running with stand-ins for `tensorrt` and `pycuda`, on no GPU yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.protocol import Arrays, Kernel, Precision
from premotor_accelerators.tensorrt.cuda_driver import CudaDriver, open_driver
from premotor_accelerators.tensorrt.engine_source import Engine, EngineSource
from premotor_accelerators.tensorrt.executable import TensorRtExecutable
from premotor_accelerators.tensorrt.loading import Loaded, layouts_of, load_engine
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor, load_tensorrt

Samples = Callable[[Kernel], Sequence[Arrays]]


class TensorRtDevice:
    """Compiles kernels for the GPU.

    `samples` gives a kernel's recorded inputs: int8 is calibrated with them, fp16 held to the kernel's tolerance.
    Raises DeviceUnavailable without TensorRT, pycuda, driver or GPU.
    """

    def __init__(
        self,
        cache: EngineCache | None = None,
        samples: Samples | None = None,
        slots: int = 1,
        vendor: Vendor | None = None,
        cuda: CudaDriver | None = None,
    ) -> None:
        self._vendor = vendor or load_tensorrt()
        self.cuda = cuda or open_driver()
        self._samples = samples or (lambda kernel: ())
        self._slots = slots
        loaded = self._vendor
        self._source = EngineSource(loaded.builder, lambda: loaded, self.cuda.device_name, cache)

    @property
    def name(self) -> str:
        """`tensorrt`."""
        return "tensorrt"

    def compile(self, kernel: Kernel, precision: Precision = "fp16") -> TensorRtExecutable:
        """An engine for the kernel, from the cache or built now, loaded.

        Raises CompileRefused with operator, rule and remedy; NotStored when the engine cannot be kept.
        """
        _, loaded = self.loaded(kernel, BuildOptions(precision))
        layouts = layouts_of(self._vendor, loaded.engine, False, {})
        return TensorRtExecutable(
            kernel, self.cuda.device_name, loaded.engine, layouts, self.cuda, self._slots, loaded.keep
        )

    def loaded(self, kernel: Kernel, options: BuildOptions) -> tuple[Engine, Loaded]:
        """The engine, loaded. One from the cache that does not load is built again, once."""
        samples = self._samples(kernel)
        with self.cuda.current():
            engine = self._source.engine(kernel, options, samples)
            try:
                return engine, load_engine(self._vendor, kernel.name, engine.plan, options.dla_core)
            except CompileRefused:
                if not engine.cached:
                    raise
            self._source.cache.drop(engine.key)
            engine = self._source.engine(kernel, options, samples)
            return engine, load_engine(self._vendor, kernel.name, engine.plan, options.dla_core)
