"""A run as JSON, schema premotor.bench.realtime/1, and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from premotor_runtime.app.bench_realtime.bars import bars
from premotor_runtime.app.bench_realtime.control_work import CELLS, HEADINGS, ROLLOUTS, STEPS
from premotor_runtime.app.bench_realtime.figures import Figures
from premotor_runtime.app.bench_realtime.llm_load import CONCURRENT, OUTPUT_TOKENS
from premotor_runtime.app.bench_realtime.scene import BEAMS
from premotor_runtime.app.bench_realtime.settings import CHUNK_TOKENS, DEFAULT_BUDGET, TIMING, RealtimeSettings
from premotor_runtime.app.bench_realtime.slices import SetUp
from premotor_runtime.doctor.machine import Machine

SCHEMA = "premotor.bench.realtime/1"
_SHOWN = 6
TITLES: Mapping[SetUp, str] = {
    "naive": "naive: one process, one queue",
    "threads": "threads: two, without coordination",
    "own_lane": "own lane: a core for each",
    "shared_lane": "shared lane: one core, steps that end in time",
}


def report(
    machine: Machine, settings: RealtimeSettings, found: Figures, stolen_ms: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """Every figure. `llm_tok_s` counts tokens that went through the model, of prompts and outputs.

    `stolen_ms` is what a hypervisor took from the processors in each one's turns.
    """
    return {
        "schema": SCHEMA,
        "machine": asdict(machine),
        "seconds": settings.seconds,
        "control": {
            "rate_hz": TIMING.rate_hz, "deadline_ms": TIMING.deadline_ms, "cells": CELLS, "beams": BEAMS,
            "headings": HEADINGS, "rollouts": ROLLOUTS, "steps": STEPS,
        },
        "llm": {
            "model": settings.model, "precision": "int4", "runner": found.runner, "threads": 1,
            "concurrent": CONCURRENT, "prompt_tokens": settings.prompt_tokens, "output_tokens": list(OUTPUT_TOKENS),
            "tokens_a_step": {"naive, threads": DEFAULT_BUDGET.max_num_batched_tokens, "others": CHUNK_TOKENS},
        },
        "setups": {name: each.as_json() for name, each in found.set_ups.items()},
        "idle_lateness_ms": asdict(found.idle_lateness_ms),
        "idle_longest_stall_ms": found.idle_stall_ms,
        "llm_alone_tok_s": found.alone.tok_s,
        "llm_alone_output_tok_s": found.alone.output_tok_s,
        "stolen_ms": dict(stolen_ms or {}),
        "bars": [asdict(line) for line in bars(found)],
    }  # fmt: skip


def print_realtime_report(found: Mapping[str, Any], console: Console) -> None:
    """The machine, a row for each set-up, the bars."""
    machine, llm, control = found["machine"], found["llm"], found["control"]
    console.print(
        f"{machine['cpu']}; control at {control['rate_hz']:g} Hz beside {llm['concurrent']} requests of "
        f"{llm['prompt_tokens']} tokens to model {llm['model']} {llm['precision']}; {found['seconds']:g} s each",
        markup=False, highlight=False,
    )  # fmt: skip
    console.print(_set_ups(found))
    idle = found["idle_lateness_ms"]
    console.print(
        f"An idle loop on core 1 wakes up {idle['p50']:.2f} ms late at p50, {idle['p999']:.2f} at p99.9; while it "
        f"waited awake, the machine did not run it for up to {found['idle_longest_stall_ms']:.1f} ms. The engine "
        f"alone: {found['llm_alone_tok_s']:.0f} tok/s of prompts and outputs.{_stolen(found)}",
        markup=False, highlight=False,
    )  # fmt: skip
    for name, each in found["setups"].items():
        if each["missed"]:
            console.print(_withheld(name, each["missed"]), markup=False, highlight=False)
    if found["bars"]:
        console.print(_bars(found))


def _withheld(name: str, missed: Sequence[Mapping[str, float]]) -> str:
    shown = [f"{each['response_ms']:.1f} ms, {each['withheld_ms']:.1f} withheld" for each in missed[:_SHOWN]]
    more = f", and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
    return (
        f"Missed in {name.replace('_', ' ')}, with the time that the machine withheld the core from its most urgent "
        f"thread before the deadline: {'; '.join(shown)}{more}."
    )


def _stolen(found: Mapping[str, Any]) -> str:
    stolen = ", ".join(f"{name.replace('_', ' ')} {ms:.0f} ms" for name, ms in found["stolen_ms"].items() if ms)
    return f" A hypervisor took processor time from {stolen}." if stolen else ""


def _set_ups(found: Mapping[str, Any]) -> Table:
    table = Table(title="Control beside a language model", title_justify="left", header_style="bold")
    table.add_column("set-up", no_wrap=True)
    columns = ("missed", "in a row", "late ms\np50/p99.9", "response ms\np50/p99", "LLM\ntok/s", "of\nalone")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, each in found["setups"].items():
        late, response = each["lateness_ms"], each["response_ms"]
        table.add_row(
            name.replace("_", " "), f"{each['misses']}/{each['periods']}", str(each["longest_run"]),
            f"{_short(late['p50'])}/{_short(late['p999'])}",
            "/".join(_short(response[which]) for which in ("p50", "p99")),
            f"{each['llm_tok_s']:.0f}", f"{each['llm_share_of_alone']:.0%}",
        )  # fmt: skip
    return table


def _short(milliseconds: float) -> str:
    """Three digits are enough."""
    return (
        f"{milliseconds:.2f}"
        if milliseconds < 1
        else f"{milliseconds:.1f}"
        if milliseconds < 100
        else f"{milliseconds:.0f}"
    )


def _bars(found: Mapping[str, Any]) -> Table:
    table = Table("measure", "result", "bar", "", title="Bars", title_justify="left", header_style="bold")
    for line in found["bars"]:
        table.add_row(
            line["measure"], line["result"], line["bar"], "[green]met[/]" if line["met"] else "[red]missed[/]"
        )
    return table
