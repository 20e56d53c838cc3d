"""The ONNX graph of the kernel `mppi`, in the order of its reference.

Nodes are called `part/step`, by the parts below: what a placement report names, and what viewers group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from premotor_planners.kernels.mppi_graph_costs import write_average, write_cost, write_free_share
from premotor_planners.kernels.mppi_graph_motion import write_body, write_controls, write_positions, write_start
from premotor_planners.kernels.mppi_graph_samples import write_samples
from premotor_planners.kernels.mppi_stage import Stage
from premotor_planners.kernels.onnx_graph import GraphWriter

if TYPE_CHECKING:
    from premotor_planners.kernels.mppi import Mppi

PARTS = {
    "start": "the measured state, taken apart",
    "controls": "noise added, limits of value and of change applied: element-wise, step after step",
    "motion": "headings and positions: sine, cosine, products with constant triangular matrices",
    "costmap": "bilinear samples of the two planes: index arithmetic and gathering",
    "cost": "each rollout's cost: element-wise, sums over steps as products with constant rows",
    "average": "softmax over the rollouts and the mean under it",
}
"""The split of the graph."""


def write_mppi(kernel: Mppi) -> bytes:
    """Serialized model, checked."""
    graph = GraphWriter(kernel.name)
    start, controls, motion, costmap, cost, average = (Stage(graph, name) for name in PARTS)
    pose, measured = write_start(start, kernel)
    reached = write_controls(controls, kernel, measured)
    x, y = write_positions(motion, kernel, pose, reached)
    body = write_body(motion, kernel, pose, reached, x, y)
    clearance, guide = write_samples(costmap, kernel, x, y, body)
    costs = write_cost(cost, kernel, clearance, guide, measured, reached)
    write_average(average, kernel, costs, reached)
    write_free_share(average, kernel, clearance)
    return graph.finish(kernel.inputs, kernel.outputs)
