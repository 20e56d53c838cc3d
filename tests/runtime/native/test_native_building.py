"""The library and the packed weights: built once, kept, made again when damaged, never the reason for a wrong start."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native import choice
from premotor_runtime.runners.native.build import LIBRARY, build, shape_options
from premotor_runtime.runners.native.choice import RunnerChoice, latest_choice
from premotor_runtime.runners.native.errors import NativeOptionError
from premotor_runtime.runners.native.runner import NativeRunner, weights_are_kept
from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.reference import ReferenceRunner

Make = Callable[..., Checkpoint]
CHUNK = Chunk([1, 2, 3], 0, [0], [2], "greedy")


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and nothing warned about yet."""
    monkeypatch.setattr(choice, "_warned", set())
    monkeypatch.setattr(choice, "_chosen", [])
    return tmp_path / "cache"


@pytest.fixture
def fake_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real compiler behind a script in CXX that counts how often it compiles, and does so without -O3."""
    count, script = tmp_path / "count", tmp_path / "compile"
    real = find_compiler().command[0]
    script.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] || echo x >> "{count}"\n'
        f'for argument; do shift; [ "$argument" = -O3 ] && argument=-O0; set -- "$@" "$argument"; done\n'
        f'exec {real} "$@"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    count.write_text("")
    monkeypatch.setenv("CXX", str(script))
    return count


def _calls(count: Path) -> int:
    return len(count.read_text().split())


@pytest.mark.parametrize("case", ["no compiler", "another compiler", "it fails"])
def test_without_a_compiler_the_reference_runs_and_says_so_once(
    checkpoint: Make, fresh: Path, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    if case == "no compiler":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        monkeypatch.setenv("CXX", "no-such-compiler -m64" if case == "another compiler" else "/bin/false")
    make, made = RunnerChoice("auto", "f32", folder=fresh), checkpoint("llama")
    with caplog.at_level(logging.WARNING):
        runners = [make(made, 4, 16, {}) for _ in range(2)]
    assert all(isinstance(runner, ReferenceRunner) for runner in runners)
    assert len(caplog.records) == 1
    chosen = latest_choice()
    assert chosen is not None
    assert chosen.runner == "reference"
    assert chosen.reason and chosen.reason in caplog.text
    with pytest.raises(BuildError):
        RunnerChoice("native", "f32", folder=fresh)(made, 4, 16, {})
    assert make.kept(made, 4, 16, {}) is None


def test_what_the_compiler_said_is_kept(checkpoint: Make, fresh: Path, tmp_path: Path, monkeypatch: Any) -> None:
    script = tmp_path / "broken"
    script.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "a.cpp:1: error: no such thing" >&2\nexit 1\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    with pytest.raises(BuildError, match="no such thing") as caught:
        build(checkpoint("llama").config, fresh)
    assert "a.cpp:1" in caught.value.output
    assert not list(fresh.rglob(LIBRARY))


@pytest.mark.slow
def test_built_once_kept_and_made_again_when_damaged(checkpoint: Make, fresh: Path, fake_compiler: Path) -> None:
    config = checkpoint("llama").config
    library = build(config, fresh)
    first = _calls(fake_compiler)
    assert first >= 4
    assert build(config, fresh) == library
    assert _calls(fake_compiler) == first
    content = library.read_bytes()
    for damaged in (content[: len(content) // 2], b"", content[:-9] + b"different"):
        library.unlink()
        library.write_bytes(damaged)
        assert build(config, fresh) == library
        assert library.stat().st_size > len(content) // 2
    # objects that know no shape were kept
    assert _calls(fake_compiler) == first + 3 * 2


@pytest.mark.slow
def test_an_earlier_library_serves_without_a_compiler(
    checkpoint: Make, fresh: Path, fake_compiler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = checkpoint("llama").config
    library = build(config, fresh)
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert build(config, fresh) == library
    with pytest.raises(BuildError, match="no-such-compiler"):
        build(checkpoint("qwen").config, fresh)


@pytest.mark.slow
def test_two_processes_build_at_once(checkpoint: Make, fresh: Path, fake_compiler: Path) -> None:
    config = checkpoint("llama").config
    program = (
        "import sys; from pathlib import Path; from premotor_runtime.models.config import ModelConfig;"
        "from premotor_runtime.runners.native.build import build;"
        f"print(build({config!r}, Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", program, str(fresh)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) for _ in range(2)]
    paths = {process.communicate(timeout=300)[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(paths) == 1
    assert Path(paths.pop().strip()).is_file()


def test_every_shape_has_its_own_library(checkpoint: Make) -> None:
    options = [tuple(shape_options(checkpoint(name).config)) for name in ("llama", "gemma3", "qwen")]
    assert len(set(options)) == 3


def test_packed_weights_are_kept_and_checked(checkpoint: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = checkpoint("gemma3")
    library = build(made.config)
    monkeypatch.setattr("premotor_runtime.runners.native.runner.build", lambda config, folder: library)

    def hidden(key: str, source: Checkpoint = made, precision: str = "int8") -> np.ndarray:
        runner = NativeRunner(source, 4, 16, precision=precision, threads=1, weights_key=key, folder=tmp_path)
        return runner.step([CHUNK])[0].hidden

    expected = hidden("a")
    other = checkpoint("gemma3", seed=9)
    assert np.array_equal(hidden("a", other), expected)  # the key decides
    assert not np.array_equal(hidden("b", other), expected)
    assert not np.array_equal(hidden("a", made, "int4"), expected)
    assert weights_are_kept(made, "int8", "a", tmp_path)
    assert not weights_are_kept(made, "int8", "c", tmp_path)
    files = sorted((tmp_path / "native" / "weights").iterdir())
    assert len(files) == 3
    for file in files:
        content = file.read_bytes()
        for damaged in (content[:-1], b"", b"\0" * len(content), content + b"more"):
            file.unlink()
            file.write_bytes(damaged)
            assert np.array_equal(hidden("a"), expected)
    assert not [file for file in (tmp_path / "native" / "weights").iterdir() if file.name.startswith(".")]


def test_a_cache_that_cannot_be_written_costs_only_time(checkpoint: Make, tmp_path: Path, monkeypatch: Any) -> None:
    made = checkpoint("llama")
    library = build(made.config)
    monkeypatch.setattr("premotor_runtime.runners.native.runner.build", lambda config, folder: library)
    (tmp_path / "native").write_text("a file where a folder should be")
    kept = NativeRunner(made, 4, 16, precision="int8", threads=1, weights_key="a", folder=tmp_path).step([CHUNK])
    plain = NativeRunner(made, 4, 16, precision="int8", threads=1).step([CHUNK])
    assert np.array_equal(kept[0].hidden, plain[0].hidden)


def test_a_choice_that_kept_its_weights_needs_no_layers(checkpoint: Make, fresh: Path) -> None:
    made = checkpoint("llama")
    make = RunnerChoice("native", "int8", 1)
    first = make(made, 4, 16, {})
    made.flat[:] = np.nan  # as if nothing had been read or merged
    second = make.kept(made, 4, 16, {})
    assert second is not None
    assert np.array_equal(first.step([CHUNK])[0].hidden, second.step([CHUNK])[0].hidden)
    chosen = latest_choice()
    assert chosen is not None
    assert (chosen.runner, chosen.reason) == ("native", "")


@pytest.mark.parametrize(
    "options", [{"precision": "fp8"}, {"threads": 0}, {"threads": 1000}, {"cores": [4096]}, {"cores": [-1]}]
)
def test_options_that_cannot_be_met(checkpoint: Make, options: dict[str, Any]) -> None:
    with pytest.raises(NativeOptionError, match=r"give|does not exist"):
        NativeRunner(checkpoint("llama"), 4, 16, **options)
