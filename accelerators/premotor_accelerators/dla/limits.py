"""What holds for whole subgraphs and the whole model, beyond single layers."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.report import Problem, Subgraph
from premotor_accelerators.dla.rule import Rule, Verdict, refused, unsure, worse
from premotor_accelerators.dla.rules.elementwise import ELEMENTWISE
from premotor_accelerators.dla.rules.shaping import CONCATENATION
from premotor_accelerators.dla.sources import DERIVED, GUIDE_85, LAYERS
from premotor_accelerators.dla.target import Target

INTERNAL = Rule("internal-memory", "values inside one subgraph take less than 1 GiB", GUIDE_85, "B")
PADDED = Rule("padded-memory", "whether that counts channels padded to 32 bytes is not documented", DERIVED, "C")
WEIGHTS = Rule("weight-memory", "weights of one subgraph below 512 MiB, the default pool of global DRAM", GUIDE_85, "B")
LOADABLES = Rule("loadables", "at most 16 subgraphs are resident on a core (4 up to TensorRT 8.4)", LAYERS, "A")
UNPROVEN = Rule(
    "unproven-version", "this TensorRT is in no JetPack for the board, or newer than the rules", LAYERS, "B"
)
CALIBRATION = Rule("int8-ranges", "layers that join int8 tensors want equal dynamic ranges", LAYERS, "A")
_GIB = 2**30
_SPLIT = "cut the model in parts of fewer or smaller tensors"


def hold_limits(parts: Sequence[Sequence[int]], shown: Sequence[Subgraph], verdicts: list[Verdict], most: int) -> bool:
    """Take nodes of subgraphs over a limit off DLA, in place; whether any verdict changed.

    Of too many subgraphs those with the most operations count as kept; which ones the builder keeps is its own choice.
    """
    kept = sorted(range(len(shown)), key=lambda index: -shown[index].operations)[:most]
    changed = False
    for index, (part, subgraph) in enumerate(zip(parts, shown, strict=True)):
        verdict = _over(subgraph)
        if verdict is None and index not in kept:
            remedy = "bring the nodes between the subgraphs onto DLA, or leave small subgraphs to the GPU"
            verdict = unsure(LOADABLES, f"{len(shown)} subgraphs, {most} fit", remedy)
        for node in part if verdict is not None else ():
            verdicts[node] = worse(verdicts[node], verdict)  # type: ignore[arg-type]
            changed = True
    return changed


def _over(subgraph: Subgraph) -> Verdict | None:
    if subgraph.internal_bytes >= _GIB:
        return refused(INTERNAL, f"{subgraph.internal_bytes / _GIB:.2f} GiB", _SPLIT)
    if subgraph.weight_bytes >= _GIB // 2:
        return unsure(WEIGHTS, f"{subgraph.weight_bytes / _GIB:.2f} GiB", "raise the pool of global DRAM, or use int8")
    return None


def problems(
    target: Target, layers: Sequence[Layer], verdicts: Sequence[Verdict], parts: Sequence[Subgraph]
) -> tuple[Problem, ...]:
    """What the whole model meets."""
    found = [*_over_limits(verdicts), *_padding(parts), *_version(target)]
    joins = (ELEMENTWISE, CONCATENATION)
    joined = sum(verdict.placement == "dla" and verdict.rule in joins for verdict in verdicts)
    if target.precision == "int8" and joined:
        message = f"{joined} layers join int8 tensors, whose dynamic ranges must be equal"
        found.append(Problem("note", CALIBRATION, message, "give them one range when calibrating"))
    return tuple(found)


def _over_limits(verdicts: Sequence[Verdict]) -> list[Problem]:
    found = []
    for rule, severity in ((LOADABLES, "error"), (INTERNAL, "error"), (WEIGHTS, "warning")):
        hit = [verdict for verdict in verdicts if verdict.rule == rule]
        if hit:
            message = f"{len(hit)} nodes: {hit[0].found}"
            found.append(Problem("error" if severity == "error" else "warning", rule, message, hit[0].remedy))
    return found


def _padding(parts: Sequence[Subgraph]) -> list[Problem]:
    worst = max((part.padded_bytes for part in parts), default=0)
    if worst < _GIB:
        return []
    return [Problem("warning", PADDED, f"{worst / _GIB:.2f} GiB with padded channels in one subgraph", _SPLIT)]


def _version(target: Target) -> list[Problem]:
    if target.gate.proven:
        return []
    message = f"TensorRT {target.tensorrt}: {target.gate.says}"
    return [Problem("warning", UNPROVEN, message, "prove it by a tiny build on the board")]
