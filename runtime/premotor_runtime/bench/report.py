"""A run as JSON, schema premotor.bench.llm/1."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import Any

from premotor_runtime.bench.bars import BANDWIDTH_SHARE, CONTINUOUS, CONTINUOUS_VLLM, OVERRUN, PREFIX_HIT, bar
from premotor_runtime.bench.case import CONTEXT, OURS, Case, Contestant
from premotor_runtime.bench.contest import Contest
from premotor_runtime.bench.figures import Ratio, ratio, speed
from premotor_runtime.bench.peers import REMEDY
from premotor_runtime.bench.result import BenchResult, VllmBatching
from premotor_runtime.bench.serving import Batching, PrefixHit, TimeBudget, TimeBudgets
from premotor_runtime.bench.settings import BenchSettings, steps
from premotor_runtime.doctor.machine import Machine

SCHEMA = "premotor.bench.llm/1"
Key = tuple[str, str]


def report(result: BenchResult, settings: BenchSettings) -> dict[str, Any]:
    """Every figure, with the rounds that it comes from; sections that were not run are empty or null."""
    contests = result.contests
    return {
        "schema": SCHEMA,
        "machine": {
            **_machine(result.machine),
            "threads": result.threads,
            "read_bandwidth": result.bandwidth,
            "load_after": result.load_after,
            "busy_before": result.busy_before,
        },
        "rounds": result.rounds,
        "engines": [_engine(contest, who) for contest, _ in contests for who in contest.details],
        "absent": [_absence(each) for contest, _ in contests for each in contest.absences]
        + [_absence(each) for each in result.absences],
        "rows": [row for contest, _ in contests for row in _rows(contest, settings)],
        "ratios": [each for contest, precision in contests for each in _ratios(contest, precision, settings)],
        "bandwidth": [share for contest, _ in contests for share in _shares(contest, result.bandwidth, settings)],
        "memory": [_key(contest, who) | found for contest, _ in contests for who, found in contest.memory.items()],
        "start_up": [
            _key(contest, who) | {"seconds": round(s, 3)}
            for contest, _ in contests
            for who, s in contest.start_s.items()
        ],
        **_serving(result),
        "planning": result.planning,
    }


def _machine(machine: Machine) -> dict[str, Any]:
    facts = asdict(machine)
    return {"memory": facts.pop("memory_total"), **facts}


def _key(contest: Contest, who: Contestant) -> dict[str, Any]:
    return {"engine": who.engine, "model": contest.model, "precision": who.precision}


def _engine(contest: Contest, who: Contestant) -> dict[str, Any]:
    return _key(contest, who) | contest.details[who]


def _absence(absence: Any) -> dict[str, Any]:
    return {
        "engine": absence.contestant.engine,
        "model": absence.model,
        "precision": absence.contestant.precision,
        "installed": absence.installed,
        "reason": absence.reason,
        "remedy": None if absence.installed else REMEDY,
    }


def _rows(contest: Contest, settings: BenchSettings) -> list[dict[str, Any]]:
    rows = []
    for who in contest.entered:
        for case in settings.cases:
            values = contest.samples.of(who, case)
            if (found := speed(values)) is not None:
                rounds = [None if value is None else round(value, 3) for value in values]
                rows.append(_key(contest, who) | _case(case) | {"tok_s": round(found, 3), "rounds": rounds})
    return rows


def _ratios(contest: Contest, precision: str, settings: BenchSettings) -> list[dict[str, Any]]:
    ours = Contestant(OURS, precision)
    peers = [who for who in contest.entered if who != ours]
    found = [ratio(contest.samples, ours, peer, case) for peer in peers for case in settings.cases]
    return [_ratio(contest.model, each) for each in found if each is not None]


def _ratio(model: str, found: Ratio) -> dict[str, Any]:
    names = {
        "ours": f"{found.ours.engine} {found.ours.precision}",
        "peer": f"{found.peer.engine} {found.peer.precision}",
        "model": model,
    }
    judged = _judged(found.ratio, bar(model, found.ours.precision, found.case))
    return names | _case(found.case) | judged | {"rounds": [round(value, 4) for value in found.rounds]}


def _shares(contest: Contest, bandwidth: float | None, settings: BenchSettings) -> list[dict[str, Any]]:
    """What batch-1 decode read a second, weights and keys and values, against what the machine can read."""
    if bandwidth is None:
        return []
    config, case = settings.shape(contest.model), Case("decode", 1)
    positions = CONTEXT + steps(contest.model) / 2
    found = []
    for who, details in contest.details.items():
        tok_s = speed(contest.samples.of(who, case))
        if tok_s is None or not details.get("weight_bytes"):
            continue
        per_position = details.get("kv_bytes", 4 * config.num_hidden_layers * config.kv_size)
        per_token = details["weight_bytes"] + positions * per_position
        share = per_token * tok_s / bandwidth
        limit = BANDWIDTH_SHARE.get((contest.model, who.precision)) if who.engine == OURS else None
        found.append(
            _key(contest, who)
            | {"bytes_per_token": round(per_token), "bytes_per_s": round(per_token * tok_s)}
            | _judged(share, limit, "share")
        )
    return found


def _serving(result: BenchResult) -> dict[str, Any]:
    return {
        "batching": [_batching(key, found) for key, found in result.batching.items()],
        "batching_vllm": [_vllm(key, found) for key, found in result.vllm.items()],
        "prefix": [_prefix(key, found) for key, found in result.prefix.items()],
        "time_budget": [row for key, found in result.budget.items() for row in _budgets(key, found)],
    }


def _batching(key: Key, found: Batching) -> dict[str, Any]:
    speeds = {
        "continuous_tok_s": median(found.continuous),
        "static_tok_s": median(found.static),
        "leaving_tok_s": median(found.leaving),
    }
    return _named(key) | speeds | _judged(found.ratio, CONTINUOUS) | {"ratio_leaving": round(found.ratio_leaving, 4)}


def _vllm(key: Key, found: VllmBatching) -> dict[str, Any]:
    ratios = [mine / theirs for mine, theirs in zip(found.ours, found.vllm, strict=True)]
    speeds = {"ours_tok_s": median(found.ours), "vllm_tok_s": median(found.vllm)}
    return _named(key) | speeds | _judged(median(ratios), CONTINUOUS_VLLM)


def _prefix(key: Key, found: PrefixHit) -> dict[str, Any]:
    seconds = {"cold_s": median(found.cold_s), "hit_s": median(found.hit_s)}
    return _named(key) | seconds | _judged(found.ratio, PREFIX_HIT)


def _budgets(key: Key, found: TimeBudgets) -> list[dict[str, Any]]:
    machine = round(found.machine.p99, 4)
    ways = {"fitted": found.fitted, "paused": found.paused}
    return [_named(key) | {"way": way} | _budget(each) | {"machine_p99": machine} for way, each in ways.items()]


def _budget(found: TimeBudget) -> dict[str, Any]:
    tokens = {"steps": len(found.overruns), "tokens": found.tokens, "tok_s": round(found.tokens / found.seconds, 1)}
    overruns = {"p99_overrun": round(found.p99, 4), "worst_overrun": round(max(found.overruns), 4)}
    return tokens | overruns | {"bar": OVERRUN, "met": found.p99 <= OVERRUN}


def _named(key: Key) -> dict[str, Any]:
    return {"model": key[0], "precision": key[1]}


def _case(case: Case) -> dict[str, Any]:
    return {"batch": case.batch, "phase": case.phase}


def _judged(value: float, limit: float | None, name: str = "ratio") -> dict[str, Any]:
    return {name: round(value, 4), "bar": limit, "met": None if limit is None else value >= limit}
