from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices.tensorrt import TensorRtDevice
from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import CompileRefused, DeviceUnavailable, RunFailed, WrongTensor
from premotor_accelerators.tensorrt import vendor as vendors
from premotor_accelerators.tensorrt.cuda_driver import open_driver
from premotor_accelerators.tensorrt.vendor import load_rtx, load_tensorrt, numbers


@pytest.fixture
def device(vendor: Any, cuda: Any, tmp_path: Path) -> TensorRtDevice:
    return TensorRtDevice(EngineCache(tmp_path), vendor=vendor, cuda=cuda)


def arrays(toy: Any, seed: int = 0) -> tuple[Any, Any]:
    return toy.example(seed), {"y": np.full(toy.shape, np.nan, np.float32)}


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_compiled_kernel_computes_into_the_callers_arrays(device: Any, conv_toy: Any, precision: Any) -> None:
    toy = conv_toy()
    executable = device.compile(toy, precision)
    for seed in range(3):
        inputs, outputs = arrays(toy, seed)
        executable.run(inputs, outputs)
        np.testing.assert_allclose(outputs["y"], toy.reference(inputs)["y"], atol=1e-5 if precision == "fp32" else 2e-3)
    assert executable.profile(3).runs == 3


def test_on_shared_memory_nothing_is_copied_between_host_and_device(device: Any, cuda: Any, conv_toy: Any) -> None:
    toy = conv_toy()
    inputs, outputs = arrays(toy)
    device.compile(toy, "fp32").run(inputs, outputs)
    assert cuda._driver.copies == ([] if cuda.shares_memory else ["up", "down"])
    assert cuda._driver.depth == 0  # every context that was pushed was popped


def test_gpu_networks_are_strongly_typed_with_fp32_meaning_fp32(device: Any, trt: Any, conv_toy: Any) -> None:
    device.compile(conv_toy(), "fp16")
    assert trt.networks[-1].flags == 1 << 1
    assert not trt.built[-1].flags & {"TF32", "FP16", "INT8"}


def test_the_second_device_builds_nothing_and_has_the_timing_cache(
    vendor: Any, cuda: Any, trt: Any, conv_toy: Any, tmp_path: Path
) -> None:
    cache = EngineCache(tmp_path)
    TensorRtDevice(cache, vendor=vendor, cuda=cuda).compile(conv_toy(), "fp16")
    TensorRtDevice(cache, vendor=vendor, cuda=cuda).compile(conv_toy(), "fp16")
    assert len(trt.built) == 1
    TensorRtDevice(cache, vendor=vendor, cuda=cuda).compile(conv_toy(scale=0.2), "fp16")
    assert len(trt.built) == 2 and trt.built[1].timing == b"++"


def test_a_kept_engine_that_does_not_load_is_built_again_once(
    vendor: Any, cuda: Any, trt: Any, conv_toy: Any, tmp_path: Path
) -> None:
    device = TensorRtDevice(EngineCache(tmp_path), vendor=vendor, cuda=cuda)
    device.compile(conv_toy(), "fp16")
    trt.refuse_plans = 1
    device.compile(conv_toy(), "fp16")
    assert len(trt.built) == 2
    trt.refuse_plans = 2
    with pytest.raises(CompileRefused, match="does not load the engine: The engine plan file is generated on an incom"):
        device.compile(conv_toy(), "fp16")


def test_int8_is_calibrated_with_recordings_and_held_to_the_tolerance(
    vendor: Any, cuda: Any, conv_toy: Any, tmp_path: Path
) -> None:
    def device(**more: Any) -> TensorRtDevice:
        return TensorRtDevice(EngineCache(tmp_path), vendor=vendor, cuda=cuda, **more)

    toy = conv_toy()
    inputs, outputs = arrays(toy)
    device(samples=lambda kernel: [inputs]).compile(toy, "int8").run(inputs, outputs)
    np.testing.assert_allclose(outputs["y"], toy.reference(inputs)["y"], atol=toy.tolerance)
    with pytest.raises(CompileRefused, match="int8 needs recorded costmaps"):
        device().compile(toy, "int8")
    with pytest.raises(CompileRefused, match="at int8 its outputs are off by"):
        device(samples=lambda kernel: [inputs]).compile(conv_toy(tolerance=1e-6), "int8")


def test_wrong_arrays_are_refused_before_anything_is_submitted(device: Any, conv_toy: Any) -> None:
    toy = conv_toy()
    executable = device.compile(toy, "fp32")
    inputs, outputs = arrays(toy)
    with pytest.raises(WrongTensor, match="`x`"):
        executable.run({"x": inputs["x"][..., :-1]}, outputs)
    with pytest.raises(WrongTensor, match="`y`"):
        executable.run(inputs, {"y": outputs["y"].astype(np.float64)})
    executable._slots[0].context.execute_async_v3 = lambda handle: False
    with pytest.raises(RunFailed, match="conv_toy on Orin sm87: TensorRT does not take the submission"):
        executable.run(inputs, outputs)


def test_a_kernel_checks_its_inputs_before_anything_is_submitted(device: Any, conv_toy: Any) -> None:
    class Checking(conv_toy):  # type: ignore[misc]
        def check(self, inputs: Any) -> None:
            if not np.isfinite(inputs["x"]).all():
                raise WrongTensor("`x` holds NaN; clear the costmap")

    toy = Checking()
    executable = device.compile(toy, "fp32")
    inputs, outputs = arrays(toy)
    inputs["x"][0, 0, 0, 0] = np.nan
    with pytest.raises(WrongTensor, match="holds NaN"):
        executable.run(inputs, outputs)
    assert not executable._stream.later and np.isnan(outputs["y"]).all()


def test_missing_vendor_packages_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(vendors.importlib, "import_module", missing)
    with pytest.raises(DeviceUnavailable, match=r"`tensorrt` is not there.*python3-libnvinfer"):
        load_tensorrt()
    with pytest.raises(DeviceUnavailable, match=r"tensorrt_rtx_bindings.*rtx\.txt"):
        load_rtx()
    with pytest.raises(DeviceUnavailable, match=r"`pycuda` is not there.*pip install pycuda"):
        open_driver()


def test_a_tensorrt_that_is_too_old_or_does_not_load_is_named(monkeypatch: pytest.MonkeyPatch, trt: Any) -> None:
    monkeypatch.setattr(vendors.importlib, "import_module", lambda name: trt)
    assert load_tensorrt().builder == "tensorrt 10.3.0"
    trt.__version__ = "8.6.2.3"
    with pytest.raises(DeviceUnavailable, match=r"tensorrt 8\.6\.2\.3 is there.*JetPack 6\.1"):
        load_tensorrt()

    def broken(name: str) -> Any:
        raise OSError("libnvinfer.so.10: cannot open shared object file")

    monkeypatch.setattr(vendors.importlib, "import_module", broken)
    with pytest.raises(DeviceUnavailable, match=r"does not load: libnvinfer.*install it again"):
        load_tensorrt()


def test_versions_are_read_as_numbers() -> None:
    assert (
        numbers("10.3.0.post12.dev1") == (10, 3, 0)
        and numbers("11.4.1.7+cuda13") == (11, 4, 1, 7)
        and numbers("x") == ()
    )
