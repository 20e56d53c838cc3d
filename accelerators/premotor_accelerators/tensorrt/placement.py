"""Which unit each layer of a built engine lies on, as the engine inspector tells, beside what was predicted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from premotor_accelerators.errors import CompileRefused, PlacementDiffers

Unit = Literal["dla", "gpu", "edge"]


@dataclass(frozen=True)
class PredictedNode:
    """An ONNX node's place by the rules: `dla`, `gpu` or `conditional`, the rule that decided, and what to do."""

    name: str
    op: str
    verdict: str
    rule: str
    remedy: str


Predict = Callable[[bytes], Sequence[PredictedNode]]
"""A serialized ONNX model to its nodes' verdicts, for one board, precision and TensorRT."""


@dataclass(frozen=True)
class Layer:
    """A layer of the engine; `edge` is the passing of a network input or output, which no unit computes."""

    name: str
    unit: Unit


_GPU_KINDS = ("kgen", "myelin", "reformat", "cask")
_EDGES = (" to nvm", " from nvm", " copy finish")


def read_layers(inspected: str) -> list[Layer]:
    """The layers in the inspector's JSON. Raises CompileRefused for text that is none."""
    try:
        layers = json.loads(inspected)["Layers"]
        return [_layer(entry) for entry in layers]
    except (ValueError, KeyError, TypeError) as error:
        raise CompileRefused(
            f"the engine inspector's answer is not understood ({error!r}), so that the placement is not proven; "
            "build with detailed profiling verbosity"
        ) from error


def refuse_predicted_gpu(kernel: str, nodes: Sequence[PredictedNode]) -> None:
    """Raise CompileRefused naming the first nodes that the rules put on the GPU."""
    refused = [node for node in nodes if node.verdict == "gpu"]
    if refused:
        named = "; ".join(f"`{node.name}` ({node.op}): rule {node.rule}: {node.remedy}" for node in refused[:3])
        more = f"; and {len(refused) - 3} more" if len(refused) > 3 else ""
        raise CompileRefused(
            f"{kernel}: {len(refused)} of {len(nodes)} nodes do not run on a DLA core and GPU fallback is off: "
            f"{named}{more}; `premotor check-dla` shows all, with rewrites"
        )


def compare(kernel: str, nodes: Sequence[PredictedNode], layers: Sequence[Layer]) -> int:
    """How many DLA subgraphs the engine has. Raises PlacementDiffers when any layer lies on the GPU."""
    elsewhere = [layer.name for layer in layers if layer.unit == "gpu"]
    if elsewhere:
        unsure = [f"`{node.name}` ({node.op}, rule {node.rule})" for node in nodes if node.verdict == "conditional"]
        hint = f"; the checker was not sure of {', '.join(unsure[:3])}" if unsure else "; the checker predicted none"
        raise PlacementDiffers(
            f"{kernel}: the engine inspector shows {len(elsewhere)} layers on the GPU: "
            f"{', '.join(elsewhere[:3])}{hint}; rewrite these nodes, and report the difference so that the rule is "
            "corrected"
        )
    return sum(layer.unit == "dla" for layer in layers)


def _layer(entry: Any) -> Layer:
    name = entry if isinstance(entry, str) else str(entry["Name"])
    kind = "" if isinstance(entry, str) else str(entry.get("LayerType", ""))
    return Layer(name, _unit(name, kind.lower()))


def _unit(name: str, kind: str) -> Unit:
    """A DLA subgraph is a `ForeignNode`; so is a compiled GPU region, whose kind then says so."""
    if kind == "dla" or (name.startswith("{ForeignNode[") and kind not in _GPU_KINDS):
        return "dla"
    return "edge" if name.endswith(_EDGES) else "gpu"
