from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.engines.key import EngineKey, graph_digest
from premotor_accelerators.engines.sealed_file import read_sealed, write_sealed
from premotor_accelerators.errors import NotStored

KEY = EngineKey("toy", graph_digest(b"graph"), "fp16", "tensorrt 10.3.0", "Orin sm87", {"level": "3", "unit": "gpu"})
ENGINE = bytes(range(256)) * 40


def test_what_was_stored_is_found_by_an_equal_key(tmp_path: Path) -> None:
    cache = EngineCache(tmp_path)
    assert cache.load(KEY) is None
    cache.store(KEY, ENGINE)
    assert EngineCache(tmp_path).load(replace(KEY, flags={"unit": "gpu", "level": "3"})) == ENGINE
    cache.drop(KEY)
    cache.drop(KEY)
    assert cache.load(KEY) is None


@pytest.mark.parametrize(
    "other",
    [
        {"kernel": "other"},
        {"graph": graph_digest(b"graph.")},
        {"precision": "int8"},
        {"builder": "tensorrt 10.3.1"},
        {"builder": "tensorrt_rtx 10.3.0"},
        {"device": "Orin sm87 "},
        {"flags": {"level": "4", "unit": "gpu"}},
        {"flags": {"level": "3"}},
        {"flags": {"level": "3", "unit": "gpu", "more": ""}},
    ],
)
def test_any_other_graph_version_device_or_flag_never_hits(other: dict[str, Any], tmp_path: Path) -> None:
    cache = EngineCache(tmp_path)
    cache.store(KEY, ENGINE)
    changed = replace(KEY, **other)
    assert changed.digest != KEY.digest
    assert cache.load(changed) is None
    cache.path(changed).write_bytes(cache.path(KEY).read_bytes())  # even under the other's name
    assert cache.load(changed) is None
    assert cache.load(KEY) == ENGINE


@pytest.mark.parametrize("kept", [0, 1, 20, 100, -1000, -1])
def test_a_cut_short_engine_never_hits(kept: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = EngineCache(tmp_path)
    path = cache.store(KEY, ENGINE)
    path.write_bytes(path.read_bytes()[:kept])
    assert cache.load(KEY) is None
    assert "built again" in caplog.text


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_an_altered_byte_anywhere_never_hits(at: int, change: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.engine"
        write_sealed(path, "about", ENGINE)
        content = bytearray(path.read_bytes())
        content[at % len(content)] ^= change
        path.write_bytes(content)
        assert read_sealed(path, "about") is None


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "ermission"), (errno.EDQUOT, "quota")]
)
def test_a_disk_that_does_not_take_it_is_a_typed_error_and_leaves_no_part(
    number: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = EngineCache(tmp_path)
    cache.store(KEY, b"older")

    def full(handle: int) -> None:
        raise OSError(number, "Permission denied" if number == errno.EACCES else "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotStored, match=f"{words}.*XDG_CACHE_HOME"):
        cache.store(KEY, ENGINE)
    monkeypatch.undo()
    assert cache.load(KEY) == b"older"
    assert [path.name for path in tmp_path.iterdir()] == [cache.path(KEY).name]


def test_timing_caches_are_kept_per_builder_and_device(tmp_path: Path) -> None:
    cache = EngineCache(tmp_path)
    assert cache.load_timing("tensorrt 10.3.0", "Orin sm87") == b""
    cache.store_timing("tensorrt 10.3.0", "Orin sm87", b"measured")
    assert cache.load_timing("tensorrt 10.3.0", "Orin sm87") == b"measured"
    assert cache.load_timing("tensorrt 10.3.1", "Orin sm87") == b""
    assert cache.load_timing("tensorrt 10.3.0", "Orin_sm87") == b""
