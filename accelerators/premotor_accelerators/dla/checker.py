"""The checker: read, infer, judge, cut, count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_accelerators.dla.facts import study
from premotor_accelerators.dla.fusion import FOLDED_INTO, fold_normalisations, hidden_values
from premotor_accelerators.dla.graph import read_graph
from premotor_accelerators.dla.judging import judge
from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.limits import hold_limits, problems
from premotor_accelerators.dla.operations import operations
from premotor_accelerators.dla.placing import describe, outlook, place, share
from premotor_accelerators.dla.reading import fix_shapes, read_model
from premotor_accelerators.dla.report import NodeReport, Report, Suggestion
from premotor_accelerators.dla.rule import Verdict
from premotor_accelerators.dla.rules.general import STRONGLY_TYPED
from premotor_accelerators.dla.target import Target


def check_file(path: Path, target: Target, shapes: Mapping[str, tuple[int, ...]] | None = None) -> Report:
    """The report on an ONNX file; `shapes` fixes inputs that are dynamic. Raises as `check_model` and `read_model`."""
    return check_model(read_model(path), target, path.name, path.parent, shapes)


def check_model(
    model: Any,
    target: Target,
    name: str = "model",
    folder: Path | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Report:
    """The report on a ModelProto, whose inputs get `shapes` in place; `folder` holds its external data.

    Raises ModelUnreadable, DynamicShapes, and DlaUnavailable for a graph whose every tensor is fp32 where the target
    takes the graph's own types.
    """
    fix_shapes(model, shapes or {})
    layers = read_layers(model, target, folder)
    verdicts = fold_normalisations(layers, [judge(layer) for layer in layers])
    _refuse_wrong_types(layers, verdicts)
    counts = _counts(layers, verdicts)
    return _report(name, target, layers, verdicts, counts, _suggest(model, folder))


def read_layers(model: Any, target: Target, folder: Path | None = None) -> list[Layer]:
    """Every node with what is known around it, each after those it reads."""
    graph = read_graph(model)
    facts = study(model, graph, folder)
    return [Layer(node, graph, facts, target) for node in graph.nodes]


def _counts(layers: list[Layer], verdicts: list[Verdict]) -> list[int]:
    pairs = zip(layers, verdicts, strict=True)
    return [0 if verdict.rule == FOLDED_INTO else operations(layer) for layer, verdict in pairs]


def _refuse_wrong_types(layers: list[Layer], verdicts: list[Verdict]) -> None:
    computing = [verdict for layer, verdict in zip(layers, verdicts, strict=True) if not layer.is_folded]
    if computing and all(verdict.rule == STRONGLY_TYPED for verdict in computing):
        raise DlaUnavailable(
            STRONGLY_TYPED.name,
            "every tensor of the graph is fp32, which this TensorRT does not lower",
            "convert the model to fp16 with ModelOpt autocast --target_dla",
            STRONGLY_TYPED.source,
        )


def _suggest(model: Any, folder: Path | None) -> tuple[Suggestion, ...]:
    from premotor_accelerators.dla.rewrites import suggestions

    return suggestions(model, folder)


def _report(
    name: str,
    target: Target,
    layers: list[Layer],
    verdicts: list[Verdict],
    counts: list[int],
    suggested: tuple[Suggestion, ...],
) -> Report:
    likely = outlook(layers, verdicts, counts)
    hidden = hidden_values(layers, verdicts)
    for _ in range(2):  # once as judged, once more without what was over a limit
        placement = place(layers, verdicts, optimistic=False)
        parts = tuple(describe(layers, part, hidden, counts) for part in placement.subgraphs)
        if not hold_limits(placement.subgraphs, parts, verdicts, target.gate.loadables):
            break
    nodes = zip(layers, verdicts, counts, strict=True)
    return Report(
        model=name,
        board=target.module.name,
        precision=target.precision,
        tensorrt=target.tensorrt,
        gate=target.gate.says,
        loadables=target.gate.loadables,
        nodes=tuple(NodeReport(layer.node.name, layer.node.op, verdict, count) for layer, verdict, count in nodes),
        subgraphs=parts,
        share_on_dla=share(counts, [verdict.placement == "dla" for verdict in verdicts]),
        transitions=placement.transitions,
        if_conditional=likely,
        problems=problems(target, layers, verdicts, parts),
        suggestions=suggested,
    )
