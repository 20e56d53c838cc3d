"""A report (see `report`) as tables for the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from premotor_runtime.bench.case import Case

_MIB = 1 << 20
_BAR_WIDTH = 24
_QUIET = 0.1
_DISTURBED = (
    "Other programs use this machine: figures are low, and ratios are not to be trusted, for engines whose threads "
    "spin while they wait for each other (llama.cpp, PyTorch) lose many times more by it than ours. "
    "Repeat it on a quiet machine."
)


def print_report(found: dict[str, Any], console: Console) -> None:
    """The machine, then one table for each section that has figures, then who is absent."""
    console.print(_machine(found), markup=False, highlight=False)
    if (found["machine"]["busy_before"] or 0.0) > _QUIET:
        console.print(_DISTURBED, markup=False, highlight=False)
    for table in (_ratios(found), _rows(found), _shares(found), _resources(found), _serving(found), _planning(found)):
        if table.row_count:
            console.print(table)
    for absent in found["absent"]:
        remedy = f"; {absent['remedy']}" if absent["remedy"] else ""
        text = f"{absent['model']} {absent['precision']}: {absent['reason']}{remedy}"
        console.print(text, markup=False, highlight=False)


def _machine(found: dict[str, Any]) -> str:
    machine = found["machine"]
    read = f", reads {machine['read_bandwidth'] / 1e9:.1f} GB/s" if machine["read_bandwidth"] else ""
    return (
        f"{machine['cpu']}, {machine['threads']} threads on {machine['cores']} cores, "
        f"{' '.join(machine['isa'])}{read}; "
        f"load {_load(machine['load'])} before, {_load(machine['load_after'])} after; "
        f"medians of {found['rounds']} rounds"
    )


def _ratios(found: dict[str, Any]) -> Table:
    table = _table("Against peers", "model", "ours", "peer", "measure", ">ratio", ">bar", "", "")
    most = max([each["ratio"] for each in found["ratios"]], default=1.0)
    for each in found["ratios"]:
        length = max(1, round(_BAR_WIDTH * each["ratio"] / most))
        table.add_row(
            each["model"], each["ours"], each["peer"], str(Case(each["phase"], each["batch"])),
            f"{each['ratio']:.2f}x", _bar(each["bar"]), _verdict(each["met"]), "█" * length,
        )  # fmt: skip
    return table


def _rows(found: dict[str, Any]) -> Table:
    table = _table("Tokens a second", "model", "engine", "precision", "measure", ">tok/s")
    for row in found["rows"]:
        case = Case(row["phase"], row["batch"])
        table.add_row(row["model"], row["engine"], row["precision"], str(case), f"{row['tok_s']:.1f}")
    return table


def _shares(found: dict[str, Any]) -> Table:
    table = _table("Reading memory in decode, batch 1", "model", "engine", "precision", ">GB/s", ">share", ">bar", "")
    for each in found["bandwidth"]:
        table.add_row(
            each["model"], each["engine"], each["precision"], f"{each['bytes_per_s'] / 1e9:.2f}",
            f"{each['share']:.0%}", "" if each["bar"] is None else f"{each['bar']:.0%}", _verdict(each["met"]),
        )  # fmt: skip
    return table


def _resources(found: dict[str, Any]) -> Table:
    table = _table("Memory and start-up", "model", "engine", "precision", ">resident", ">peak", ">first token after")
    seconds = {_who(each): each["seconds"] for each in found["start_up"]}
    for each in found["memory"]:
        resident, peak = (f"{each.get(name, 0) / _MIB:.0f} MiB" for name in ("resident", "peak"))
        table.add_row(*_who(each), resident, peak, f"{seconds.get(_who(each), 0.0):.2f} s")
    return table


def _serving(found: dict[str, Any]) -> Table:
    table = _table("Serving", "model", "precision", "measure", ">figures", ">result", ">bar", "")

    def add(each: dict[str, Any], measure: str, figures: str, result: str, limit: str) -> None:
        table.add_row(each["model"], each["precision"], measure, figures, result, limit, _verdict(each["met"]))

    for each in found["batching"]:
        figures = f"{each['continuous_tok_s']:.0f} / {each['static_tok_s']:.0f} tok/s"
        add(each, "continuous against static batching", figures, f"{each['ratio']:.2f}x", _bar(each["bar"]))
        figures = f"{each['continuous_tok_s']:.0f} / {each['leaving_tok_s']:.0f} tok/s"
        leaving = each | {"met": None}
        add(leaving, "  where answered requests leave", figures, f"{each['ratio_leaving']:.2f}x", "")
    for each in found["batching_vllm"]:
        figures = f"{each['ours_tok_s']:.0f} / {each['vllm_tok_s']:.0f} tok/s"
        add(each, "continuous batching against vLLM", figures, f"{each['ratio']:.2f}x", _bar(each["bar"]))
    for each in found["prefix"]:
        figures = f"{each['cold_s'] * 1e3:.1f} / {each['hit_s'] * 1e3:.2f} ms"
        add(each, "first token, new against known prefix", figures, f"{each['ratio']:.1f}x", _bar(each["bar"]))
    for each in found["time_budget"]:
        figures = f"{each['steps']} steps, {each['tok_s']:.0f} tok/s, machine {each['machine_p99']:+.1%}"
        add(
            each,
            f"step past its time budget ({each['way']}), p99",
            figures,
            f"{each['p99_overrun']:+.1%}",
            f"<= {each['bar']:.0%}",
        )
    return table


def _planning(found: dict[str, Any]) -> Table:
    table = _table("Planning", "measure", ">result", ">bar", "")
    for each in (found["planning"] or {}).get("lines", []):
        table.add_row(each["measure"], each["result"], each["bar"], _verdict(each["met"]))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    return table


def _who(each: dict[str, Any]) -> tuple[str, str, str]:
    return each["model"], each["engine"], each["precision"]


def _bar(limit: float | None) -> str:
    return "" if limit is None else f">= {limit:g}x"


def _verdict(met: bool | None) -> str:
    return "" if met is None else "[green]met[/]" if met else "[red]missed[/]"


def _load(values: list[float] | tuple[float, ...]) -> str:
    return f"{values[0]:.1f}" if values else "unknown"
