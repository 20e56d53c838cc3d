from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from premotor_runtime.doctor import examine as examination
from premotor_runtime.doctor.busyness import busy_share
from premotor_runtime.doctor.examine import doctor_json, examine
from premotor_runtime.doctor.machine import read_machine
from premotor_runtime.doctor.native_state import native_state
from premotor_runtime.doctor.showing import print_findings


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_a_machine_is_read_from_the_files_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t: fpu avx2 fma sse\n")
    (tmp_path / "meminfo").write_text("MemTotal:  1024 kB\nMemAvailable:   512 kB\n")
    machine = read_machine(tmp_path)
    assert (machine.cpu, machine.isa) == ("Some CPU @ 2 GHz", ("avx2", "fma"))
    assert (machine.memory_total, machine.memory_available) == (1024 * 1024, 512 * 1024)


def test_a_machine_that_tells_nothing_is_unknown_not_an_error(tmp_path: Path) -> None:
    machine = read_machine(tmp_path / "nothing")
    assert machine.memory_total is None and machine.isa == () and machine.cores >= 1


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_the_native_runner_says_so(tmp_path: Path) -> None:
    state = native_state(tmp_path)
    assert state.state == "impossible" and state.compiler is None
    assert "no C++ compiler" in state.reason and "install g++" in state.reason and "reference" in state.reason


@pytest.mark.usefixtures("no_compiler")
def test_what_was_built_before_still_counts_without_a_compiler(tmp_path: Path) -> None:
    library = tmp_path / "native/libraries/a/b/libpremotor_native.so"
    library.parent.mkdir(parents=True)
    library.touch()
    state = native_state(tmp_path)
    assert (state.state, state.libraries) == ("built", 1)


@pytest.mark.usefixtures("no_compiler")
def test_findings_are_complete_without_torch_and_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    real = examination._version
    monkeypatch.setattr(examination, "_version", lambda name: None if name == "torch" else real(name))
    findings = examine()
    found = json.loads(json.dumps(doctor_json(findings)))
    assert found["schema"] == "premotor.doctor/1"
    assert found["versions"]["torch"] is None and found["versions"]["premotor"]
    assert {device["name"] for device in found["devices"]} == {"cpu", "cuda", "torch", "tensorrt", "dla", "rtx"}
    assert "CPUExecutionProvider" in found["providers"]
    assert found["rights"]["reason"]
    console = Console(width=160, file=io.StringIO(), record=True)
    print_findings(findings, console)
    text = console.export_text()
    assert "no C++ compiler" in text and "not installed" in text and "torch" in text


def test_the_examination_imports_no_torch() -> None:
    program = (
        "import sys; from premotor_runtime.doctor.examine import examine; examine(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_busy_share_is_what_was_not_idle(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu 100 0 100 700 100 0 0 0 0 0\n")
    later = "cpu 150 0 150 770 130 0 0 0 0 0\n"
    assert busy_share(0.0, stat, lambda _: stat.write_text(later) and None) == 0.5
    assert busy_share(0.0, stat, lambda _: None) is None
    assert busy_share(0.0, tmp_path / "none", lambda _: None) is None
