"""What the checker found, and the same as JSON: schema `premotor.check_dla/1`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from premotor_accelerators.dla.rule import Rule, Verdict

SCHEMA = "premotor.check_dla/1"
BOUNDARY_MS = (0.04, 0.07)
"""What one change between GPU and DLA costs: HaX-CoNN's measurements and DLA forum reports (B)."""


@dataclass(frozen=True)
class NodeReport:
    """One node's verdict; `operations` counts a multiply-accumulate as two."""

    name: str
    op: str
    verdict: Verdict
    operations: int


@dataclass(frozen=True)
class Subgraph:
    """One loadable: nodes that run on a DLA core in one go. Bytes are those of the checked precision.

    `internal_bytes` are the values that never leave it; `padded_bytes` the same with channels rounded up to 32 bytes.
    """

    nodes: tuple[str, ...]
    operations: int
    internal_bytes: int
    padded_bytes: int
    weight_bytes: int


@dataclass(frozen=True)
class Problem:
    """Something about the whole model: `error` keeps it from being built as counted, `warning` may, `note` informs."""

    severity: Literal["error", "warning", "note"]
    rule: Rule
    message: str
    remedy: str


@dataclass(frozen=True)
class Suggestion:
    """A rewrite that would bring nodes onto DLA; `--rewrite` applies it."""

    rewrite: str
    nodes: tuple[str, ...]


@dataclass(frozen=True)
class Outlook:
    """The figures of one assumption about conditional nodes."""

    share_on_dla: float
    subgraphs: int
    transitions: int


@dataclass(frozen=True)
class Report:
    """A model on a target. The figures take conditional nodes as run by the GPU; `if_conditional` as run by DLA."""

    model: str
    board: str
    precision: str
    tensorrt: str
    gate: str
    loadables: int
    nodes: tuple[NodeReport, ...]
    subgraphs: tuple[Subgraph, ...]
    share_on_dla: float
    transitions: int
    if_conditional: Outlook
    problems: tuple[Problem, ...]
    suggestions: tuple[Suggestion, ...] = ()

    def placed(self, placement: str) -> tuple[NodeReport, ...]:
        """The nodes of one verdict."""
        return tuple(node for node in self.nodes if node.verdict.placement == placement)

    def json(self) -> dict[str, Any]:
        """The report as JSON; `rules` holds the text, source and confidence of every rule that is named."""
        rules = {node.verdict.rule.name: node.verdict.rule for node in self.nodes}
        rules.update({problem.rule.name: problem.rule for problem in self.problems})
        return {
            **header(self.model, self.board, self.precision, self.tensorrt),
            "tensorrt_note": self.gate,
            "nodes": [_node(node) for node in self.nodes],
            "share_on_dla": self.share_on_dla,
            "subgraphs": [{**asdict(part), "nodes": list(part.nodes)} for part in self.subgraphs],
            "loadables_allowed": self.loadables,
            "transitions": self.transitions,
            "boundary_ms": [round(ms * self.transitions, 3) for ms in BOUNDARY_MS],
            "if_conditional": asdict(self.if_conditional),
            "problems": [_problem(problem) for problem in self.problems],
            "suggestions": [{"rewrite": s.rewrite, "nodes": list(s.nodes)} for s in self.suggestions],
            "rules": {name: _rule(rule) for name, rule in sorted(rules.items())},
        }


def header(model: str, board: str, precision: str, tensorrt: str) -> dict[str, Any]:
    """The first fields of every answer."""
    return {"schema": SCHEMA, "model": model, "board": board, "precision": precision, "tensorrt": tensorrt}


def _node(node: NodeReport) -> dict[str, Any]:
    verdict = node.verdict
    return {
        "name": node.name,
        "op": node.op,
        "verdict": verdict.placement,
        "rule": verdict.rule.name,
        "found": verdict.found,
        "remedy": verdict.remedy,
        "operations": node.operations,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "severity": problem.severity,
        "rule": problem.rule.name,
        "message": problem.message,
        "remedy": problem.remedy,
    }


def _rule(rule: Rule) -> dict[str, str]:
    return {"says": rule.says, "source": rule.source, "confidence": rule.confidence}
