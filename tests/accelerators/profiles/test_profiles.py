from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from premotor_accelerators.board_state import BoardState, Clock
from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.errors import DeviceUnavailable, NotStored
from premotor_accelerators.profiles.record import ProfileRecord, from_json, key_of, to_json
from premotor_accelerators.profiles.store import ProfileStore
from premotor_accelerators.profiles.taking import pinned, take_profile

NONE = Clock(None, None)
STATE = BoardState("Some Board", "36.4.3", "MAXN", NONE, NONE, Clock(3199.0, 3199.0), ())


@pytest.fixture
def record(conv_toy: Any) -> ProfileRecord:
    key = key_of(conv_toy(), "dla0", "fp16", "Some Board", STATE, {"tensorrt": "10.3.0"})
    return ProfileRecord(key, 812.0, 1.5, 1.2, 1.4, 2.0, 1000, 3, "tensorrt on dla0")


def test_a_profile_is_found_by_exactly_its_key(record: ProfileRecord, tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(record)
    assert ProfileStore(tmp_path).find(record.key) == record
    for other in (
        {"device": "dla1"},
        {"precision": "int8"},
        {"power_mode": "30W"},
        {"memory_clock_mhz": 2133.0},
        {"machine": "Other Board"},
        {"versions": {"tensorrt": "10.3.1"}},
        {"graph": "0" * 64},
        {"shapes": record.key.shapes[:1]},
    ):
        assert store.find(replace(record.key, **other)) is None  # type: ignore[arg-type]


def test_a_new_measurement_replaces_the_old_one(record: ProfileRecord, tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(record)
    store.save(replace(record, p50_ms=1.1))
    assert [kept.p50_ms for kept in store.all("conv_toy")] == [1.1]
    assert store.all("other") == []


def test_json_goes_there_and_back(record: ProfileRecord) -> None:
    assert from_json(to_json(record)) == record
    for text in (
        "",
        "[]",
        "{}",
        to_json(record).replace("profile/1", "profile/2"),
        to_json(record).replace("p50_ms", "p"),
    ):
        with pytest.raises(ValueError):
            from_json(text)


def test_a_damaged_profile_is_left_out_with_a_warning(
    record: ProfileRecord, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = ProfileStore(tmp_path)
    path = store.save(record)
    path.write_text(path.read_text()[:100])
    assert store.find(record.key) is None
    assert "measure it again" in caplog.text


def test_a_full_disk_is_a_typed_error_and_the_old_profile_stays(
    record: ProfileRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ProfileStore(tmp_path)
    store.save(record)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotStored, match="the disk is full; free space"):
        store.save(replace(record, p50_ms=9.0))
    assert store.find(record.key) == record and len(list(tmp_path.iterdir())) == 1


def test_measuring_is_pinned_and_lets_go_afterwards(conv_toy: Any) -> None:
    before = os.sched_getaffinity(0)
    core, seen = max(before), []
    key = key_of(conv_toy(), "cpu", "fp32", "here", STATE, {})

    class Watching(CpuDevice):
        def compile(self, kernel: Any, precision: Any = "fp32") -> Any:
            seen.append(os.sched_getaffinity(0))
            return super().compile(kernel, precision)

    record = take_profile(Watching(), conv_toy(), key, 20, core)
    assert seen == [{core}] and os.sched_getaffinity(0) == before
    assert 0 < record.p50_ms <= record.p99_ms <= record.max_ms and record.cold_ms > 0 < record.warm_ms
    assert (record.runs, record.core) == (20, core) and "onnxruntime" in record.implementation
    with pytest.raises(DeviceUnavailable, match="core 4095 is not this process's"), pinned(4095):
        pass
    assert os.sched_getaffinity(0) == before
