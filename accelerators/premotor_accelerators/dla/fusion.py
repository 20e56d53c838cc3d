"""Layers that TensorRT joins with the one before them, so that the value between never reaches memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict
from premotor_accelerators.dla.sources import FUSION

FOLDED_INTO = Rule(
    "folded-into-convolution", "a normalisation right behind a convolution becomes part of its weights", FUSION, "B"
)
_HOSTS = ("Conv", "ConvTranspose", "Gemm")
_GUESTS = ("BatchNormalization", "Relu", "Clip", "Sigmoid", "Tanh", "LeakyRelu", "Add", "Mul", "Sub")


def hidden_values(layers: Sequence[Layer], verdicts: Sequence[Verdict]) -> set[str]:
    """Values between a convolution on DLA and the normalisation, scale and activation fused behind it."""
    hosts: set[str] = set()
    hidden: set[str] = set()
    for layer, verdict in zip(layers, verdicts, strict=True):
        node = layer.node
        if verdict.placement != "dla":
            continue
        if node.op in _HOSTS:
            hosts.update(node.outputs)
        elif node.op in _GUESTS and len(layer.data_inputs) == 1 and _is_alone(layer, hosts):
            hidden.add(layer.data_inputs[0])
            hosts.update(node.outputs)
    return hidden


def fold_normalisations(layers: Sequence[Layer], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, with those of normalisations that vanish into a convolution on DLA naming that."""
    on_dla = {
        name
        for layer, verdict in zip(layers, verdicts, strict=True)
        if layer.node.op in ("Conv", "ConvTranspose") and verdict.placement == "dla"
        for name in layer.node.outputs
    }
    return [
        replace(verdict, rule=FOLDED_INTO)
        if layer.node.op == "BatchNormalization" and verdict.placement == "dla" and _is_alone(layer, on_dla)
        else verdict
        for layer, verdict in zip(layers, verdicts, strict=True)
    ]


def _is_alone(layer: Layer, hosts: set[str]) -> bool:
    name = layer.data_inputs[0] if layer.data_inputs else ""
    return name in hosts and len(layer.graph.readers.get(name, ())) == 1 and name not in layer.graph.outputs
