from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from premotor_accelerators.profiles.record import ProfileKey, ProfileRecord
from premotor_accelerators.profiles.store import ProfileStore
from premotor_runtime.scheduler.costs import worst_case_ns
from premotor_runtime.scheduler.errors import ProfileMissing, ProfileOutdated

KEY = ProfileKey("mppi", "a" * 64, (("u", (1, 2)),), "cpu", "fp32", "laptop", None, None, {"numpy": "2.0"})


@pytest.fixture
def store(tmp_path: Path) -> ProfileStore:
    store = ProfileStore(tmp_path)
    store.save(ProfileRecord(KEY, 90.0, 4.0, 3.0, 3.4, 5.0, 1000, 0, "native"))
    return store


def test_the_cost_is_the_longest_run_and_a_margin(store: ProfileStore) -> None:
    assert worst_case_ns(store, KEY) == 6_000_000
    assert worst_case_ns(store, KEY, safety_milli=1000) == 5_000_000


def test_what_was_never_measured_is_refused_with_the_command(store: ProfileStore) -> None:
    with pytest.raises(
        ProfileMissing, match="cspace was never measured on cpu in fp32; run `premotor profile --kernel cspace"
    ):
        worst_case_ns(store, replace(KEY, kernel="cspace"))
    with pytest.raises(ProfileMissing, match="on dla0 in int8"):
        worst_case_ns(store, replace(KEY, device="dla0", precision="int8"))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"graph": "b" * 64}, "version of the kernel"),
        ({"versions": {"numpy": "2.1"}}, "version of the libraries"),
        ({"power_mode": "MAXN", "memory_clock_mhz": 2133.0}, "power mode, memory clock"),
        ({"machine": "desktop"}, "machine"),
    ],
)
def test_a_profile_of_something_else_is_refused_naming_the_difference(
    store: ProfileStore, changed: dict[str, object], named: str
) -> None:
    with pytest.raises(ProfileOutdated, match=f"is of another {named}; run `premotor profile --kernel mppi"):
        worst_case_ns(store, replace(KEY, **changed))  # type: ignore[arg-type]
