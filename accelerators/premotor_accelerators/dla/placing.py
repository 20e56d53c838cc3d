"""From verdicts to subgraphs, transitions and shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.partition import partition
from premotor_accelerators.dla.report import Outlook, Subgraph
from premotor_accelerators.dla.rule import Verdict
from premotor_accelerators.dla.rules.general import FOLDED, UNREAD
from premotor_accelerators.dla.rules.shaping import REMOVED


@dataclass(frozen=True)
class Placement:
    """Subgraphs on DLA as indices of layers, and how many tensors change between GPU and DLA."""

    subgraphs: tuple[tuple[int, ...], ...]
    transitions: int


def place(layers: Sequence[Layer], verdicts: Sequence[Verdict], optimistic: bool) -> Placement:
    """Cut the graph; `optimistic` takes conditional nodes as run by DLA, else they count as the GPU's."""
    active = [i for i, verdict in enumerate(verdicts) if verdict.rule not in (FOLDED, REMOVED, UNREAD)]
    number = {index: place for place, index in enumerate(active)}
    kinds = [_kind(layers[i], verdicts[i], optimistic) for i in active]
    reads = _reads(layers, verdicts, active)
    before = [sorted({number[maker] for _, maker in made}) for made in reads]
    groups = [g for g in partition(before, kinds) if kinds[g[0]] != _GPU]
    crossing = {
        (name, kinds[here] == _GPU)
        for here, made in enumerate(reads)
        for name, maker in made
        if (kinds[here] == _GPU) != (kinds[number[maker]] == _GPU)
    }
    return Placement(tuple(tuple(active[i] for i in group) for group in groups), len(crossing))


_GPU = -1
"""Kinds are the batch of a layer on DLA (a loadable has one batch), or this."""


def _kind(layer: Layer, verdict: Verdict, optimistic: bool) -> int:
    on_dla = verdict.placement == "dla" or (optimistic and verdict.placement == "conditional")
    return prod((layer.out or ())[:-3]) if on_dla else _GPU


def _reads(layers: Sequence[Layer], verdicts: Sequence[Verdict], active: Sequence[int]) -> list[list[tuple[str, int]]]:
    """For each active layer the values it reads and the layer that makes each, seen through removed layers."""
    source: dict[str, tuple[str, int]] = {}
    for index, (layer, verdict) in enumerate(zip(layers, verdicts, strict=True)):
        if verdict.rule == REMOVED and layer.data_inputs:
            origin = source.get(layer.data_inputs[0])
            if origin is not None:
                source[layer.node.outputs[0]] = origin
        elif verdict.rule not in (FOLDED, UNREAD):
            source.update({name: (name, index) for name in layer.node.outputs if name})
    return [[source[name] for name in layers[i].data_inputs if name in source] for i in active]


def share(operations: Sequence[int], on_dla: Sequence[bool]) -> float:
    """The part of all operations that DLA does; of nodes, where nothing is computed."""
    total = sum(operations)
    if total == 0:
        return sum(on_dla) / len(on_dla) if on_dla else 0.0
    return sum(count for count, there in zip(operations, on_dla, strict=True) if there) / total


def outlook(layers: Sequence[Layer], verdicts: Sequence[Verdict], operations: Sequence[int]) -> Outlook:
    """The figures if every conditional node ran on DLA."""
    placement = place(layers, verdicts, optimistic=True)
    there = [verdict.placement != "gpu" for verdict in verdicts]
    return Outlook(share(operations, there), len(placement.subgraphs), placement.transitions)


def describe(layers: Sequence[Layer], part: Sequence[int], hidden: set[str], operations: Sequence[int]) -> Subgraph:
    """One subgraph with its memory: values that only it reads are internal unless fused away."""
    members = set(part)
    first = layers[part[0]]
    size = first.target.bytes_per_value
    inner = [
        first.facts.shapes.get(name, ())
        for index in part
        for name in layers[index].node.outputs
        if name and name not in hidden and name not in first.graph.outputs
        and set(first.graph.readers.get(name, ())) <= members
    ]  # fmt: skip
    return Subgraph(
        nodes=tuple(layers[index].node.name for index in part),
        operations=sum(operations[index] for index in part),
        internal_bytes=size * sum(map(prod, inner)),
        padded_bytes=sum(_padded(shape, size) for shape in inner),
        weight_bytes=_weights([layers[index] for index in part], size),
    )


def _padded(shape: tuple[int, ...], size: int) -> int:
    if len(shape) < 3:
        return 32 * ceil(prod(shape) * size / 32)
    channels = shape[-3]
    return prod(shape) // max(channels, 1) * 32 * ceil(channels * size / 32)


def _weights(layers: Sequence[Layer], size: int) -> int:
    """Weights of convolutions at the precision, all others at four bytes; each once."""
    found: dict[str, int] = {}
    for layer in layers:
        for index, name in enumerate(layer.node.inputs):
            if layer.is_constant(index):
                heavy = index == 1 and layer.node.op in ("Conv", "ConvTranspose", "Gemm", "MatMul")
                found[name] = layer.elements(name) * (size if heavy else 4)
    return sum(found.values())
