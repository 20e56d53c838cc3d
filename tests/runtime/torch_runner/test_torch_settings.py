"""Nothing runs elsewhere, or otherwise, than it was asked to."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import pytest

from premotor_foundation.errors import UsageError
from premotor_runtime.runners.torch import MissingPackageError, TorchRunnerError, TorchSettings, torch_runner


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("device", "gpu"), ("device", "cuda:x"), ("dtype", "int8"), ("kernels", "cuda"), ("graph_sizes", (2, 1)),
        ("graph_sizes", (0, 1)), ("graph_sizes", (1, 1)), ("stream_priority", 1),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named(field: str, value: Any) -> None:
    with pytest.raises(TorchRunnerError, match=f"{field} is .*; allowed is"):
        TorchSettings(**{field: value})


def test_what_a_setting_means() -> None:
    assert TorchSettings().uses_triton and TorchSettings().uses_graphs
    assert not TorchSettings(kernels="torch").uses_graphs and not TorchSettings(graph_sizes=()).uses_graphs
    assert not TorchSettings(device="cpu").uses_triton and TorchSettings(device="cpu", kernels="triton").uses_triton
    assert not TorchSettings(device="cpu", kernels="triton").uses_graphs


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, premotor_runtime.runners.torch; print([n for n in ('torch', 'triton') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("package", "extra"), [("torch", "torch"), ("triton", "gpu")])
def test_a_missing_package_names_its_extra(
    make_checkpoint: Any, monkeypatch: pytest.MonkeyPatch, package: str, extra: str
) -> None:
    found = importlib.util.find_spec

    def find(name: str, *rest: Any) -> Any:
        return None if name == package else object() if name in ("torch", "triton") else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    with pytest.raises(MissingPackageError, match=rf"needs the package {package}.*premotor\[{extra}\]") as caught:
        torch_runner(make_checkpoint("llama"), 4)
    assert isinstance(caught.value, UsageError)


@pytest.mark.torch
def test_cuda_without_a_device_is_refused(make_checkpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    settings = TorchSettings(kernels="torch")
    with pytest.raises(TorchRunnerError, match=r"'cuda' was asked for, and there is no CUDA device.*ask for `cpu`"):
        torch_runner(make_checkpoint("llama"), 4, settings=settings)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("architectures", "capability", "integrated", "runs"),
    [
        (["sm_80", "sm_90"], (9, 0), False, True),
        (["sm_80", "sm_90"], (8, 6), False, True),  # of the same major, newer
        (["sm_80", "sm_86"], (8, 0), False, True),
        (["sm_86"], (8, 0), False, False),
        (["sm_80", "sm_86"], (8, 7), True, False),  # Orin does not run a desktop's code
        (["sm_80", "sm_87"], (8, 7), True, True),
        (["sm_80", "compute_80"], (8, 7), True, True),
        (["sm_70", "compute_70"], (12, 0), False, True),
        (["sm_90a"], (10, 0), False, False),
        (["compute_90a"], (10, 0), False, False),  # for that architecture alone
        (["sm_100", "sm_120"], (12, 1), False, True),
        (["gfx90a", ""], (9, 0), False, False),
    ],
)
def test_which_code_runs_where(
    architectures: list[str], capability: tuple[int, int], integrated: bool, runs: bool
) -> None:
    pytest.importorskip("torch")
    from premotor_runtime.runners.torch.device import runs_on

    assert runs_on(architectures, capability, integrated) is runs


@pytest.mark.torch
def test_too_little_memory_is_refused_with_numbers(make_checkpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from premotor_runtime.runners.torch import device

    opened = device.Device(TorchSettings(device="cpu"))
    opened.on_cuda = True
    monkeypatch.setattr(device, "_free_bytes", lambda _: 3 * 2**20)
    opened.check_room(3 * 2**20, "weights")
    with pytest.raises(TorchRunnerError, match=r"weights need 4 MiB .* 3 MiB are free; give fewer blocks"):
        opened.check_room(4 * 2**20, "weights")
