"""Costs from stored profiles: only of exactly what would run, in exactly this state of the machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from premotor_accelerators.profiles.record import ProfileKey, ProfileRecord
from premotor_accelerators.profiles.store import ProfileStore
from premotor_runtime.scheduler.errors import ProfileMissing, ProfileOutdated

SAFETY_MILLI = 1200
"""On the longest of the runs measured: the worst case is not among a thousand of them."""


def worst_case_ns(store: ProfileStore, key: ProfileKey, safety_milli: int = SAFETY_MILLI) -> int:
    """The cost to plan with. Raises ProfileMissing, or ProfileOutdated naming what differs."""
    found = store.find(key)
    if found is not None:
        return max(1, int(found.max_ms * 1e6) * safety_milli // 1000)
    raise _unusable(key, store.all(key.kernel))


def _unusable(key: ProfileKey, others: Iterable[ProfileRecord]) -> ProfileMissing | ProfileOutdated:
    remedy = f"run `premotor profile --kernel {key.kernel} --device {key.device}`"
    nearest = min(others, key=lambda record: len(_differences(key, record.key)), default=None)
    if nearest is None or (nearest.key.device, nearest.key.precision) != (key.device, key.precision):
        return ProfileMissing(f"{key.kernel} was never measured on {key.device} in {key.precision}; {remedy}")
    differing = ", ".join(_differences(key, nearest.key))
    return ProfileOutdated(
        f"the profile of {key.kernel} on {key.device} is of another {differing}; {remedy} in this state"
    )


def _differences(one: ProfileKey, other: ProfileKey) -> list[str]:
    differing = [each.name for each in fields(one) if getattr(one, each.name) != getattr(other, each.name)]
    return [_WORDS.get(name, name.replace("_", " ")) for name in differing]


_WORDS = {"graph": "version of the kernel", "versions": "version of the libraries", "memory_clock_mhz": "memory clock"}
