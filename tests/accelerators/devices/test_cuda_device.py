from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices import cuda as cuda_module
from premotor_accelerators.devices.bound_session import BoundSession
from premotor_accelerators.devices.cuda import CudaDevice, session_options
from premotor_accelerators.errors import CompileRefused, DeviceUnavailable, NotStored, WrongTensor
from premotor_accelerators.onnx_runtime import onnxruntime


@pytest.fixture
def with_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(cuda_module.onnxruntime, "get_available_providers", lambda: names)


def test_without_the_provider_the_device_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_module.onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(DeviceUnavailable, match=r"not CUDAExecutionProvider; .*pip install onnxruntime-gpu"):
        CudaDevice()
    with pytest.raises(DeviceUnavailable, match="not CUDAExecutionProvider, TensorrtExecutionProvider"):
        CudaDevice("tensorrt")


def test_inputs_stay_bound_and_outputs_are_the_callers_memory(conv_toy: Any) -> None:
    """The binding with the CPU provider in the GPU's place."""
    toy = conv_toy()
    session = onnxruntime.InferenceSession(toy.onnx(), providers=["CPUExecutionProvider"])
    bound = BoundSession(toy, session, "here", "cpu")
    outputs = {"y": np.zeros(toy.shape, np.float32)}
    memory = outputs["y"]
    for seed in range(3):
        bound.run(toy.example(seed), outputs)
        assert outputs["y"] is memory
        np.testing.assert_allclose(memory, toy.reference(toy.example(seed))["y"], atol=1e-6)
    other = {"y": np.zeros(toy.shape, np.float32)}
    bound.run_resident(other)  # on what is on the device, into another array
    np.testing.assert_array_equal(other["y"], memory)
    assert bound.profile(2).runs == 2 and bound.implementation == "here"
    with pytest.raises(WrongTensor, match="`x`"):
        bound.run({"x": np.zeros(toy.shape)}, outputs)
    with pytest.raises(WrongTensor, match="`y`"):
        bound.run_resident({"y": np.zeros((1, 2), np.float32)})


@pytest.mark.usefixtures("with_gpu")
@pytest.mark.parametrize(
    ("engine", "first"), [("cuda", "CUDAExecutionProvider"), ("tensorrt", "TensorrtExecutionProvider")]
)
def test_providers_are_the_gpus_only_and_the_cpu_is_no_way_out(
    engine: Any, first: str, conv_toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def session(model: bytes, sess_options: Any, providers: Any) -> Any:
        asked.append((providers, sess_options))
        raise RuntimeError("no kernel for the operator Sub")

    monkeypatch.setattr(cuda_module.onnxruntime, "InferenceSession", session)
    with pytest.raises(CompileRefused, match="whole graph on the GPU: no kernel for the operator Sub"):
        CudaDevice(engine, cache=tmp_path / "engines").compile(conv_toy(), "fp16")
    providers, options = asked[0]
    assert providers[0][0] == first and providers[-1][0] == "CUDAExecutionProvider"
    assert options.get_session_config_entry("session.disable_cpu_ep_fallback") == "1"
    if engine == "tensorrt":
        assert providers[0][1]["trt_fp16_enable"] and providers[0][1]["trt_engine_cache_path"] == str(
            tmp_path / "engines"
        )


@pytest.mark.usefixtures("with_gpu")
def test_a_gpu_that_does_not_answer_is_not_replaced_by_the_cpu(conv_toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime only warns when CUDA does not load, and goes on with the CPU provider."""
    real = onnxruntime.InferenceSession

    def session(model: bytes, sess_options: Any, providers: Any) -> Any:
        return real(model, providers=["CPUExecutionProvider"])

    monkeypatch.setattr(cuda_module.onnxruntime, "InferenceSession", session)
    with pytest.raises(DeviceUnavailable, match="could not open GPU 0: driver, CUDA"):
        CudaDevice().compile(conv_toy(), "fp32")


@pytest.mark.usefixtures("with_gpu")
def test_what_it_cannot_do_is_refused(conv_toy: Any, tmp_path: Path) -> None:
    with pytest.raises(CompileRefused, match="int8 on the device cuda; compile with fp16"):
        CudaDevice().compile(conv_toy(), "int8")
    with pytest.raises(CompileRefused, match="half precision ends"):
        CudaDevice().compile(conv_toy(scale=1e6), "fp16")
    (tmp_path / "file").touch()
    with pytest.raises(NotStored, match="XDG_CACHE_HOME"):
        CudaDevice("tensorrt", cache=tmp_path / "file" / "engines").compile(conv_toy(), "fp32")
    assert session_options().execution_mode == onnxruntime.ExecutionMode.ORT_SEQUENTIAL
