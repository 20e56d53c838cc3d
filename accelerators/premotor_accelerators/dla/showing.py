"""The report as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from premotor_accelerators.dla.report import BOUNDARY_MS, NodeReport, Report
from premotor_accelerators.dla.rewriting import Rewritten

_MOST_LINES = 40
_MOST_NAMES = 3


def lines(report: Report) -> Iterator[str]:
    """The report, the part that needs attention first; every node is in the JSON."""
    counts = Counter(node.verdict.placement for node in report.nodes)
    low, high = (ms * report.transitions for ms in BOUNDARY_MS)
    yield f"{report.model} on {report.board}, {report.precision}, TensorRT {report.tensorrt} ({report.gate})"
    yield f"nodes        {counts['dla']} dla, {counts['conditional']} conditional, {counts['gpu']} gpu"
    yield f"on DLA       {report.share_on_dla:.2%} of operations"
    yield f"subgraphs    {len(report.subgraphs)} of {report.loadables} loadables"
    yield f"transitions  {report.transitions} between GPU and DLA, about {low:.2f} to {high:.2f} ms"
    if counts["conditional"]:
        likely = report.if_conditional
        yield (
            f"at best      {likely.share_on_dla:.2%}, {likely.subgraphs} subgraphs, {likely.transitions} transitions "
            "(every conditional node on DLA)"
        )
    yield from _problems(report)
    yield from _groups(report)
    for suggestion in report.suggestions:
        yield f"rewrite      {suggestion.rewrite}: {_names(list(suggestion.nodes))}"


def rewrite_lines(rewritten: Rewritten, before: Report, after: Report) -> Iterator[str]:
    """What was rewritten, and what it brought."""
    if not rewritten.applied:
        yield "rewritten    nothing: no safe rewrite fits; no file was written"
    for name, nodes in rewritten.applied.items():
        yield f"rewritten    {name}: {_names(list(nodes))}"
    for name in rewritten.taken_back:
        yield f"taken back   {name}: the outputs differed"
    if rewritten.applied:
        yield f"equal        within {rewritten.difference.largest:.1e} on random input"
        yield f"on DLA       {before.share_on_dla:.2%} before, {after.share_on_dla:.2%} after"


def _problems(report: Report) -> Iterator[str]:
    for problem in report.problems:
        yield f"{problem.severity:<12} {problem.message}; {problem.remedy} [{problem.rule.name}]"


def _groups(report: Report) -> Iterator[str]:
    """Nodes off DLA by operator and rule, those of the GPU first."""
    groups: dict[tuple[bool, str, str], list[NodeReport]] = {}
    for node in report.nodes:
        if node.verdict.placement != "dla":
            key = (node.verdict.placement != "gpu", node.op, node.verdict.rule.name)
            groups.setdefault(key, []).append(node)
    for key in sorted(groups, key=lambda key: (key[0], -len(groups[key])))[:_MOST_LINES]:
        yield from _group(groups[key])
    if len(groups) > _MOST_LINES:
        yield f"             {len(groups) - _MOST_LINES} more kinds of nodes: see --json"


def _group(nodes: list[NodeReport]) -> Iterator[str]:
    verdict = nodes[0].verdict
    found = f" ({verdict.found})" if verdict.found not in ("", nodes[0].op) else ""
    yield f"{verdict.placement:<12} {nodes[0].op} x{len(nodes)}: {_names([node.name for node in nodes])}{found}"
    yield f"{'':<12} {verdict.rule.says} [{verdict.rule.name}, {verdict.rule.confidence}]; {verdict.remedy}"


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
